/*
 * The spans of one rank among many: a page draws the timeline of the slowest rank alone,
 * and the spans of a thousand would not fit into memory.
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

/* Append *one to *run as run_merge() does, but keep spans and edges only of whichever
 * holds the slowest rank, as struct analysis chooses it. *one may lose its own. */
void slowest_detail_merge(struct slowest_detail *s, struct run *run, struct run *one);

#endif
