/*
 * Stretches of the main thread in which nothing was recorded: Python, and what it waits
 * for outside of PyTorch. Without those in which another thread works for it.
 */
#ifndef GAIT_EVIDENCE_HOST_GAPS_H
#define GAIT_EVIDENCE_HOST_GAPS_H

#include "evidence/evidence.h"

struct host_gap {
    int64_t begin_ns, end_ns;
    int32_t before, after; /* of the main thread's op: what was recorded around it; -1 */
    name_id name_before, name_after;
    int32_t step; /* row */
};

struct host_gaps {
    struct host_gap *gap; /* (n) in order */
    size_t n, cap;
};

/* Those of at least least_ns; not while the batch is fetched. Release with
 * host_gaps_release(). */
void host_gaps_init(struct host_gaps *g, const struct evidence *e, int64_t least_ns);
void host_gaps_release(struct host_gaps *g);

#endif
