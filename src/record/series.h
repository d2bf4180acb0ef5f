/* Figures that are collected one by one for their median. Private to record. */
#ifndef GAIT_RECORD_SERIES_H
#define GAIT_RECORD_SERIES_H

#include "base/mem.h"
#include "base/stats.h"

#include <math.h>

struct series {
    double *v; /* (n); the owner frees it */
    size_t n, cap;
};

static inline void series_add(struct series *s, double v)
{
    vec_grow(s->v, s->cap, s->n + 1);
    s->v[s->n++] = v;
}

/* NAN of nothing. */
static inline double series_median(const struct series *s)
{
    return s->n ? stats_median(s->v, s->n) : NAN;
}

#endif
