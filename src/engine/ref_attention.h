/*
 * Causal self-attention, plain: for head h of sequence b, with q_t, k_t and v_t the D
 * numbers at token t,
 *   s[t][t2] = q_t . k_t2 / sqrt(D)   for t2 <= t
 *   p[t]     = softmax(s[t])          kept in att for the backward pass
 *   out_t    = sum over t2 of p[t][t2] v_t2
 * One thread computes all heads that share keys and values, so that their gradients are
 * summed in one order.
 */
#include "engine/dropout_mask.h"
#include "engine/head_io.h"
#include "engine/memory_plan.h"

/* a += factor * b */
ENGINE_INLINE void add_scaled(real *restrict a, real factor, const real *restrict b,
                              int64_t n)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        a[i] += factor * b[i];
}

/* out[t2] = factor * (a . x_t2) for t2 < n, with x transposed: (D, T) */
ENGINE_INLINE void row_of_dots(real *restrict out, real factor, const real *a,
                               const real *restrict x, int64_t D, int64_t T, int64_t n)
{
    memset(out, 0, (size_t)n * sizeof *out);
    for (int64_t d = 0; d < D; d++)
        add_scaled(out, factor * a[d], x + d * T, n);
}

ENGINE_INLINE real softmax_in_place(real *p, int64_t n) /* returns log of sum of exp */
{
    real max = p[0], sum = 0;
#pragma omp simd reduction(max : max)
    for (int64_t i = 1; i < n; i++)
        max = p[i] > max ? p[i] : max;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) {
        p[i] = real_exp(p[i] - max);
        sum += p[i];
    }
    real inverse = 1 / sum;
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        p[i] *= inverse;
    return max + real_log(sum);
}

/* A thread's scratch: five (T, D) matrices, two rows of T, four of D. */
ENGINE_INLINE int64_t plain_scratch_numbers(const struct attention *a)
{
    return 5 * a->T * a->D + 3 * a->T + 4 * a->D;
}

static size_t ref_attention_scratch_bytes(const struct attention *a, int threads)
{
    return (size_t)threads * (size_t)plain_scratch_numbers(a) * sizeof(real);
}

static int64_t ref_attention_kept(const struct attention *a)
{
    return PLAN_COUNT(a->B, a->H, a->T, a->T);
}

ENGINE_INLINE void plain_head_forward(const struct attention *a, int64_t b, int64_t h,
                                      number *out, real *lse, number *att,
                                      const number *q, const real *kt, const real *v,
                                      real *rows)
{
    int64_t T = a->T, D = a->D;
    real *p = rows, *factor = p + T, *qt = factor + T, *o = qt + D;
    real scale = 1 / real_sqrt((real)D);
    for (int64_t t = 0; t < T; t++) {
        head_load(qt, D, q + t * attention_row(a), 0, 1, D);
        row_of_dots(p, scale, qt, kt, D, T, t + 1);
        lse[t] = softmax_in_place(p, t + 1);
        head_store(att + t * T, 0, p, 0, 1, t + 1);
        if (a->dropout.probability > 0) {
            dropout_factors(factor, &a->dropout, attention_dropout_index(a, b, h, t),
                            t + 1);
            for (int64_t t2 = 0; t2 <= t; t2++)
                p[t2] *= factor[t2];
        }
        memset(o, 0, (size_t)D * sizeof *o);
        for (int64_t t2 = 0; t2 <= t; t2++)
            add_scaled(o, p[t2], v + t2 * D, D);
        head_store(out + t * a->H * D, 0, o, 0, 1, D);
    }
}

ENGINE_CLONES
static void ref_attention_forward(const struct attention *a, act *out, real *lse,
                                  act *att, void *scratch, const act *qkv)
{
    int64_t T = a->T, D = a->D, H = a->H, G = a->G, share = H / G;
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t b = 0; b < a->B; b++) {
        for (int64_t g = 0; g < G; g++) {
            real *kt = scratch_of_thread(scratch, plain_scratch_numbers(a));
            real *v = kt + T * D, *rows = v + T * D;
            int64_t row = attention_row(a);
            head_load_transposed(kt, T, qkv_head(a, qkv, b, H + g), row, T, D);
            head_load(v, D, qkv_head(a, qkv, b, H + G + g), row, T, D);
            for (int64_t h = g * share; h < (g + 1) * share; h++)
                plain_head_forward(a, b, h, numbers(out) + (b * T * H + h) * D,
                                   lse + (b * H + h) * T,
                                   numbers(att) + (b * H + h) * T * T,
                                   qkv_head(a, qkv, b, h), kt, v, rows);
        }
    }
}

