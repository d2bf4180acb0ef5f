/*
 * LayerNorm and RMSNorm of each row: hat = (x - mean) rstd, out = gamma hat + beta;
 * RMSNorm has neither mean nor beta. With g = gamma dout, the gradient is dx = rstd (g -
 * mean(g) - hat mean(g hat)), without mean(g) for RMSNorm.
 */
#include "engine/number.h"

#include <omp.h>
#include <string.h>

ENGINE_INLINE real row_mean(const real *x, int64_t C)
{
    real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t c = 0; c < C; c++)
        sum += x[c];
    return sum / (real)C;
}

ENGINE_INLINE real row_rstd(const real *x, real mean, double epsilon, int64_t C)
{
    real square = 0;
#pragma omp simd reduction(+ : square)
    for (int64_t c = 0; c < C; c++)
        square += (x[c] - mean) * (x[c] - mean);
    return 1 / real_sqrt(square / (real)C + (real)epsilon);
}

ENGINE_CLONES
static void ref_norm_forward(const struct norm *n, act *out, act *hat, real *rstd,
                             const real *x, const real *gamma, const real *beta)
{
    int64_t C = n->C;
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < n->M; m++) {
        const real *row = x + m * C;
        number *o = numbers(out) + m * C, *h = numbers(hat) + m * C;
        real mean = n->rms ? 0 : row_mean(row, C);
        real scale = row_rstd(row, mean, n->epsilon, C);
        rstd[m] = scale;
        if (beta) {
#pragma omp simd
            for (int64_t c = 0; c < C; c++) {
                real v = (row[c] - mean) * scale;
                h[c] = number_of(v);
                o[c] = number_of(gamma[c] * v + beta[c]);
            }
        } else {
#pragma omp simd
            for (int64_t c = 0; c < C; c++) {
                real v = (row[c] - mean) * scale;
                h[c] = number_of(v);
                o[c] = number_of(gamma[c] * v);
            }
        }
    }
}

ENGINE_CLONES
static void ref_norm_apply(const struct norm *n, act *out, const act *hat,
                           const real *gamma, const real *beta)
{
    int64_t C = n->C;
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < n->M; m++) {
        number *o = numbers(out) + m * C;
        const number *h = numbers_of(hat) + m * C;
        if (beta) {
#pragma omp simd
            for (int64_t c = 0; c < C; c++)
                o[c] = number_of(gamma[c] * number_get(h[c]) + beta[c]);
        } else {
#pragma omp simd
            for (int64_t c = 0; c < C; c++)
                o[c] = number_of(gamma[c] * number_get(h[c]));
        }
    }
}

ENGINE_INLINE void norm_backward_row(real *dx, const number *dout, const number *hat,
                                     const real *gamma, real rstd, bool rms, int64_t C,
                                     bool accumulate)
{
    real sum_g = 0, sum_gh = 0;
#pragma omp simd reduction(+ : sum_g, sum_gh)
    for (int64_t c = 0; c < C; c++) {
        real g = gamma[c] * number_get(dout[c]);
        sum_g += g;
        sum_gh += g * number_get(hat[c]);
    }
    real mean_g = rms ? 0 : sum_g / (real)C, mean_gh = sum_gh / (real)C;
    if (!accumulate)
        memset(dx, 0, (size_t)C * sizeof *dx);
#pragma omp simd
    for (int64_t c = 0; c < C; c++) {
        real g = gamma[c] * number_get(dout[c]);
        dx[c] += rstd * (g - mean_g - number_get(hat[c]) * mean_gh);
    }
}

/* dgamma and dbeta for columns [first, end): sums over all rows in order. */
ENGINE_INLINE void norm_backward_columns(real *dgamma, real *dbeta, const number *dout,
                                         const number *hat, int64_t M, int64_t C,
                                         int64_t first, int64_t end, bool accumulate)
{
    real sum_gamma[ENGINE_COLUMNS_MOST] = {0}, sum_beta[ENGINE_COLUMNS_MOST] = {0};
    for (int64_t m = 0; m < M; m++) {
        const number *d = dout + m * C, *h = hat + m * C;
#pragma omp simd
        for (int64_t c = first; c < end; c++) {
            real v = number_get(d[c]);
            sum_gamma[c - first] += v * number_get(h[c]);
            sum_beta[c - first] += v;
        }
    }
    for (int64_t c = first; c < end; c++) {
        dgamma[c] = sum_gamma[c - first] + (accumulate ? dgamma[c] : 0);
        if (dbeta)
            dbeta[c] = sum_beta[c - first] + (accumulate ? dbeta[c] : 0);
    }
}

ENGINE_CLONES
static void ref_norm_backward(const struct norm *n, real *dx, real *dgamma, real *dbeta,
                              const act *dout, const act *hat, const real *gamma,
                              const real *rstd, bool accumulate_dx, bool accumulate)
{
    int64_t M = n->M, C = n->C;
    const number *d = numbers_of(dout), *h = numbers_of(hat);
    const int64_t block = engine_column_block(C, omp_get_max_threads());
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int64_t first = 0; first < C; first += block) {
            int64_t end = first + block < C ? first + block : C;
            norm_backward_columns(dgamma, dbeta, d, h, M, C, first, end, accumulate);
        }
#pragma omp for schedule(static)
        for (int64_t m = 0; m < M; m++)
            norm_backward_row(dx + m * C, d + m * C, h + m * C, gamma, rstd[m], n->rms, C,
                              accumulate_dx);
    }
}
