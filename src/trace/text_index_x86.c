#include "trace/text_index_kernels.h"

#ifdef GAIT_INDEX_X86

#include <immintrin.h>

#define FOR_AVX512                                                                       \
    __attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vbmi2,pclmul,bmi,popcnt")))
#define FOR_AVX2 __attribute__((target("avx2,pclmul,bmi,popcnt")))

/* Bit i of the result: the parity of bits 0 … i. */
__attribute__((target("pclmul"))) static inline uint64_t prefix_xor(uint64_t bits)
{
    __m128i all_ones = _mm_set1_epi8((char)0xff);
    __m128i product =
        _mm_clmulepi64_si128(_mm_set_epi64x(0, (long long)bits), all_ones, 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

/* What is the same for both kernels: from the bits of a stretch to its marks. */
__attribute__((target("pclmul"))) static inline uint64_t
stretch_marks(struct index_state *state, const struct stretch_bits *b, uint8_t *odd)
{
    uint64_t quote = b->quote & ~escaped_bits(b->backslash, &state->escaped);
    uint64_t in_string = prefix_xor(quote) ^ state->in_string;
    state->in_string = (uint64_t)((int64_t)in_string >> 63);
    *odd = odd_stretch(b, in_string);
    return mark_bits(b, quote, in_string);
}

/* '[' and '{' differ by 0x20 alone, and so do ']' and '}'. */
FOR_AVX512 static inline struct stretch_bits bits_avx512(const char *p)
{
    const __m512i text = _mm512_loadu_si512(p);
    const __m512i folded = _mm512_or_si512(text, _mm512_set1_epi8(0x20));
    return (struct stretch_bits){
        .quote = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('"')),
        .backslash = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('\\')),
        .mark = _mm512_cmpeq_epi8_mask(folded, _mm512_set1_epi8('{')) |
                _mm512_cmpeq_epi8_mask(folded, _mm512_set1_epi8('}')) |
                _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(':')) |
                _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(',')),
        .control = _mm512_cmplt_epu8_mask(text, _mm512_set1_epi8(0x20)),
    };
}

/* The places of the bits, 16 at a time: up to 15 numbers behind the last are written too.
 */
FOR_AVX512 static inline size_t write_marks_avx512(uint32_t *at, uint64_t bits,
                                                   size_t from)
{
    const __m512i counting =
        _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48,
                        47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32,
                        31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16,
                        15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i places = _mm512_maskz_compress_epi8(bits, counting);
    const __m512i base = _mm512_set1_epi32((int)from);
    const size_t n = (size_t)_mm_popcnt_u64(bits);
#define STORE_16(quarter)                                                                \
    _mm512_storeu_si512(                                                                 \
        at + 16 * (quarter),                                                             \
        _mm512_add_epi32(                                                                \
            base, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(places, quarter))))
    STORE_16(0);
    if (n > 16)
        STORE_16(1);
    if (n > 32) {
        STORE_16(2);
        STORE_16(3);
    }
#undef STORE_16
    return n;
}

FOR_AVX512 size_t index_avx512(struct index_state *state, const char *text, size_t from,
                               size_t stretches, uint32_t *at, uint8_t *odd)
{
    size_t n = 0;
    struct index_state s = *state;
    for (size_t k = 0; k < stretches; k++, from += 64) {
        const struct stretch_bits b = bits_avx512(text + from);
        n += write_marks_avx512(at + n, stretch_marks(&s, &b, &odd[k]), from);
    }
    *state = s;
    return n;
}

FOR_AVX2 static inline uint64_t equal_avx2(__m256i low, __m256i high, char ch)
{
    const __m256i want = _mm256_set1_epi8(ch);
    uint32_t l = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, want));
    uint32_t h = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, want));
    return l | (uint64_t)h << 32;
}

/* Bytes below 0x20: those that a minimum with 0x1f leaves as they are. */
FOR_AVX2 static inline uint64_t control_avx2(__m256i low, __m256i high)
{
    const __m256i most = _mm256_set1_epi8(0x1f);
    uint32_t l = (uint32_t)_mm256_movemask_epi8(
        _mm256_cmpeq_epi8(_mm256_min_epu8(low, most), low));
    uint32_t h = (uint32_t)_mm256_movemask_epi8(
        _mm256_cmpeq_epi8(_mm256_min_epu8(high, most), high));
    return l | (uint64_t)h << 32;
}

FOR_AVX2 static inline struct stretch_bits bits_avx2(const char *p)
{
    const __m256i low = _mm256_loadu_si256((const __m256i *)p);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(p + 32));
    const __m256i fold = _mm256_set1_epi8(0x20);
    const __m256i low_folded = _mm256_or_si256(low, fold);
    const __m256i high_folded = _mm256_or_si256(high, fold);
    return (struct stretch_bits){
        .quote = equal_avx2(low, high, '"'),
        .backslash = equal_avx2(low, high, '\\'),
        .mark = equal_avx2(low_folded, high_folded, '{') |
                equal_avx2(low_folded, high_folded, '}') | equal_avx2(low, high, ':') |
                equal_avx2(low, high, ','),
        .control = control_avx2(low, high),
    };
}

FOR_AVX2 size_t index_avx2(struct index_state *state, const char *text, size_t from,
                           size_t stretches, uint32_t *at, uint8_t *odd)
{
    size_t n = 0;
    struct index_state s = *state;
    for (size_t k = 0; k < stretches; k++, from += 64) {
        const struct stretch_bits b = bits_avx2(text + from);
        for (uint64_t bits = stretch_marks(&s, &b, &odd[k]); bits; bits &= bits - 1)
            at[n++] = (uint32_t)(from + (size_t)_tzcnt_u64(bits));
    }
    *state = s;
    return n;
}

#endif
