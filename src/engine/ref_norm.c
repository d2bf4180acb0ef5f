/*
 * LayerNorm: out = gamma (x - mean) rstd + beta for each row. With n = (x - mean) rstd
 * and g = gamma dout, the gradient is dx = rstd (g - mean(g) - n mean(g n)).
 */
#include "engine/ref_kernels.h"

#include <string.h>

static const real LAYERNORM_EPSILON = (real)1e-5; /* GPT-2's */

ENGINE_INLINE void layernorm_row(real *out, real *mean, real *rstd, const real *x,
                                 const real *gamma, const real *beta, int64_t C)
{
    real sum = 0, square = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t c = 0; c < C; c++)
        sum += x[c];
    real mu = sum / (real)C;
#pragma omp simd reduction(+ : square)
    for (int64_t c = 0; c < C; c++)
        square += (x[c] - mu) * (x[c] - mu);
    real scale = 1 / real_sqrt(square / (real)C + LAYERNORM_EPSILON);
#pragma omp simd
    for (int64_t c = 0; c < C; c++)
        out[c] = gamma[c] * ((x[c] - mu) * scale);
    if (beta) {
#pragma omp simd
        for (int64_t c = 0; c < C; c++)
            out[c] += beta[c];
    }
    *mean = mu;
    *rstd = scale;
}

ENGINE_CLONES
void ref_layernorm_forward(real *out, real *mean, real *rstd, const real *x,
                           const real *gamma, const real *beta, int64_t M, int64_t C)
{
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < M; m++)
        layernorm_row(out + m * C, mean + m, rstd + m, x + m * C, gamma, beta, C);
}

ENGINE_INLINE void layernorm_backward_row(real *dx, const real *dout, const real *x,
                                          const real *gamma, real mean, real rstd,
                                          int64_t C, bool accumulate)
{
    real sum_g = 0, sum_gn = 0;
#pragma omp simd reduction(+ : sum_g, sum_gn)
    for (int64_t c = 0; c < C; c++) {
        real g = gamma[c] * dout[c];
        sum_g += g;
        sum_gn += g * ((x[c] - mean) * rstd);
    }
    real mean_g = sum_g / (real)C, mean_gn = sum_gn / (real)C;
    if (!accumulate)
        memset(dx, 0, (size_t)C * sizeof *dx);
#pragma omp simd
    for (int64_t c = 0; c < C; c++) {
        real n = (x[c] - mean) * rstd;
        dx[c] += rstd * (gamma[c] * dout[c] - mean_g - n * mean_gn);
    }
}

/* dgamma and dbeta for columns [first, end): sums over all rows in order. */
ENGINE_INLINE void layernorm_backward_columns(real *dgamma, real *dbeta, const real *dout,
                                              const real *x, const real *mean,
                                              const real *rstd, int64_t M, int64_t C,
                                              int64_t first, int64_t end, bool accumulate)
{
    real sum_gamma[ENGINE_COLUMN_BLOCK] = {0}, sum_beta[ENGINE_COLUMN_BLOCK] = {0};
    for (int64_t m = 0; m < M; m++) {
        const real *d = dout + m * C, *row = x + m * C;
        real mu = mean[m], scale = rstd[m];
#pragma omp simd
        for (int64_t c = first; c < end; c++) {
            sum_gamma[c - first] += d[c] * ((row[c] - mu) * scale);
            sum_beta[c - first] += d[c];
        }
    }
    for (int64_t c = first; c < end; c++) {
        dgamma[c] = sum_gamma[c - first] + (accumulate ? dgamma[c] : 0);
        if (dbeta)
            dbeta[c] = sum_beta[c - first] + (accumulate ? dbeta[c] : 0);
    }
}

ENGINE_CLONES
void ref_layernorm_backward(real *dx, real *dgamma, real *dbeta, const real *dout,
                            const real *x, const real *gamma, const real *mean,
                            const real *rstd, int64_t M, int64_t C, bool accumulate_dx,
                            bool accumulate)
{
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int64_t first = 0; first < C; first += ENGINE_COLUMN_BLOCK) {
            int64_t end =
                first + ENGINE_COLUMN_BLOCK < C ? first + ENGINE_COLUMN_BLOCK : C;
            layernorm_backward_columns(dgamma, dbeta, dout, x, mean, rstd, M, C, first,
                                       end, accumulate);
        }
#pragma omp for schedule(static)
        for (int64_t m = 0; m < M; m++)
            layernorm_backward_row(dx + m * C, dout + m * C, x + m * C, gamma, mean[m],
                                   rstd[m], C, accumulate_dx);
    }
}
