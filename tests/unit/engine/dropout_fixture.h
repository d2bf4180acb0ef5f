/* Dropout by its definition: number `index` of a tensor is dropped where the 32 bits that
 * Philox draws for it are below the probability. */
#ifndef GAIT_TESTS_DROPOUT_FIXTURE_H
#define GAIT_TESTS_DROPOUT_FIXTURE_H

#include "kernel_fixture.h"

#include <Random123/philox.h>

static inline double dropout_factor(const struct dropout *d, uint64_t index)
{
    if (d->probability == 0)
        return 1;
    philox4x32_ctr_t place = {
        {(uint32_t)(index / 4), (uint32_t)(index / 4 >> 32), d->site, d->position}};
    philox4x32_key_t key = {{(uint32_t)d->seed, (uint32_t)(d->seed >> 32)}};
    double drawn = (double)philox4x32(place, key).v[index % 4] / 4294967296.0;
    return drawn < d->probability ? 0 : 1 / (1 - d->probability);
}

/* The same for a number of the attention matrix: rows of it begin at multiples of 4. */
static inline double attention_factor(const struct attention *a, int64_t b, int64_t h,
                                      int64_t t, int64_t t2)
{
    int64_t row = (a->T + 3) / 4 * 4;
    return dropout_factor(&a->dropout,
                          (uint64_t)(((b * a->H + h) * a->T + t) * row + t2));
}

#endif
