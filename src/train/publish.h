/*
 * What a training says of itself while it runs: its status (live/live_status.h), for
 * `gait top`, written between steps at most once a second and where it begins something
 * long; and metrics for monitoring systems, where they are asked for. Rank 0 speaks for
 * all.
 */
#ifndef GAIT_TRAIN_PUBLISH_H
#define GAIT_TRAIN_PUBLISH_H

#include "live/live_file.h"
#include "metrics/metric_outlets.h"
#include "train/trainer.h"
#include "train/usage.h"

struct publisher {
    const struct trainer *trainer; /* NULL: off */
    struct live_file file;
    struct live_status status;
    int64_t written_ns; /* on the monotonic clock */
    /* since the file was written before */
    int64_t steps, steps_ns;
    int64_t phase_before_ns[PHASE_COUNT], wait_before_ns;
    int64_t took_ns[LIVE_DOING_COUNT]; /* the last time it was done; 0: never */
    int64_t doing_since_ns;
    struct metric_outlets *outlets; /* NULL: nobody asked for metrics */
    /* Of completed steps: the trainer's own have what an abandoned one took too. */
    int64_t all_steps_ns, last_step_ns;
    int64_t phase_ns[PHASE_COUNT], data_wait_ns;
};

/* What can be told of the settings before anything is opened. */
enum status publish_check(const struct config *config, struct err *err);
/* model: what is trained, in words. On OK the caller calls publish_close(). */
enum status publish_open(struct publisher *p, const struct trainer *t, const char *model,
                         struct err *err);
/* A step (0 the first) took dur_ns; u has it already. Allocates nothing, but where
 * metrics_file is written. */
void publish_step(struct publisher *p, int64_t step, const struct step_report *r,
                  int64_t dur_ns, const struct usage *u);
/* Something beside the steps begins and ends. */
void publish_begin(struct publisher *p, enum live_doing doing);
void publish_end(struct publisher *p);
void publish_validation(struct publisher *p, int64_t step, double loss);
void publish_save(struct publisher *p, int64_t saved_step, int64_t failed_saves);
/* How it ended, for whoever looks later. After a failed or no open it does nothing. */
void publish_close(struct publisher *p, enum status status, const struct err *err);

#endif
