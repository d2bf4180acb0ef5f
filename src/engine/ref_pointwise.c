/*
 * Elementwise: the residual sum and GELU in its tanh form,
 *   gelu(x) = x (1 + tanh u) / 2 = x sigmoid(2u),  u = sqrt(2/pi) (x + 0.044715 x^3),
 * the sigmoid because it needs one exponential and keeps small values exact.
 */
#include "engine/ref_kernels.h"

static const real GELU_SCALE = (real)0.79788456080286535588; /* sqrt(2/pi) */
static const real GELU_CUBIC = (real)0.044715;

ENGINE_INLINE real gelu_sigmoid(real x)
{
    real u = GELU_SCALE * (x + GELU_CUBIC * x * x * x);
    return 1 / (1 + real_exp(-2 * u));
}

ENGINE_CLONES
void ref_gelu_forward(real *out, const real *x, int64_t n)
{
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++)
        out[i] = x[i] * gelu_sigmoid(x[i]);
}

ENGINE_CLONES
void ref_gelu_backward(real *dx, const real *dout, const real *x, int64_t n)
{
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++) {
        real s = gelu_sigmoid(x[i]);
        real du = GELU_SCALE * (1 + 3 * GELU_CUBIC * x[i] * x[i]);
        dx[i] = dout[i] * (s + x[i] * s * (1 - s) * 2 * du);
    }
}

ENGINE_CLONES
void ref_residual_add(real *out, const real *a, const real *b, int64_t n)
{
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++)
        out[i] = a[i] + b[i];
}
