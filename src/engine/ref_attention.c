/*
 * Causal self-attention, one (sequence, head) at a time and each of them in one thread.
 * With D = C / H, q_t, k_t and v_t the D numbers of head h at token t:
 *   s[t][t2] = q_t . k_t2 / sqrt(D)   for t2 <= t
 *   p[t]     = softmax(s[t])          kept in att for the backward pass
 *   out_t    = sum over t2 of p[t][t2] v_t2
 * A row of dot products is summed over d with k (or v) transposed, so that the inner loop
 * runs over t2 and needs no sum across a vector.
 */
#include "engine/ref_kernels.h"

#include <string.h>

/* One head of one sequence; rows of q, k, v (and of their gradients) are `row` apart. */
struct head_view {
    int64_t T, D, row;
    real scale;
};

ENGINE_INLINE struct head_view head_view(int64_t T, int64_t C, int64_t H)
{
    int64_t D = C / H;
    return (struct head_view){T, D, 3 * C, 1 / real_sqrt((real)D)};
}

/* a += factor * b */
ENGINE_INLINE void add_scaled(real *restrict a, real factor, const real *restrict b,
                              int64_t n)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        a[i] += factor * b[i];
}

ENGINE_INLINE void softmax_in_place(real *p, int64_t n)
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
}

ENGINE_INLINE void transpose(struct head_view h, real *restrict out, /* (D, T) */
                             const real *restrict x)                 /* (T, D) */
{
    for (int64_t t = 0; t < h.T; t++)
        for (int64_t d = 0; d < h.D; d++)
            out[d * h.T + t] = x[t * h.row + d];
}

/* out[t2] = factor * (a . x_t2) for t2 < n, with x transposed: (D, T) */
ENGINE_INLINE void row_of_dots(struct head_view h, real *restrict out, real factor,
                               const real *a, const real *restrict x, int64_t n)
{
    memset(out, 0, (size_t)n * sizeof *out);
    for (int64_t d = 0; d < h.D; d++)
        add_scaled(out, factor * a[d], x + d * h.T, n);
}

ENGINE_INLINE void head_forward(struct head_view h, real *out, /* rows C apart */
                                real *att,                     /* (T, T) */
                                real *scratch,                 /* (D, T) */
                                const real *q, const real *k, const real *v)
{
    transpose(h, scratch, k);
    for (int64_t t = 0; t < h.T; t++) {
        real *p = att + t * h.T;
        real *o = out + t * (h.row / 3);
        row_of_dots(h, p, h.scale, q + t * h.row, scratch, t + 1);
        softmax_in_place(p, t + 1);
        memset(o, 0, (size_t)h.D * sizeof *o);
        for (int64_t t2 = 0; t2 <= t; t2++)
            add_scaled(o, p[t2], v + t2 * h.row, h.D);
    }
}

ENGINE_CLONES
void ref_attention_forward(real *out, real *att, real *scratch, const real *qkv,
                           int64_t B, int64_t T, int64_t C, int64_t H)
{
    struct head_view view = head_view(T, C, H);
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t b = 0; b < B; b++) {
        for (int64_t h = 0; h < H; h++) {
            const real *q = qkv + b * T * 3 * C + h * view.D;
            head_forward(view, out + b * T * C + h * view.D, att + (b * H + h) * T * T,
                         scratch + (b * H + h) * T * (view.D + 1), q, q + C, q + 2 * C);
        }
    }
}

ENGINE_INLINE void head_zero(struct head_view h, real *dq)
{
    for (int64_t t = 0; t < h.T; t++)
        for (int64_t part = 0; part < 3; part++)
            memset(dq + t * h.row + part * (h.row / 3), 0, (size_t)h.D * sizeof *dq);
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

ENGINE_INLINE void head_backward(struct head_view h, real *dq, real *dk, real *dv,
                                 real *scratch,    /* (D + 1, T) */
                                 const real *dout, /* rows C apart */
                                 const real *q, const real *k, const real *v,
                                 const real *att) /* (T, T) */
{
    real *ds = scratch + h.D * h.T;
    transpose(h, scratch, v);
    for (int64_t t = 0; t < h.T; t++) {
        const real *p = att + t * h.T;
        const real *d = dout + t * (h.row / 3);
        row_of_dots(h, ds, 1, d, scratch, t + 1);
        softmax_backward(ds, p, h.scale, t + 1);
        for (int64_t t2 = 0; t2 <= t; t2++) {
            add_scaled(dv + t2 * h.row, p[t2], d, h.D);
            add_scaled(dq + t * h.row, ds[t2], k + t2 * h.row, h.D);
            add_scaled(dk + t2 * h.row, ds[t2], q + t * h.row, h.D);
        }
    }
}

ENGINE_CLONES
void ref_attention_backward(real *dqkv, real *scratch, const real *dout, const real *qkv,
                            const real *att, int64_t B, int64_t T, int64_t C, int64_t H)
{
    struct head_view view = head_view(T, C, H);
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t b = 0; b < B; b++) {
        for (int64_t h = 0; h < H; h++) {
            int64_t first = b * T * 3 * C + h * view.D;
            const real *q = qkv + first;
            real *dq = dqkv + first;
            head_zero(view, dq);
            head_backward(view, dq, dq + C, dq + 2 * C,
                          scratch + (b * H + h) * T * (view.D + 1),
                          dout + b * T * C + h * view.D, q, q + C, q + 2 * C,
                          att + (b * H + h) * T * T);
        }
    }
}
