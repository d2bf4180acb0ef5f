/* What a training used, gathered step by step. */
#ifndef GAIT_TRAIN_USAGE_H
#define GAIT_TRAIN_USAGE_H

#include "train/train.h"
#include "train/trainer.h"

struct usage {
    bool begun;             /* the first step is over */
    int64_t steps, wall_ns; /* from the second step on */
    int64_t cpu_ns;         /* of this process, during them */
    int64_t phase_ns[PHASE_COUNT];
    int64_t phase_before_ns[PHASE_COUNT]; /* after the step before */
    int64_t evaluate_ns, save_ns;
};

void usage_begin(struct usage *u);
/* A step took dur_ns; call right after it. */
void usage_step(struct usage *u, const struct trainer *t, int64_t dur_ns);
void usage_result(const struct usage *u, const struct trainer *t,
                  struct train_usage *out);

/* The most this process has had in memory so far; NAN where the kernel does not say. */
double usage_peak_rss_bytes(void);

#endif
