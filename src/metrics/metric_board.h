/*
 * The newest values, from the thread that has them to the threads that show them. The
 * writer never waits and takes no lock: a reader that came in between reads again.
 */
#ifndef GAIT_METRICS_METRIC_BOARD_H
#define GAIT_METRICS_METRIC_BOARD_H

#include "metrics/metric_set.h"

#include <stdatomic.h>

enum { METRIC_WORDS = sizeof(struct metric_values) / sizeof(uint64_t) };

struct metric_board {
    atomic_uint_fast64_t turn; /* odd while values are written */
    atomic_uint_fast64_t word[METRIC_WORDS];
};

void metric_board_init(struct metric_board *b); /* nothing is known */
/* By one thread alone. */
void metric_board_put(struct metric_board *b, const struct metric_values *v);
void metric_board_get(struct metric_board *b, struct metric_values *out);

#endif
