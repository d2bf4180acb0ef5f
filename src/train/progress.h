/*
 * What the user sees of a training run, through base/log.h: what is trained, a line each
 * log_interval (redrawn on a terminal), the result.
 */
#ifndef GAIT_TRAIN_PROGRESS_H
#define GAIT_TRAIN_PROGRESS_H

#include "base/strbuf.h"
#include "train/train.h"
#include "train/trainer.h"

struct progress {
    const struct trainer *trainer;
    int64_t recent_steps, recent_ns; /* since the last line */
    int64_t wall_ns;                 /* of steps, without validation */
    bool begun;                      /* the first step is over */
    int64_t timed_steps, timed_ns;   /* all but the first */
    double loss_sum;                 /* of the recent steps */
    double validation_loss;          /* NAN before the first */
    int64_t drawn_ns;                /* when the status line was drawn last */
};

void progress_init(struct progress *p, const struct trainer *t);
/* "gpt2  4 layers × 128, …": what is trained. */
void progress_model(struct strbuf *out, const struct trainer *t);
void progress_header(const struct progress *p);
/* A step (0 the first) took dur_ns. */
void progress_step(struct progress *p, int64_t step, const struct step_report *r,
                   int64_t dur_ns);
/* Of all phases' time, what the steps waited for data. */
double progress_data_wait_frac(const struct progress *p);

#endif
