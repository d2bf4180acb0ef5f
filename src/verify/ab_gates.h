/*
 * Gates of what was measured in turns on this machine: two configs (proof.h), or two
 * PyTorch jobs, which carry recordings of their first steps beside it.
 */
#ifndef GAIT_VERIFY_AB_GATES_H
#define GAIT_VERIFY_AB_GATES_H

#include "verify/ab_time.h"
#include "verify/targets.h"
#include "verify/verify.h"

/* Before (0) and after (1). */
struct ab_measured {
    struct ab_time time;
    int64_t steps[2];     /* timed */
    double bytes[2];      /* peak of memory; 0: not known */
    const char *bytes_of; /* what it is; NULL: not of both the same */
};

void ab_gate_time(struct verify_result *out, const struct ab_measured *m, double allowed);
void ab_gate_memory(struct verify_result *out, const struct ab_measured *m, double most);

/* Two jobs: the gates of what was measured, and those of two recordings on losses,
 * gradients and movement. Targets that are NAN have the defaults of docs/verify.md. */
void verify_jobs(struct verify_result *out, const struct ab_measured *m,
                 const struct run *before, const struct run *after,
                 const struct targets *targets);

#endif
