/*
 * What a rank's collectives cost a step, apart: waiting for the last rank to come, and
 * the rest, each as far as compute does not hide it. Private to findings.
 */
#ifndef GAIT_FINDINGS_MEETINGS_OF_H
#define GAIT_FINDINGS_MEETINGS_OF_H

#include "findings/evidence.h"

/* Who comes last, and what that costs the others: a step, traced. */
struct late_rank {
    int32_t row;     /* the rank with the most of it; -1: ranks were not aligned */
    double alone_ns; /* all could go on so much sooner if it came with the next one */
    double all_ns;   /* the same of all ranks together */
    size_t last, meetings; /* in how many of the meetings it came last */
};

struct late_rank meetings_late(const struct evidence *e);

/* Collectives of the evidence's rank, a step. */
struct meetings_cost {
    double count;
    double bytes;      /* 0: not recorded */
    double total_ns;   /* from begin to end */
    double exposed_ns; /* of that, what compute does not hide */
    double waiting_ns; /* of what is exposed, until the last rank came; 0 where only one
                          rank is there */
    bool waits_known;
};

struct meetings_cost meetings_cost(const struct evidence *e);

#endif
