/*
 * Who waits for whom. In a meeting every rank waits until the last one has come:
 *
 *   wait of a rank    = begin of the last - its own begin, on the common clock; not less
 *                       than 0 and not more than its own collective took
 *   lateness          = the median of the other ranks' waits: what a typical rank waited
 *   delay alone       = the least of the other ranks' waits: how much sooner all could
 *                       have gone on if this rank had come with the next one
 *
 * The last two are put down to the rank that came last, in meetings where it did; where
 * all came at once nobody was late. Waits that compute hides cost nothing: exposed is the
 * most that was not hidden, the lesser of a wait and of its collective's exposed part.
 */
#ifndef GAIT_ANALYZE_RANK_WAITS_H
#define GAIT_ANALYZE_RANK_WAITS_H

#include "analyze/rank_clocks.h"
#include "analyze/rank_rows.h"

struct rank_waits {
    size_t meetings; /* it took part in */
    size_t last;     /* of them, where it came last */
    int64_t wait_ns; /* its own waits */
    int64_t exposed_ns;
    int64_t late_ns;         /* the sum of its latenesses */
    int64_t alone_ns;        /* the sum of its delays alone */
    int64_t others_wait_ns;  /* what all others together waited for it */
    int64_t late_exposed_ns; /* of late_ns, what was not hidden, at most */
    int64_t steps_wait_ns, steps_late_ns, steps_late_exposed_ns; /* within steps */
};

/* A collective of one rank. */
struct collective_wait {
    size_t meeting;  /* the same for all who were in it; SIZE_MAX: nobody waits in it */
    int64_t wait_ns; /* of this rank */
};

/* One step of the job, as far as ranks number it alike. */
struct step_skew {
    int64_t number;
    size_t meetings;
    int64_t wait_ns;   /* of all ranks */
    int64_t spread_ns; /* the longest wait of any rank */
    int32_t latest;    /* row of the rank with the most lateness; -1: nobody was late */
    int64_t late_ns;   /* its lateness in this step */
};

struct job_waits {
    struct rank_waits *rank; /* (n_ranks) by row of run->ranks */
    size_t n_ranks;
    struct step_skew *step; /* (n_steps) by number */
    size_t n_steps;
    struct collective_wait *collective; /* (rows of run->collectives) */
    int64_t *step_wait_ns;  /* (rows of run->steps) waits of that step's rank in it */
    struct rank_rows steps; /* rows of run->steps */
    size_t meetings;
};

/* Release with job_waits_release(). */
void job_waits_init(struct job_waits *w, const struct run *run, const struct meetings *m,
                    const struct rank_clocks *c);
void job_waits_release(struct job_waits *w);

#endif
