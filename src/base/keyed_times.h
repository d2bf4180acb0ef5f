/* Durations with a key each (a name, say): sorted once, then taken key by key. */
#ifndef GAIT_BASE_KEYED_TIMES_H
#define GAIT_BASE_KEYED_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keyed_time {
    uint64_t key;
    int64_t ns;
};

/* All times of one key, the shortest first. */
struct keyed_group {
    uint64_t key;
    const struct keyed_time *time; /* (n), n > 0 */
    size_t n;
};

/* By key, then by time; n may be 0. */
void keyed_sort(struct keyed_time *time, size_t n);

/* The group that begins at time[*at] of n sorted ones, and moves *at behind it; false at
 * the end. Begin with *at = 0. */
bool keyed_next(struct keyed_group *group, const struct keyed_time *time, size_t n,
                size_t *at);

/* Between two in the middle, rounded towards the shorter. */
int64_t keyed_median_ns(const struct keyed_group *group);

#endif
