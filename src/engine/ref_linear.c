/* y = x W^T + b and its three gradients, as plain loops: dX = dY W, dW = dY^T X, and db
 * is the sum of dY's rows. */
#include "engine/ref_kernels.h"

#include <string.h>

enum status ref_linear_open(struct linear *l, struct err *err)
{
    (void)err;
    l->prepared = NULL;
    l->workspace_bytes = 0;
    return STATUS_OK;
}

void ref_linear_close(struct linear *l)
{
    (void)l;
}

ENGINE_CLONES
void ref_linear_forward(const struct linear *l, real *y, const real *x, const real *w,
                        const real *b)
{
    int64_t M = l->M, N = l->N, K = l->K;
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t m = 0; m < M; m++) {
        for (int64_t n = 0; n < N; n++) {
            const real *xm = x + m * K;
            const real *wn = w + n * K;
            real sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t k = 0; k < K; k++)
                sum += xm[k] * wn[k];
            y[m * N + n] = sum + (b ? b[n] : 0);
        }
    }
}

ENGINE_CLONES
void ref_linear_backward_input(const struct linear *l, real *dx, const real *dy,
                               const real *w)
{
    int64_t M = l->M, N = l->N, K = l->K;
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < M; m++) {
        real *restrict dxm = dx + m * K;
        memset(dxm, 0, (size_t)K * sizeof *dxm);
        for (int64_t n = 0; n < N; n++) {
            const real *wn = w + n * K;
            real d = dy[m * N + n];
#pragma omp simd
            for (int64_t k = 0; k < K; k++)
                dxm[k] += d * wn[k];
        }
    }
}

ENGINE_CLONES
void ref_linear_backward_weight(const struct linear *l, real *dw, real *db,
                                const real *dy, const real *x, bool accumulate)
{
    int64_t M = l->M, N = l->N, K = l->K;
#pragma omp parallel for schedule(static)
    for (int64_t n = 0; n < N; n++) {
        real *restrict dwn = dw + n * K;
        if (!accumulate)
            memset(dwn, 0, (size_t)K * sizeof *dwn);
        for (int64_t m = 0; m < M; m++) {
            const real *xm = x + m * K;
            real d = dy[m * N + n];
#pragma omp simd
            for (int64_t k = 0; k < K; k++)
                dwn[k] += d * xm[k];
        }
    }
    if (db)
        ref_bias_backward(db, dy, M, N, accumulate);
}

ENGINE_CLONES
void ref_bias_backward(real *db, const real *dy, int64_t M, int64_t N, bool accumulate)
{
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < N; first += ENGINE_COLUMN_BLOCK) {
        int64_t end = first + ENGINE_COLUMN_BLOCK < N ? first + ENGINE_COLUMN_BLOCK : N;
        real sum[ENGINE_COLUMN_BLOCK] = {0};
        for (int64_t m = 0; m < M; m++) {
            const real *dym = dy + m * N;
#pragma omp simd
            for (int64_t n = first; n < end; n++)
                sum[n - first] += dym[n];
        }
        for (int64_t n = first; n < end; n++)
            db[n] = sum[n - first] + (accumulate ? db[n] : 0);
    }
}
