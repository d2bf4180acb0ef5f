/*
 * Causal self-attention without the (T, T) matrix: scores are computed a tile at a time
 * and their softmax as a running maximum m and sum l for each query,
 *   m' = max(m, max s),  l' = l e^(m - m') + sum e^(s - m'),  o' = o e^(m - m') + e^(s -
 * m') v, out = o / l and lse = m + log l in the end. The backward pass computes each tile
 * again from lse. Memory grows with T, and no mask is built: tiles above the diagonal are
 * never visited, the ones on it compare indices.
 *
 * Keys are transposed once per head, tile by tile: a tile is then contiguous and stays in
 * the first-level cache whatever T is.
 */
#ifndef GAIT_ENGINE_TILED_ATTENTION_H
#define GAIT_ENGINE_TILED_ATTENTION_H

#include "engine/dropout_mask.h"
#include "engine/head_io.h"
#include "engine/tile_product.h"
#include "engine/transpose.h"

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

/* Matrices that will not be filled up to their padding begin with zeros. */
ENGINE_INLINE void clear_padding(real *first, int64_t matrices, const struct attention *a,
                                 struct tiled_sizes z)
{
    if (z.T != a->T || z.D != a->D)
        memset(first, 0, (size_t)(matrices * z.matrix) * sizeof *first);
}

/* --- keys and values, transposed --- */

enum { SQUARE = 8 }; /* of f32, a vector of AVX2; AVX-512 has them too */
typedef real square_row __attribute__((vector_size(SQUARE * sizeof(real))));
DEFINE_TRANSPOSE(square_transpose, square_row, 8)

/* to: a tile (D, TILE_K); from: some tokens, rows `row` apart. */
ENGINE_INLINE void load_square(real *to, const number *from, int64_t row)
{
    square_row v[SQUARE];
#pragma GCC unroll 8
    for (int t = 0; t < SQUARE; t++) {
        real one[SQUARE];
#pragma omp simd
        for (int d = 0; d < SQUARE; d++)
            one[d] = number_get(from[t * row + d]);
        memcpy(&v[t], one, sizeof one);
    }
    square_transpose(v);
#pragma GCC unroll 8
    for (int d = 0; d < SQUARE; d++)
        memcpy(to + d * TILE_K, &v[d], sizeof v[d]);
}

/* n tokens as tiles, each (D, TILE_K); tokens and numbers that are not there stay as they
 * are. */
ENGINE_INLINE void load_tiles(real *tiles, struct tiled_sizes z, const number *from,
                              int64_t row, int64_t n, int64_t D)
{
    for (int64_t t = 0; t < n; t += SQUARE) {
        real *to = tiles + t / TILE_K * TILE_K * z.D + t % TILE_K;
        const bool whole = t + SQUARE <= n;
        for (int i = 0; i < SQUARE; i++)
            head_prefetch(from, row, t + i, n, D);
        int64_t d = 0;
        for (; whole && d + SQUARE <= D; d += SQUARE)
            load_square(to + d * TILE_K, from + t * row + d, row);
        for (; d < D; d++)
            for (int64_t i = 0; i < SQUARE && t + i < n; i++)
                to[d * TILE_K + i] = number_get(from[(t + i) * row + d]);
    }
}

/* --- a tile --- */

/* Keys of this tile that query t may see. */
ENGINE_INLINE int64_t visible_keys(int64_t t, int64_t j0)
{
    int64_t n = t - j0 + 1;
    return n < 0 ? 0 : n < TILE_K ? n : TILE_K;
}

/* Keys that any of n queries from t0 on may see, in whole vectors: more are not computed. */
ENGINE_INLINE int64_t tile_width(int64_t t0, int64_t n, int64_t j0)
{
    return padded(visible_keys(t0 + n - 1, j0), TILE_LANES);
}

/* Scores of a tile: s = q k^T / sqrt(D); kt is a transposed tile. */
ENGINE_INLINE void tile_scores(real *s, const real *q, const real *kt, int64_t width,
                               struct tiled_sizes z)
{
    tile_product(s, TILE_K, q, z.D, 1, kt, TILE_K, TILE_Q, width, z.D, false);
}

