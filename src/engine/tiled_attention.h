/*
 * Causal self-attention without the (T, T) matrix: scores are computed a tile at a time
 * and their softmax as a running maximum m and sum l for each query,
 *   m' = max(m, max s),  l' = l e^(m - m') + sum e^(s - m'),  o' = o e^(m - m') + e^(s -
 * m') v, out = o / l and lse = m + log l in the end. The backward pass computes each tile
 * again from lse. Memory grows with T, and no mask is built: tiles above the diagonal are
 * never visited, the ones on it compare indices.
 */
#ifndef GAIT_ENGINE_TILED_ATTENTION_H
#define GAIT_ENGINE_TILED_ATTENTION_H

#include "engine/dropout_mask.h"
#include "engine/head_io.h"
#include "engine/tile_product.h"

enum { TILE_Q = 32, TILE_K = 64 };

/* T and D with their padding. */
ENGINE_INLINE int64_t padded(int64_t n, int64_t multiple)
{
    return (n + multiple - 1) / multiple * multiple;
}

struct tiled_sizes {
    int64_t T, D;       /* padded */
    int64_t matrix;     /* T * D */
    int64_t per_thread; /* numbers of scratch */
};

/* Five matrices of all tokens; of a tile of queries: q, dout and an accumulator; two
 * tiles of scores, one of dropout's factors, and rows for m, l and delta. */
ENGINE_INLINE struct tiled_sizes tiled_sizes(const struct attention *a)
{
    struct tiled_sizes s = {padded(a->T, TILE_K), padded(a->D, TILE_LANES), 0, 0};
    s.matrix = s.T * s.D;
    s.per_thread =
        5 * s.matrix + 3 * TILE_Q * s.D + 3 * TILE_Q * TILE_K + 3 * TILE_Q + TILE_LANES;
    return s;
}

static size_t tiled_attention_scratch_bytes(const struct attention *a, int threads)
{
    return (size_t)threads * (size_t)tiled_sizes(a).per_thread * sizeof(real);
}

static int64_t tiled_attention_kept(const struct attention *a)
{
    (void)a;
    return 0;
}

/* Scores of a tile: s = q k^T / sqrt(D); queries t0 …, keys j0 …; kt is (D, T). */
ENGINE_INLINE void tile_scores(real *s, const real *q, const real *kt, int64_t j0,
                               struct tiled_sizes z)
{
    memset(s, 0, TILE_Q * TILE_K * sizeof *s);
    tile_product(s, TILE_K, q, z.D, 1, kt + j0, z.T, TILE_Q, TILE_K, z.D);
}

/* Keys of this tile that query t may see. */
ENGINE_INLINE int64_t visible_keys(int64_t t, int64_t j0)
{
    int64_t n = t - j0 + 1;
    return n < 0 ? 0 : n < TILE_K ? n : TILE_K;
}

/* One row of a tile: s becomes e^(s - m'), o and l are scaled to m'. */
ENGINE_INLINE void online_softmax_row(real *s, real *o, real *m, real *l, int64_t n,
                                      int64_t D)
{
    real max = *m, sum = 0;
#pragma omp simd reduction(max : max)
    for (int64_t j = 0; j < n; j++)
        max = s[j] > max ? s[j] : max;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < n; j++) {
        s[j] = real_exp(s[j] - max);
        sum += s[j];
    }
    for (int64_t j = n; j < TILE_K; j++)
        s[j] = 0;
    real shrink = *l > 0 ? real_exp(*m - max) : 0;
    if (shrink != 1) {
#pragma omp simd
        for (int64_t d = 0; d < D; d++)
            o[d] *= shrink;
    }
    *l = *l * shrink + sum;
    *m = max;
}

