/* Attention of one new token a sequence over the keys and values of those before it. */
#include "engine/head_io.h"

/* Numbers of a head that are summed up together: places lie far apart in memory. */
enum { CACHED_NUMBERS = 64 };

ENGINE_INLINE void cached_values(number *out, const real *p, const number *v, int64_t row,
                                 int64_t n, int64_t t)
{
    real sum[CACHED_NUMBERS] = {0};
    for (int64_t t2 = 0; t2 <= t; t2++)
#pragma omp simd
        for (int64_t d = 0; d < n; d++)
            sum[d] += p[t2] * number_get(v[t2 * row + d]);
    for (int64_t d = 0; d < n; d++)
        out[d] = number_of(sum[d]);
}

ENGINE_INLINE void cached_head(const struct attention *a, number *out, real *p,
                               const number *q, const number *k, const number *v,
                               int64_t t)
{
    int64_t D = a->D, row = a->G * D;
    real scale = 1 / real_sqrt((real)D);
    for (int64_t t2 = 0; t2 <= t; t2++) {
        real sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t d = 0; d < D; d++)
            sum += number_get(q[d]) * number_get(k[t2 * row + d]);
        p[t2] = sum * scale;
    }
    softmax_in_place(p, t + 1);
    for (int64_t d = 0; d < D; d += CACHED_NUMBERS)
        cached_values(out + d, p, v + d, row,
                      D - d < CACHED_NUMBERS ? D - d : CACHED_NUMBERS, t);
}

ENGINE_CLONES
static void ref_attention_cached(const struct attention *a, act *out, act *k_cache,
                                 act *v_cache, real *scores, const act *qkv, int64_t t)
{
    int64_t T = a->T, D = a->D, H = a->H, G = a->G, share = H / G;
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t b = 0; b < a->B; b++) {
        for (int64_t g = 0; g < G; g++) {
            const number *q = numbers_of(qkv) + b * attention_row(a);
            number *k = numbers(k_cache) + (b * T * G + g) * D;
            number *v = numbers(v_cache) + (b * T * G + g) * D;
            memcpy(k + t * G * D, q + (H + g) * D, (size_t)D * sizeof *k);
            memcpy(v + t * G * D, q + (H + G + g) * D, (size_t)D * sizeof *v);
            for (int64_t h = g * share; h < (g + 1) * share; h++)
                cached_head(a, numbers(out) + (b * H + h) * D, scores + (b * H + h) * T,
                            q + h * D, k, v, t);
        }
    }
}