/* Of a row, lane by lane first: a single sum would wait for each of its terms. */
ENGINE_INLINE real row_max(const real *s, int64_t width)
{
    real top[TILE_LANES];
    memcpy(top, s, sizeof top);
    for (int64_t j = TILE_LANES; j < width; j += TILE_LANES)
#pragma omp simd
        for (int i = 0; i < TILE_LANES; i++)
            top[i] = s[j + i] > top[i] ? s[j + i] : top[i];
    for (int half = TILE_LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            top[i] = top[i + half] > top[i] ? top[i + half] : top[i];
    return top[0];
}

ENGINE_INLINE real row_sum(const real *s, int64_t width)
{
    real sum[TILE_LANES];
    memcpy(sum, s, sizeof sum);
    for (int64_t j = TILE_LANES; j < width; j += TILE_LANES)
#pragma omp simd
        for (int i = 0; i < TILE_LANES; i++)
            sum[i] += s[j + i];
    for (int half = TILE_LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            sum[i] += sum[i + half];
    return sum[0];
}

/* Scores of keys that a query does not see. */
ENGINE_INLINE void fill_unseen(real *s, int64_t t0, int64_t n, int64_t j0, int64_t width,
                               real value)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = visible_keys(t0 + i, j0); j < width; j++)
            s[i * TILE_K + j] = value;
}

/* All rows of a tile: s becomes e^(s - m'), o and l are scaled to m'. One pass after
 * another, so that rows do not wait for each other. */
ENGINE_INLINE void online_softmax(real *s, real *o, real *m, real *l, int64_t t0,
                                  int64_t n, int64_t j0, int64_t width, int64_t D)
{
    real max[TILE_Q], shrink[TILE_Q];
    fill_unseen(s, t0, n, j0, width, -INFINITY);
    for (int64_t i = 0; i < n; i++)
        max[i] = row_max(s + i * TILE_K, width);
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        max[i] = max[i] > m[i] ? max[i] : m[i];
        shrink[i] = l[i] > 0 ? real_exp(m[i] - max[i]) : 0;
        m[i] = max[i];
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < width; j += TILE_LANES)
#pragma omp simd
            for (int64_t k = i * TILE_K + j; k < i * TILE_K + j + TILE_LANES; k++)
                s[k] = real_exp(s[k] - max[i]);
    fill_unseen(s, t0, n, j0, width, 0);
    for (int64_t i = 0; i < n; i++)
        l[i] = l[i] * shrink[i] + row_sum(s + i * TILE_K, width);
    for (int64_t i = 0; i < n && j0 > 0; i++)
#pragma omp simd
        for (int64_t d = 0; d < D; d++)
            o[i * D + d] *= shrink[i];
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
        const int64_t width = tile_width(t0, n, j0);
        tile_scores(s, q, kt + j0 * z.D, width, z);
        online_softmax(s, o, m, l, t0, n, j0, width, z.D);
        for (int64_t i = 0; i < n && a->dropout.probability > 0; i++)
            drop_row(s + i * TILE_K, a, b, h, t0 + i, j0, visible_keys(t0 + i, j0));
        tile_product(o, z.D, s, TILE_K, 1, v + j0 * z.D, z.D, TILE_Q, z.D, width, true);
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
#pragma omp parallel
#pragma omp for collapse(2) schedule(dynamic, 1)
    for (int64_t b = 0; b < a->B; b++) {
        for (int64_t g = 0; g < G; g++) {
            real *kt = scratch_of_thread(scratch, z.per_thread), *v = kt + z.matrix;
            real *q = v + z.matrix, *o = q + TILE_Q * z.D, *s = o + TILE_Q * z.D;
            clear_padding(kt, 2, a, z);
            load_tiles(kt, z, qkv_head(a, qkv, b, H + g), row, T, D);
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
