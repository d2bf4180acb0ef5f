/* The factors that dropout multiplies numbers with: 0, or 1 / (1 - probability). */
#ifndef GAIT_ENGINE_DROPOUT_MASK_H
#define GAIT_ENGINE_DROPOUT_MASK_H

#include "engine/ops.h"

#include <Random123/philox.h>

/* Numbers that one draw decides. Runs of indices begin at a multiple of it. */
enum { DROPOUT_GROUP = 4 };

/* factor[i] for the numbers first … first + n - 1. */
static inline void dropout_factors(real *factor, const struct dropout *d, uint64_t first,
                                   int64_t n)
{
    const philox4x32_key_t key = {{(uint32_t)d->seed, (uint32_t)(d->seed >> 32)}};
    const uint32_t dropped_below = (uint32_t)(d->probability * 4294967296.0);
    const real kept = (real)(1 / (1 - d->probability));
    for (int64_t i = 0; i < n; i += DROPOUT_GROUP) {
        uint64_t group = (first + (uint64_t)i) / DROPOUT_GROUP;
        philox4x32_ctr_t counter = {
            {(uint32_t)group, (uint32_t)(group >> 32), d->site, d->position}};
        philox4x32_ctr_t bits = philox4x32(counter, key);
        for (int64_t k = 0; k < DROPOUT_GROUP && i + k < n; k++)
            factor[i + k] = bits.v[k] < dropped_below ? 0 : kept;
    }
}

/* Where row t of the attention matrix of (b, h) begins among dropout's indices. */
static inline uint64_t attention_dropout_index(const struct attention *a, int64_t b,
                                               int64_t h, int64_t t)
{
    uint64_t row = ((uint64_t)a->T + 3) / 4 * 4; /* whole groups of DROPOUT_GROUP */
    return (((uint64_t)b * (uint64_t)a->H + (uint64_t)h) * (uint64_t)a->T + (uint64_t)t) *
           row;
}

#endif
