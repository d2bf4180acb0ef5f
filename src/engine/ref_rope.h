/* Rotary positions, "rotate half": number d of a head turns with number d + D / 2. */
#include "engine/number.h"

ENGINE_CLONES
static void ref_rope(const struct attention *a, act *qkv, const real *cosine,
                     const real *sine, bool inverse)
{
    int64_t half = a->D / 2, row = attention_row(a), T = a->T;
    real sign = inverse ? -1 : 1;
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < a->B * T; m++) {
        const real *c = cosine + m % T * half, *s = sine + m % T * half;
        for (int64_t h = 0; h < a->H + a->G; h++) {
            number *x = numbers(qkv) + m * row + h * a->D, *y = x + half;
#pragma omp simd
            for (int64_t d = 0; d < half; d++) {
                real u = number_get(x[d]), v = number_get(y[d]), turn = sign * s[d];
                x[d] = number_of(u * c[d] - v * turn);
                y[d] = number_of(v * c[d] + u * turn);
            }
        }
    }
}
