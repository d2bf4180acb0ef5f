/*
 * Metrics sent to a collector, by OTLP over HTTP, from a thread of its own: at once, each
 * interval, and at the end. What cannot be sent is dropped and counted, and so is what the
 * collector rejects a part of; the first time that is said. Nothing is sent again: sums go on, so the next message has all of them.
 */
#ifndef GAIT_METRICS_METRICS_PUSH_H
#define GAIT_METRICS_METRICS_PUSH_H

#include "base/status.h"
#include "metrics/metric_board.h"

struct metrics_push; /* opaque */

struct metrics_push_options {
    const char *url; /* without a port 4318, without a path /v1/metrics */
    double interval_s;
};

/* Could it be sent there, as far as the text tells? */
enum status metrics_push_check(const char *url, struct err *err);

/* Set and board must live until the close. On OK the caller calls metrics_push_close(). */
enum status metrics_push_open(struct metrics_push **out,
                              const struct metrics_push_options *o,
                              const struct metric_set *set, struct metric_board *board,
                              struct err *err);
/* How many messages did not arrive whole so far; NULL: none. */
int64_t metrics_push_dropped(struct metrics_push *p);
/* Sends what the board has now, for 3 s at most, and says what was dropped. False: the
 * thread waits for a resolver that never answers; set and board must live on. */
bool metrics_push_close(struct metrics_push *p);

#endif
