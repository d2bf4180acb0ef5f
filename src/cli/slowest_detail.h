/*
 * The spans of one rank among many: the timeline and the findings of a large job are
 * those of its slowest rank, and the spans of a thousand would not fit into memory.
 */
#ifndef GAIT_CLI_SLOWEST_DETAIL_H
#define GAIT_CLI_SLOWEST_DETAIL_H

#include "run/run.h"

/* The rank whose spans are held so far. A zeroed one holds none. */
struct slowest_detail {
    bool any;
    double median_ms; /* of its steps; -1: it has none */
    int32_t number;
};

/* Does *one hold a slower rank than s? Then its spans are wanted. */
bool slowest_detail_wants(const struct slowest_detail *s, const struct run *one);

/* Append *one to *run as run_merge() does, but keep spans and edges only of whichever
 * holds the slowest rank, as struct analysis chooses it. *one may lose its own. */
void slowest_detail_merge(struct slowest_detail *s, struct run *run, struct run *one);

#endif
