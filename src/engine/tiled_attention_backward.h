/*
 * The backward pass of tiled attention: each tile's probabilities are computed again from
 * lse, p = e^(s - lse). With delta = dout . out for each query (which equals the sum of
 * p dp), dp = dout v^T and ds = p (dp - delta):
 *   dv += p^T dout,   dk += ds^T q / sqrt(D),   dq += ds k / sqrt(D).
 */
#include "engine/tiled_attention.h"

/* What one thread holds while it works on one group of heads. */
struct tiled_group {
    real *kt, *vt;     /* (T / TILE_K, D, TILE_K) */
    real *k, *dk, *dv; /* (T, D) */
    real *q, *d, *dq;  /* (TILE_Q, D): queries, gradient of out, gradient of q */
    real *p, *ds;      /* (TILE_Q, TILE_K) */
    real *delta;       /* (TILE_Q) */
};

ENGINE_INLINE struct tiled_group tiled_group(real *first, struct tiled_sizes z)
{
    struct tiled_group g;
    real *tile = first + 5 * z.matrix, *scores = tile + 3 * TILE_Q * z.D;
    g.kt = first;
    g.vt = first + z.matrix;
    g.k = first + 2 * z.matrix;
    g.dk = first + 3 * z.matrix;
    g.dv = first + 4 * z.matrix;
    g.q = tile;
    g.d = tile + TILE_Q * z.D;
    g.dq = tile + 2 * TILE_Q * z.D;
    g.p = scores;
    g.ds = scores + TILE_Q * TILE_K;
    g.delta = scores + 3 * TILE_Q * TILE_K;
    return g;
}

/* Row i of p and ds from scores and dp: what dropout took has no gradient. */
ENGINE_INLINE void tile_backward_row(real *p, real *ds, real lse, real delta,
                                     const real *factor, int64_t seen, int64_t width)
{
    for (int64_t first = 0; first < width; first += TILE_LANES)
#pragma omp simd
        for (int64_t j = first; j < first + TILE_LANES; j++) {
            real prob = real_exp(p[j] - lse);
            p[j] = prob * factor[j];
            ds[j] = prob * (ds[j] * factor[j] - delta);
        }
    for (int64_t j = seen; j < width; j++) {
        p[j] = 0;
        ds[j] = 0;
    }
}

ENGINE_INLINE void tile_backward(const struct attention *a, int64_t b, int64_t h,
                                 int64_t t0, int64_t n, int64_t j0, const real *lse,
                                 const struct tiled_group *g, struct tiled_sizes z)
{
    real factor[TILE_K];
    for (int64_t j = 0; j < TILE_K; j++)
        factor[j] = 1;
    const int64_t width = tile_width(t0, n, j0);
    tile_scores(g->p, g->q, g->kt + j0 * z.D, width, z);
    tile_scores(g->ds, g->d, g->vt + j0 * z.D, width, z);
    for (int64_t i = 0; i < n; i++) {
        int64_t seen = visible_keys(t0 + i, j0);
        if (a->dropout.probability > 0)
            dropout_factors(factor, &a->dropout,
                            attention_dropout_index(a, b, h, t0 + i) + (uint64_t)j0,
                            seen);
        tile_backward_row(g->p + i * TILE_K, g->ds + i * TILE_K, lse[t0 + i], g->delta[i],
                          factor, seen, width);
    }
    for (int64_t i = n * TILE_K; i < TILE_Q * TILE_K; i++)
        g->p[i] = g->ds[i] = 0;
    tile_product(g->dv + j0 * z.D, z.D, g->p, 1, TILE_K, g->d, z.D, width, z.D, TILE_Q,
                 true);
    tile_product(g->dk + j0 * z.D, z.D, g->ds, 1, TILE_K, g->q, z.D, width, z.D, TILE_Q,
                 true);
    tile_product(g->dq, z.D, g->ds, TILE_K, 1, g->k + j0 * z.D, z.D, TILE_Q, z.D, width,
                 true);
}

/* Queries t0 … of one head against all keys before them. q is scaled already, so dk needs
 * no factor; dq does. */
ENGINE_INLINE void queries_backward(const struct attention *a, int64_t b, int64_t h,
                                    int64_t t0, int64_t n, act *dqkv, const act *dout,
                                    const act *out, const act *qkv, const real *lse,
                                    const struct tiled_group *g, struct tiled_sizes z)
{
    int64_t row = attention_row(a), D = a->D, H = a->H;
    int64_t at = ((b * a->T + t0) * H + h) * D;
    real scale = 1 / real_sqrt((real)D);
    load_queries(a, g->q, qkv_head(a, qkv, b, h) + t0 * row, n, z.D);
    memset(g->d, 0, (size_t)(TILE_Q * z.D) * sizeof *g->d);
    head_load(g->d, z.D, numbers_of(dout) + at, H * D, n, D);
    for (int64_t i = 0; i < n; i++) {
        const number *o = numbers_of(out) + at + i * H * D;
        real sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t d = 0; d < D; d++)
            sum += g->d[i * z.D + d] * number_get(o[d]);
        g->delta[i] = sum;
    }
    memset(g->dq, 0, (size_t)(TILE_Q * z.D) * sizeof *g->dq);
    for (int64_t j0 = 0; j0 < t0 + n; j0 += TILE_K)
        tile_backward(a, b, h, t0, n, j0, lse + (b * H + h) * a->T, g, z);
    for (int64_t i = 0; i < n * z.D; i++)
        g->dq[i] *= scale;
    head_store(numbers(dqkv) + (b * a->T + t0) * row + h * D, row, g->dq, z.D, n, D);
}

ENGINE_CLONES
static void tiled_attention_backward(const struct attention *a, act *dqkv, void *scratch,
                                     const act *dout, const act *out, const act *qkv,
                                     const real *lse, const act *att)
{
    struct tiled_sizes z = tiled_sizes(a);
    int64_t T = a->T, D = a->D, H = a->H, G = a->G, share = H / G;
    int64_t row = attention_row(a);
    (void)att;
#pragma omp parallel
#pragma omp for collapse(2) schedule(dynamic, 1)
    for (int64_t b = 0; b < a->B; b++) {
        for (int64_t g = 0; g < G; g++) {
            real *first = scratch_of_thread(scratch, z.per_thread);
            struct tiled_group s = tiled_group(first, z);
            number *to = numbers(dqkv) + b * T * row;
            clear_padding(s.kt, 3, a, z);
            memset(s.dk, 0, (size_t)(2 * z.matrix) * sizeof *s.dk);
            head_load(s.k, z.D, qkv_head(a, qkv, b, H + g), row, T, D);
            load_tiles(s.kt, z, qkv_head(a, qkv, b, H + g), row, T, D);
            load_tiles(s.vt, z, qkv_head(a, qkv, b, H + G + g), row, T, D);
            for (int64_t h = g * share; h < (g + 1) * share; h++)
                for (int64_t t0 = 0; t0 < T; t0 += TILE_Q)
                    queries_backward(a, b, h, t0, T - t0 < TILE_Q ? T - t0 : TILE_Q, dqkv,
                                     dout, out, qkv, lse, &s, z);
            head_store(to + (H + g) * D, row, s.dk, z.D, T, D);
            head_store(to + (H + G + g) * D, row, s.dv, z.D, T, D);
        }
    }
}
