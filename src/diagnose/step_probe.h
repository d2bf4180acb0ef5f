/*
 * Facts that are measured: real training steps of the settings, an evaluation, a
 * checkpoint; then the same steps with other threads and other batches. Each measurement
 * has a number of steps and a time of its own, whichever ends first, so that a diagnosis
 * of a large model ends too.
 */
#ifndef GAIT_DIAGNOSE_STEP_PROBE_H
#define GAIT_DIAGNOSE_STEP_PROBE_H

#include "diagnose/facts.h"

enum { PROBE_STEPS = 20, PROBE_STEPS_MAX = 10000 };

/* Of t as it was opened: f->step, noise, precision, evaluation and checkpoint. */
void probe_training(struct training_facts *f, struct trainer *t, int64_t steps);

/* Other threads and batches, with data that are open. The settings are those of t. */
void probe_alternatives(struct training_facts *f, const struct config *config,
                        const struct dataset *data);

/* Time steps from *next on, after some to warm up; private to this folder. */
struct step_limits {
    int64_t steps;     /* at most */
    int64_t least;     /* also beyond the budget, but not beyond three times of it */
    int64_t budget_ns; /* then no other is begun; one is, always */
    int64_t warm_up;   /* steps before them, and at most a quarter of the budget */
};
enum status steps_time(struct median_interval *out, struct trainer *t, int64_t *next,
                       const struct step_limits *limits, struct step_report *last,
                       struct err *err);

#endif
