/* vector_ops.h for bf16, rounded by integer arithmetic. */
#include "engine/vector_ops.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")
#include <immintrin.h>

/* As bf16_from_float(). */
static inline __attribute__((always_inline)) __m512i rounded(__m512 x)
{
    __m512i bits = _mm512_castps_si512(x);
    __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    __m512i up = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    return _mm512_mask_or_epi32(up, nan, bits, _mm512_set1_epi32(0x400000));
}

/* The upper halves of both, side by side. */
static inline __attribute__((always_inline)) __m512i round_both(__m512 low, __m512 high)
{
    __m256i first = _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded(low), 16));
    __m256i second = _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded(high), 16));
    return _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
}

#define HALF 1
#define ROUND(low, high) round_both(low, high)
#define PUT vector_ops_put_bf16
#include "engine/vector_ops_avx512.h"
#else
void vector_ops_put_bf16(struct engine_ops *ops)
{
    (void)ops;
}
#endif
