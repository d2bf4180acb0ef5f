/*
 * Elementwise: the residual sum, dropout, conversions, SwiGLU, and GELU in its tanh form,
 *   gelu(x) = x (1 + tanh u) / 2 = x sigmoid(2u),  u = sqrt(2/pi) (x + 0.044715 x^3),
 * the sigmoid because it needs one exponential and keeps small values exact.
 */
#include "engine/dropout_mask.h"
#include "engine/number.h"

static const real GELU_SCALE = (real)0.79788456080286535588; /* sqrt(2/pi) */
static const real GELU_CUBIC = (real)0.044715;

ENGINE_INLINE real sigmoid(real x)
{
    return 1 / (1 + real_exp(-x));
}

ENGINE_INLINE real gelu_sigmoid(real x)
{
    return sigmoid(2 * GELU_SCALE * (x + GELU_CUBIC * x * x * x));
}

ENGINE_CLONES
static void ref_gelu_forward(act *out, const act *x, int64_t n)
{
    number *o = numbers(out);
    const number *in = numbers_of(x);
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++) {
        real v = number_get(in[i]);
        o[i] = number_of(v * gelu_sigmoid(v));
    }
}

ENGINE_CLONES
static void ref_gelu_backward(act *dx, act *out, const act *dout, const act *x, int64_t n)
{
    number *d = numbers(dx), *o = numbers(out);
    const number *up = numbers_of(dout), *in = numbers_of(x);
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++) {
        real v = number_get(in[i]), s = gelu_sigmoid(v);
        real du = GELU_SCALE * (1 + 3 * GELU_CUBIC * v * v);
        d[i] = number_of(number_get(up[i]) * (s + v * s * (1 - s) * 2 * du));
        o[i] = number_of(v * s);
    }
}

ENGINE_CLONES
static void ref_swiglu_forward(act *out, const act *gate_up, int64_t M, int64_t F)
{
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < M; m++) {
        number *o = numbers(out) + m * F;
        const number *gate = numbers_of(gate_up) + m * 2 * F, *up = gate + F;
#pragma omp simd
        for (int64_t f = 0; f < F; f++) {
            real g = number_get(gate[f]);
            o[f] = number_of(g * sigmoid(g) * number_get(up[f]));
        }
    }
}

ENGINE_CLONES
static void ref_swiglu_backward(act *dgate_up, act *out, const act *dout,
                                const act *gate_up, int64_t M, int64_t F)
{
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < M; m++) {
        number *dg = numbers(dgate_up) + m * 2 * F, *du = dg + F;
        const number *gate = numbers_of(gate_up) + m * 2 * F, *up = gate + F;
        const number *d = numbers_of(dout) + m * F;
        number *again = numbers(out) + m * F;
#pragma omp simd
        for (int64_t f = 0; f < F; f++) {
            real g = number_get(gate[f]), u = number_get(up[f]), s = sigmoid(g);
            real o = number_get(d[f]);
            dg[f] = number_of(o * u * (s + g * s * (1 - s)));
            du[f] = number_of(o * g * s);
            again[f] = number_of(g * s * u);
        }
    }
}

/* Dropout works on pieces: their factors fit on the stack. */
enum { DROPOUT_PIECE = 256 };

ENGINE_INLINE int64_t piece_len(int64_t first, int64_t n)
{
    return n - first < DROPOUT_PIECE ? n - first : DROPOUT_PIECE;
}

ENGINE_CLONES
static void ref_residual_add(real *stream, const act *branch, const struct dropout *d,
                             int64_t n)
{
    const number *b = numbers_of(branch);
    if (d->probability == 0) {
#pragma omp parallel for simd schedule(static)
        for (int64_t i = 0; i < n; i++)
            stream[i] += number_get(b[i]);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < n; first += DROPOUT_PIECE) {
        real factor[DROPOUT_PIECE];
        int64_t len = piece_len(first, n);
        dropout_factors(factor, d, (uint64_t)first, len);
        for (int64_t i = 0; i < len; i++)
            stream[first + i] += factor[i] * number_get(b[first + i]);
    }
}

ENGINE_CLONES
static void ref_residual_backward(act *dbranch, const real *dstream,
                                  const struct dropout *d, int64_t n)
{
    number *b = numbers(dbranch);
    if (d->probability == 0) {
#pragma omp parallel for simd schedule(static)
        for (int64_t i = 0; i < n; i++)
            b[i] = number_of(dstream[i]);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < n; first += DROPOUT_PIECE) {
        real factor[DROPOUT_PIECE];
        int64_t len = piece_len(first, n);
        dropout_factors(factor, d, (uint64_t)first, len);
        for (int64_t i = 0; i < len; i++)
            b[first + i] = number_of(factor[i] * dstream[first + i]);
    }
}

ENGINE_CLONES
static void ref_dropout_stream(real *stream, const struct dropout *d, int64_t n)
{
    if (d->probability == 0)
        return;
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < n; first += DROPOUT_PIECE) {
        real factor[DROPOUT_PIECE];
        int64_t len = piece_len(first, n);
        dropout_factors(factor, d, (uint64_t)first, len);
        for (int64_t i = 0; i < len; i++)
            stream[first + i] *= factor[i];
    }
}

ENGINE_CLONES
static void ref_act_to_real(real *out, const act *x, int64_t n)
{
    const number *in = numbers_of(x);
    for (int64_t i = 0; i < n; i++)
        out[i] = number_get(in[i]);
}

ENGINE_CLONES
static void ref_act_from_real(act *out, const real *x, int64_t n)
{
    number *o = numbers(out);
    for (int64_t i = 0; i < n; i++)
        o[i] = number_of(x[i]);
}
