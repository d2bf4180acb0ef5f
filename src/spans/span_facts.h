/* What the sweep asks of every span. Private to run. */
#ifndef GAIT_SPANS_SPAN_FACTS_H
#define GAIT_SPANS_SPAN_FACTS_H

#include "run/run.h"

/* The lanes of rows that are no spans: points of memory (sweep_memory.h). They travel
 * with the spans because their order in time matters as much, and their number is as
 * little bounded. */
enum { LANE_KIND_MEMORY = LANE_KIND_COUNT };

static inline int64_t span_end_ns(const struct span *s)
{
    return s->begin_ns + s->dur_ns;
}

static inline bool span_is_device_work(const struct span *s)
{
    return span_kind_is_device_work(s->kind);
}

/* Containers (steps, phases, annotations, Python frames) say nothing about work. */
static inline bool span_is_host_work(const struct span *s)
{
    return s->kind != SPAN_KIND_STEP && s->kind != SPAN_KIND_PHASE &&
           s->kind != SPAN_KIND_ANNOTATION && s->kind != SPAN_KIND_PYTHON;
}

static inline bool span_is_blocking(const struct span *s)
{
    return s->kind == SPAN_KIND_SYNC || s->kind == SPAN_KIND_WAIT;
}

/* A call that device work of the same number answers. lane is the span's. */
static inline bool span_is_launch(const struct span *s, enum lane_kind lane)
{
    return s->correlation && lane != LANE_KIND_DEVICE &&
           (s->kind == SPAN_KIND_RUNTIME || s->kind == SPAN_KIND_SYNC);
}

/* Sums of hostile numbers stay at the largest that a run may hold. a and b are not
 * negative. */
static inline int64_t sum_saturated(int64_t a, int64_t b)
{
    int64_t sum;
    bool over = __builtin_add_overflow(a, b, &sum) || sum > RUN_TIME_MAX_NS;
    return over ? RUN_TIME_MAX_NS : sum;
}

#endif
