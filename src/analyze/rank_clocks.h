/*
 * One clock for all ranks of a job.
 *
 * A collective ends at nearly the same moment on all of its ranks, whenever each began.
 * So a rank's clock is off by the median, over the collectives it shares with ranks whose
 * clock is known, of the difference of the ends: one late end moves nothing. The clock of
 * the reference, the lowest rank, is known; where groups hold only some of the ranks, the
 * shift goes from group to group. What the median leaves over is the skew that is told.
 */
#ifndef GAIT_ANALYZE_RANK_CLOCKS_H
#define GAIT_ANALYZE_RANK_CLOCKS_H

#include "analyze/meetings.h"

struct rank_clock {
    int32_t reference; /* row of the rank whose clock this one is led to; itself where it
                          met nobody before; -1: it met nobody, there is no shift */
    int64_t shift_ns;  /* add it to base_ns + begin_ns */
    size_t matched;    /* collectives whose ends were compared */
    int64_t skew_median_ns, skew_max_ns; /* what is left over, absolute */
};

struct rank_clocks {
    struct rank_clock *rank; /* (n) by row of run->ranks */
    size_t n;
    int32_t reference;                   /* of most ranks; -1: nothing was matched */
    size_t aligned;                      /* ranks that are led to it, itself included */
    int64_t skew_median_ns, skew_max_ns; /* over all ends of all ranks */
};

/* Release with rank_clocks_release(). */
void rank_clocks_init(struct rank_clocks *c, const struct run *run,
                      const struct meetings *m);
void rank_clocks_release(struct rank_clocks *c);

/* On the common clock; the rank has one. */
int64_t rank_clocks_begin_ns(const struct rank_clocks *c, const struct run *run,
                             size_t collective);

#endif
