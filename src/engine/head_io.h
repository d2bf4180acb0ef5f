/* The heads of a qkv tensor and of an output, as f32 matrices in a thread's scratch. */
#ifndef GAIT_ENGINE_HEAD_IO_H
#define GAIT_ENGINE_HEAD_IO_H

#include "engine/number.h"

#include <omp.h>
#include <string.h>

/* Where the numbers of head `head` begin at token 0 of sequence b: heads 0 … H - 1 are
 * queries, then G of keys, then G of values. */
ENGINE_INLINE const number *qkv_head(const struct attention *a, const act *qkv, int64_t b,
                                     int64_t head)
{
    return numbers_of(qkv) + b * a->T * attention_row(a) + head * a->D;
}

/* Rows of a head lie on different pages, which no hardware prefetcher crosses. */
enum { HEAD_AHEAD = 12, HEAD_LINE = 64 / sizeof(number) };

ENGINE_INLINE void head_prefetch(const number *from, int64_t row, int64_t t, int64_t n,
                                 int64_t D)
{
    for (int64_t d = 0; t + HEAD_AHEAD < n && d < D; d += HEAD_LINE)
        __builtin_prefetch(from + (t + HEAD_AHEAD) * row + d);
}

/* to (n, D), rows `stride` apart, from rows `row` apart */
ENGINE_INLINE void head_load(real *to, int64_t stride, const number *from, int64_t row,
                             int64_t n, int64_t D)
{
    for (int64_t t = 0; t < n; t++) {
        head_prefetch(from, row, t, n, D);
#pragma omp simd
        for (int64_t d = 0; d < D; d++)
            to[t * stride + d] = number_get(from[t * row + d]);
    }
}

/* The same transposed: to (D, n), rows `stride` apart. */
ENGINE_INLINE void head_load_transposed(real *to, int64_t stride, const number *from,
                                        int64_t row, int64_t n, int64_t D)
{
    for (int64_t t = 0; t < n; t++)
        for (int64_t d = 0; d < D; d++)
            to[d * stride + t] = number_get(from[t * row + d]);
}

ENGINE_INLINE void head_store(number *to, int64_t row, const real *from, int64_t stride,
                              int64_t n, int64_t D)
{
    for (int64_t t = 0; t < n; t++) {
        head_prefetch(to, row, t, n, D);
#pragma omp simd
        for (int64_t d = 0; d < D; d++)
            to[t * row + d] = number_of(from[t * stride + d]);
    }
}

/* A thread's part of the scratch. */
ENGINE_INLINE real *scratch_of_thread(void *scratch, int64_t numbers_each)
{
    return (real *)scratch + omp_get_thread_num() * numbers_each;
}

#endif
