/*
 * A training's figures as metrics for monitoring systems: the list of them, and their
 * values, taken from where `gait top` and the progress line have them. docs/dashboards.md
 * explains each.
 *
 * To add one: a row of the list in training_metrics.c, and a line of that page.
 */
#ifndef GAIT_TRAIN_TRAINING_METRICS_H
#define GAIT_TRAIN_TRAINING_METRICS_H

#include "live/live_status.h"
#include "metrics/metric_set.h"
#include "train/trainer.h"

struct training_figures {
    const struct trainer *trainer;
    const struct live_status *status;
    int64_t steps_ns;        /* of all steps that this process completed */
    int64_t step_ns;         /* of the last one */
    const int64_t *phase_ns; /* (PHASE_COUNT) of the same steps */
    int64_t data_wait_ns;    /* of the same steps */
    int64_t undelivered;     /* messages to a collector; -1: none are sent */
};

/* The texts are the status's and the config's. */
void training_metrics_set(struct metric_set *out, const struct training_figures *f);
void training_metrics_fill(struct metric_values *out, const struct training_figures *f);

#endif