/* ds = p (dp - sum of p dp) / sqrt(D): the softmax's gradient, in place of dp. */
ENGINE_INLINE void softmax_backward(real *restrict dp, const real *restrict p, real scale,
                                    int64_t n)
{
    real weighted = 0;
#pragma omp simd reduction(+ : weighted)
    for (int64_t i = 0; i < n; i++)
        weighted += p[i] * dp[i];
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        dp[i] = p[i] * (dp[i] - weighted) * scale;
}

struct plain_group {
    real *vt, *k, *dk, *dv; /* vt (D, T), the others (T, D) */
    real *rows;             /* 3 T + 4 D */
};

ENGINE_INLINE void plain_head_backward(const struct attention *a, int64_t b, int64_t h,
                                       number *dq, const struct plain_group *s,
                                       const number *dout, const number *q,
                                       const number *att)
{
    int64_t T = a->T, D = a->D, row = attention_row(a);
    real *ds = s->rows, *p = ds + T, *factor = p + T;
    real *qt = factor + T, *d = qt + D, *dqt = d + D;
    real scale = 1 / real_sqrt((real)D);
    for (int64_t t = 0; t < T; t++) {
        head_load(qt, D, q + t * row, 0, 1, D);
        head_load(d, D, dout + t * a->H * D, 0, 1, D);
        head_load(p, T, att + t * T, 0, 1, t + 1);
        memset(dqt, 0, (size_t)D * sizeof *dqt);
        row_of_dots(ds, 1, d, s->vt, D, T, t + 1);
        for (int64_t t2 = 0; t2 <= t; t2++)
            factor[t2] = 1;
        if (a->dropout.probability > 0)
            dropout_factors(factor, &a->dropout, attention_dropout_index(a, b, h, t),
                            t + 1);
        for (int64_t t2 = 0; t2 <= t; t2++) {
            ds[t2] *= factor[t2];
            add_scaled(s->dv + t2 * D, p[t2] * factor[t2], d, D);
        }
        softmax_backward(ds, p, scale, t + 1);
        for (int64_t t2 = 0; t2 <= t; t2++) {
            add_scaled(dqt, ds[t2], s->k + t2 * D, D);
            add_scaled(s->dk + t2 * D, ds[t2], qt, D);
        }
        head_store(dq + t * row, 0, dqt, 0, 1, D);
    }
}

ENGINE_CLONES
static void ref_attention_backward(const struct attention *a, act *dqkv, void *scratch,
                                   const act *dout, const act *out, const act *qkv,
                                   const real *lse, const act *att)
{
    int64_t T = a->T, D = a->D, H = a->H, G = a->G, share = H / G;
    int64_t row = attention_row(a);
    (void)out;
    (void)lse;
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t b = 0; b < a->B; b++) {
        for (int64_t g = 0; g < G; g++) {
            real *first = scratch_of_thread(scratch, plain_scratch_numbers(a));
            struct plain_group s = {first, first + T * D, first + 2 * T * D,
                                    first + 3 * T * D, first + 4 * T * D};
            number *dq = numbers(dqkv) + b * T * row;
            memset(s.dk, 0, (size_t)(2 * T * D) * sizeof *s.dk);
            head_load(s.k, D, qkv_head(a, qkv, b, H + g), row, T, D);
            head_load_transposed(s.vt, T, qkv_head(a, qkv, b, H + G + g), row, T, D);
            for (int64_t h = g * share; h < (g + 1) * share; h++)
                plain_head_backward(
                    a, b, h, dq + h * D, &s, numbers_of(dout) + (b * T * H + h) * D,
                    qkv_head(a, qkv, b, h), numbers_of(att) + (b * H + h) * T * T);
            head_store(dq + (H + g) * D, row, s.dk, D, T, D);
            head_store(dq + (H + G + g) * D, row, s.dv, D, T, D);
        }
    }
}
