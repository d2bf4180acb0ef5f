/* Functions of 16 floats at a time, for files that are compiled for AVX-512. */
#ifndef GAIT_ENGINE_AVX512_MATH_H
#define GAIT_ENGINE_AVX512_MATH_H

#include "engine/real.h"

#include <immintrin.h>

enum { VECTOR = 16 };

static const float LOG2_E = 1.44269504f;

/* 2^x, as exact as f32 is; 0 far below, infinite far above. NaN stays NaN: a broken run
 * must be seen. */
ENGINE_INLINE __m512 power_of_2(__m512 x)
{
    x = _mm512_max_ps(_mm512_set1_ps(-150), x);
    __m512 whole = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    __m512 r = _mm512_sub_ps(x, whole);
    __m512 p = _mm512_set1_ps(1.5252734e-5f); /* (ln 2)^n / n! */
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.5403530e-4f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.3333558e-3f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(9.6181291e-3f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(5.5504109e-2f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(2.4022651e-1f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(6.9314718e-1f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1));
    return _mm512_scalef_ps(p, whole);
}

/* 1 / x for 1 <= x < 2^127, without a division: 14 bits and a step of Newton's. */
ENGINE_INLINE __m512 reciprocal(__m512 x)
{
    __m512 r = _mm512_rcp14_ps(x);
    return _mm512_fmadd_ps(r, _mm512_fnmadd_ps(x, r, _mm512_set1_ps(1)), r);
}

/* 1 / (1 + 2^x) */
ENGINE_INLINE __m512 sigmoid_of_power(__m512 x)
{
    x = _mm512_min_ps(_mm512_set1_ps(126), x);
    return reciprocal(_mm512_add_ps(_mm512_set1_ps(1), power_of_2(x)));
}

/* The first n of 32. */
ENGINE_INLINE __mmask32 first_of_32(int64_t n)
{
    return n >= 32 ? 0xffffffffu : n <= 0 ? 0 : (1u << n) - 1;
}

#endif
