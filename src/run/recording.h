/*
 * One rank's spans while they are being reduced: sorted by lane, begin, -duration, seq,
 * so that a lane is one slice and a caller stands before those it calls. Private to run;
 * reduce.c is the conductor.
 */
#ifndef GAIT_RUN_RECORDING_H
#define GAIT_RUN_RECORDING_H

#include "run/run.h"

struct recording {
    struct run *run;   /* names, lanes and ranks of the rank are in it already */
    int32_t rank;      /* row */
    struct span *span; /* (n) lane and name are the run's */
    size_t n;
    size_t first_step; /* the rank's steps are rows first_step … run->steps.table.n - 1 */
    int32_t main_lane; /* where the steps are marked, or -1 */
};

static inline int64_t span_end_ns(const struct span *s)
{
    return s->begin_ns + s->dur_ns;
}

static inline bool span_is_device_work(const struct span *s)
{
    return s->kind == SPAN_KIND_KERNEL || s->kind == SPAN_KIND_COLLECTIVE ||
           s->kind == SPAN_KIND_COPY || s->kind == SPAN_KIND_SET;
}

/* Sums of hostile numbers stay at the largest that a run may hold. a and b are not
 * negative. */
static inline int64_t sum_saturated(int64_t a, int64_t b)
{
    int64_t sum;
    bool over = __builtin_add_overflow(a, b, &sum) || sum > RUN_TIME_MAX_NS;
    return over ? RUN_TIME_MAX_NS : sum;
}

void recording_sort(struct recording *rec);
/* The slice of one lane that begins at `from`: returns its end. */
size_t recording_lane_end(const struct recording *rec, size_t from);

void recording_find_steps(struct recording *rec); /* steps, span.step, phases */
void recording_sum_ops(struct recording *rec);
void recording_split_time(struct recording *rec);
/* Adds to run->spans what is kept and to run->edges the launches between kept spans. */
void recording_keep(struct recording *rec, size_t keep_spans);

#endif
