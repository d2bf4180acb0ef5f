/* Finds a lane by kind, device, pid and tid in constant time: a hostile trace may have a
 * lane an event. Private to run. */
#ifndef GAIT_REDUCE_LANE_INDEX_H
#define GAIT_REDUCE_LANE_INDEX_H

#include "run/run.h"

struct lane_index {
    struct lane *lane; /* (n) */
    size_t n, cap;
    uint32_t *slot; /* open addressing: index + 1 */
    size_t slots;
    size_t recent; /* most events follow one on the same lane */
};

void lane_index_release(struct lane_index *x);
/* The number of this lane, or -1. */
int32_t lane_index_find(const struct lane_index *x, const struct lane *lane);
/* The number of this lane, added when new. */
int32_t lane_index_add(struct lane_index *x, const struct lane *lane);

#endif
