/*
 * What a training measures of itself, written while it runs: TensorBoard's event files
 * and metrics.jsonl, in one folder. Metrics never stop a training: where the disk is full
 * that is said once, what cannot be written is lost, and later lines are tried again.
 *
 * Legal order: metrics_open, then (metrics_scalar …, metrics_commit) …, metrics_close.
 * Between open and close nothing is allocated.
 *
 * Agreed tags, and the keys they have in metrics.jsonl:
 *   train/loss loss   train/learning_rate learning_rate   train/gradient_norm
 * gradient_norm train/tokens_per_s tokens_per_s   train/step_ms step_ms
 *   train/data_wait_frac data_wait_frac   validation/loss validation_loss
 *   memory/peak_rss_bytes (TensorBoard only)
 * To add one: a line of the table in metrics.c.
 */
#ifndef GAIT_METRICS_METRICS_H
#define GAIT_METRICS_METRICS_H

#include "metrics/event_file.h"
#include "metrics/metrics_lines.h"

struct metrics {
    bool is_on;
    bool has_warned;
    struct append_file lines;
    struct event_file events;
    int64_t step; /* of the pending values */
    struct metrics_value pending[METRICS_VALUES_MAX];
    size_t n_pending;
};

/* Write to dir, which is made where it is missing; NULL or "" turns all the rest into
 * nothing, as ranks other than the first want it. first_step is the first step that will
 * be committed: 0 for a new run; a resumed run drops older records of that step or later.
 * Where this fails *m is off. */
enum status metrics_open(struct metrics *m, const char *dir, int64_t first_step,
                         struct err *err);
void metrics_close(struct metrics *m);

/* A value of this step; tag is one of the agreed ones. */
void metrics_scalar(struct metrics *m, const char *tag, int64_t step, double value);
/* The step's values are complete: one line of metrics.jsonl, and TensorBoard's records
 * leave the process. Without values it does nothing. */
void metrics_commit(struct metrics *m, int64_t step);

#endif
