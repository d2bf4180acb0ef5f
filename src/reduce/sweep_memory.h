/*
 * Memory over time: for each device and class the peak of each of at most
 * MEMORY_POINTS_MAX stretches of equally many points.
 *
 * Points come through the stream as rows on a lane of their own, behind all others: bytes
 * is what is held, or the change where correlation is 1; flop is the origin. How many
 * there are of each series is known before. Private to run.
 */
#ifndef GAIT_REDUCE_SWEEP_MEMORY_H
#define GAIT_REDUCE_SWEEP_MEMORY_H

#include "run/run.h"

struct sweep;

enum { MEMORY_POINTS_MAX = 4096 };

struct memory_series {
    struct memory *point; /* (n) */
    size_t n;
    int64_t seen, stretch; /* points; of them in a stretch */
    int64_t sum_bytes;     /* of changes */
};

struct sweep_memory {
    struct memory_series *series; /* (merged->n_series) */
};

void sweep_memory_init(struct sweep *sw);
void sweep_memory_release(struct sweep *sw);
void sweep_memory_add(struct sweep *sw, const struct span *row);
void sweep_memory_finish(struct sweep *sw);

#endif
