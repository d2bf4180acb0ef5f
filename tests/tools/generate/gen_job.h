/*
 * The job that is modelled: data-parallel training of a transformer. A step waits for
 * data, copies it, runs forward and backward with all-reduces beside it, clips gradients,
 * updates the weights and waits for the device.
 *
 * Several ranks: rank r computes extra_ns(r, step) longer before its first collective
 * than the fastest possible rank; a collective ends for all at once, when the slowest has
 * come. Behind the last collective all ranks wait for its end, so their steps are equally
 * long.
 */
#ifndef GAIT_TESTS_GEN_JOB_H
#define GAIT_TESTS_GEN_JOB_H

#include "gen_plan.h"

struct job {
    const struct gen_options *o;
    int64_t rank;
    const int64_t *slowest_ns; /* (steps) the largest extra_ns of any rank; not owned */
    struct plan plan;
    int64_t overhang_until_ns; /* a kernel of the step before runs until then; 0: none */
};

int64_t job_extra_ns(const struct gen_options *o, int64_t rank, int64_t step);
/* Clock of this rank minus true time. */
int64_t job_clock_offset_ns(const struct gen_options *o, int64_t rank);

void job_init(struct job *j, const struct gen_options *o, int64_t rank,
              const int64_t *slowest_ns, struct answers *sum);
void job_release(struct job *j);

/* Steps in order, from -1 (what comes before the first) on; afterwards j->plan.event
 * holds them. true time begins at 0. */
void job_plan_step(struct job *j, int64_t step);
/* After the last: the main frame ends. */
void job_finish(struct job *j);

#endif
