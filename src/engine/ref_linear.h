/* y = x W^T + b and its three gradients, as plain loops: dX = dY W, dW = dY^T X, and db
 * is the sum of dY's rows. The parts of an unfused linear need nothing special here. */
#include "engine/number.h"

#include <omp.h>
#include <string.h>

static enum status ref_linear_open(struct linear *l, struct err *err)
{
    (void)err;
    l->prepared = NULL;
    l->kernel = "reference";
    l->workspace_bytes = 0;
    return STATUS_OK;
}

static void ref_linear_close(struct linear *l)
{
    (void)l;
}

ENGINE_CLONES
static void ref_linear_forward(const struct linear *l, act *y, const act *x, const act *w,
                               const real *b)
{
    int64_t M = l->M, N = l->N, K = l->K;
    number *out = numbers(y);
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t m = 0; m < M; m++) {
        for (int64_t n = 0; n < N; n++) {
            const number *xm = numbers_of(x) + m * K;
            const number *wn = numbers_of(w) + n * K;
            real sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t k = 0; k < K; k++)
                sum += number_get(xm[k]) * number_get(wn[k]);
            out[m * N + n] = number_of(sum + (b ? b[n] : 0));
        }
    }
}

/* Columns one pass takes: their sums fit on the stack. */
enum { LINEAR_COLUMNS = 256 };

ENGINE_CLONES
static void ref_linear_backward_input(const struct linear *l, act *dx, const act *dy,
                                      const act *w)
{
    int64_t M = l->M, N = l->N, K = l->K;
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t m = 0; m < M; m++) {
        for (int64_t first = 0; first < K; first += LINEAR_COLUMNS) {
            int64_t len = K - first < LINEAR_COLUMNS ? K - first : LINEAR_COLUMNS;
            real sum[LINEAR_COLUMNS] = {0};
            number *out = numbers(dx) + m * K + first;
            for (int64_t n = 0; n < N; n++) {
                const number *wn = numbers_of(w) + n * K + first;
                real d = number_get(numbers_of(dy)[m * N + n]);
#pragma omp simd
                for (int64_t k = 0; k < len; k++)
                    sum[k] += d * number_get(wn[k]);
            }
            for (int64_t k = 0; k < len; k++)
                out[k] = number_of(sum[k]);
        }
    }
}

ENGINE_CLONES
static void ref_linear_backward_weight(const struct linear *l, real *dw, const act *dy,
                                       const act *x, bool accumulate)
{
    int64_t M = l->M, N = l->N, K = l->K;
#pragma omp parallel for schedule(static)
    for (int64_t n = 0; n < N; n++) {
        real *restrict dwn = dw + n * K;
        if (!accumulate)
            memset(dwn, 0, (size_t)K * sizeof *dwn);
        for (int64_t m = 0; m < M; m++) {
            const number *xm = numbers_of(x) + m * K;
            real d = number_get(numbers_of(dy)[m * N + n]);
#pragma omp simd
            for (int64_t k = 0; k < K; k++)
                dwn[k] += d * number_get(xm[k]);
        }
    }
}

ENGINE_CLONES
static void ref_bias_backward(real *db, const act *dy, int64_t M, int64_t N,
                              bool accumulate)
{
    const int64_t block = engine_column_block(N, omp_get_max_threads());
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < N; first += block) {
        int64_t end = first + block < N ? first + block : N;
        real sum[ENGINE_COLUMNS_MOST] = {0};
        for (int64_t m = 0; m < M; m++) {
            const number *row = numbers_of(dy) + m * N;
#pragma omp simd
            for (int64_t n = first; n < end; n++)
                sum[n - first] += number_get(row[n]);
        }
        for (int64_t n = first; n < end; n++)
            db[n] = sum[n - first] + (accumulate ? db[n] : 0);
    }
}