/* Multiply row t's probabilities for keys j0 … with dropout's factors. */
ENGINE_INLINE void drop_row(real *p, const struct attention *a, int64_t b, int64_t h,
                            int64_t t, int64_t j0, int64_t n)
{
    real factor[TILE_K];
    dropout_factors(factor, &a->dropout,
                    attention_dropout_index(a, b, h, t) + (uint64_t)j0, n);
    for (int64_t j = 0; j < n; j++)
        p[j] *= factor[j];
}

/* Queries t0 … t0 + n - 1 of one head. */
ENGINE_INLINE void tile_forward(const struct attention *a, int64_t b, int64_t h,
                                int64_t t0, int64_t n, real *o, real *lse, real *q,
                                real *s, const real *kt, const real *v,
                                struct tiled_sizes z)
{
    real m[TILE_Q], l[TILE_Q];
    for (int64_t i = 0; i < TILE_Q; i++) {
        m[i] = -INFINITY; /* so that scores of -Inf become NaN, as in plain attention */
        l[i] = 0;
    }
    memset(o, 0, (size_t)(TILE_Q * z.D) * sizeof *o);
    for (int64_t j0 = 0; j0 < t0 + n; j0 += TILE_K) {
        tile_scores(s, q, kt, j0, z);
        for (int64_t i = 0; i < n; i++) {
            int64_t seen = visible_keys(t0 + i, j0);
            online_softmax_row(s + i * TILE_K, o + i * z.D, &m[i], &l[i], seen, z.D);
            if (a->dropout.probability > 0)
                drop_row(s + i * TILE_K, a, b, h, t0 + i, j0, seen);
        }
        tile_product(o, z.D, s, TILE_K, 1, v + j0 * z.D, z.D, TILE_Q, z.D, TILE_K);
    }
    for (int64_t i = 0; i < n; i++) {
        real inverse = 1 / l[i];
        for (int64_t d = 0; d < z.D; d++)
            o[i * z.D + d] *= inverse;
        lse[t0 + i] = m[i] + real_log(l[i]);
    }
}

/* Load n queries scaled by 1 / sqrt(D); the rows behind them are 0. */
ENGINE_INLINE void load_queries(const struct attention *a, real *q, const number *from,
                                int64_t n, int64_t stride)
{
    real scale = 1 / real_sqrt((real)a->D);
    memset(q, 0, (size_t)(TILE_Q * stride) * sizeof *q);
    head_load(q, stride, from, attention_row(a), n, a->D);
    for (int64_t i = 0; i < n * stride; i++)
        q[i] *= scale;
}

ENGINE_CLONES
static void tiled_attention_forward(const struct attention *a, act *out, real *lse,
                                    act *att, void *scratch, const act *qkv)
{
    struct tiled_sizes z = tiled_sizes(a);
    int64_t T = a->T, D = a->D, H = a->H, G = a->G, share = H / G;
    int64_t row = attention_row(a);
    (void)att;
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t b = 0; b < a->B; b++) {
        for (int64_t g = 0; g < G; g++) {
            real *kt = scratch_of_thread(scratch, z.per_thread), *v = kt + z.matrix;
            real *q = v + z.matrix, *o = q + TILE_Q * z.D, *s = o + TILE_Q * z.D;
            memset(kt, 0, (size_t)(2 * z.matrix) * sizeof *kt);
            head_load_transposed(kt, z.T, qkv_head(a, qkv, b, H + g), row, T, D);
            head_load(v, z.D, qkv_head(a, qkv, b, H + G + g), row, T, D);
            for (int64_t h = g * share; h < (g + 1) * share; h++) {
                for (int64_t t0 = 0; t0 < T; t0 += TILE_Q) {
                    int64_t n = T - t0 < TILE_Q ? T - t0 : TILE_Q;
                    load_queries(a, q, qkv_head(a, qkv, b, h) + t0 * row, n, z.D);
                    tile_forward(a, b, h, t0, n, o, lse + (b * H + h) * T, q, s, kt, v,
                                 z);
                    head_store(numbers(out) + ((b * T + t0) * H + h) * D, H * D, o, z.D,
                               n, D);
                }
            }
        }
    }
}

#endif
