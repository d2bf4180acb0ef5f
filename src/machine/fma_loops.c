/*
 * a = a * m + c with m + c = 1 stays at 1: no overflow, no denormals, and a result that
 * can be checked. As many independent sums as hide the latency of two FMA units (8) and
 * fit the registers; the compiler cannot remove them, for m and c are read at run time.
 */
#include "machine/fma_loops.h"

#include "machine/cpu.h"

#include <stddef.h>

#define SUMS_10(S) S(0) S(1) S(2) S(3) S(4) S(5) S(6) S(7) S(8) S(9)
enum { SUMS = 10 };

static volatile float multiplier = 0.75f, addend = 0.25f;

#define SUM_BEGIN(i) vec a##i = one * ((float)(i) + 1.0f);
#define SUM_STEP(i) a##i = a##i * m + c;
#define SUM_TOTAL(i) +a##i

/* In the end all lanes of all sums are 1, whatever they began with. */
#define FMA_LOOP(function, attribute, width)                                             \
    attribute static float function(int64_t iterations)                                  \
    {                                                                                    \
        typedef float vec __attribute__((vector_size((width) * sizeof(float))));         \
        vec one = {0};                                                                   \
        one += 1.0f;                                                                     \
        vec m = one * multiplier, c = one * addend;                                      \
        SUMS_10(SUM_BEGIN)                                                               \
        for (int64_t n = 0; n < iterations; n++) {                                       \
            SUMS_10(SUM_STEP)                                                            \
        }                                                                                \
        vec total = (vec){0} SUMS_10(SUM_TOTAL);                                         \
        float sum = 0;                                                                   \
        for (int k = 0; k < (width); k++)                                                \
            sum += total[k];                                                             \
        return sum / (float)((width)*SUMS);                                              \
    }

FMA_LOOP(run_baseline, , 4)

#if defined(__x86_64__)
FMA_LOOP(run_avx2, __attribute__((target("avx2,fma"))), 8)
FMA_LOOP(run_avx512f, __attribute__((target("avx512f,fma"))), 16)
#endif

enum { FLOP_PER_LANE = 2 * SUMS };

/* Pairs of bf16 ones are multiplied and added to f32 sums: what they come to is known. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>

enum { BF16_SUMS = 8, BF16_LANES = 16, BF16_ONES = 0x3f803f80 };

__attribute__((target("avx512f,avx512bf16"))) static float run_bf16(int64_t iterations)
{
    __m512 sum[BF16_SUMS];
    __m512bh ones = (__m512bh)_mm512_set1_epi32(BF16_ONES);
    for (int k = 0; k < BF16_SUMS; k++)
        sum[k] = _mm512_setzero_ps();
    for (int64_t n = 0; n < iterations; n++)
        for (int k = 0; k < BF16_SUMS; k++)
            sum[k] = _mm512_dpbf16_ps(sum[k], ones, ones);
    float total = 0, wanted = 2.0f * (float)iterations;
    for (int k = 0; k < BF16_SUMS; k++)
        total += _mm512_reduce_add_ps(sum[k]) / (BF16_LANES * BF16_SUMS);
    /* beyond 2^24 a sum stays where it is */
    return wanted < (1 << 24) ? total / wanted : total >= (1 << 24);
}
#endif

static struct fma_loop missing(const char *why)
{
    return (struct fma_loop){why, 0, NULL};
}

struct fma_loop fma_loop_of(enum fma_instructions instructions)
{
    if (instructions == FMA_BASELINE)
        return (struct fma_loop){"128-bit multiply and add", 4 * FLOP_PER_LANE,
                                 run_baseline};
#if defined(__x86_64__)
    struct cpu_isa isa = cpu_isa();
    if (instructions == FMA_AVX2)
        return isa.avx2 && isa.fma
                   ? (struct fma_loop){"avx2 FMA", 8 * FLOP_PER_LANE, run_avx2}
                   : missing("this CPU has no avx2 with FMA");
    if (instructions == FMA_AVX512)
        return isa.avx512f && isa.fma
                   ? (struct fma_loop){"avx512f FMA", 16 * FLOP_PER_LANE, run_avx512f}
                   : missing("this CPU has no avx512f");
#if defined(__GNUC__) && !defined(__clang__)
    if (instructions == FMA_AVX512_BF16)
        return isa.avx512_bf16
                   ? (struct fma_loop){"avx512_bf16 dot products",
                                       2 * 2 * BF16_LANES * BF16_SUMS, run_bf16}
                   : missing("this CPU has no avx512_bf16");
#endif
#endif
    return missing("not for this architecture or compiler");
}

struct fma_loop fma_loop_best(void)
{
    for (int i = FMA_AVX512; i > FMA_BASELINE; i--) {
        struct fma_loop loop = fma_loop_of((enum fma_instructions)i);
        if (loop.run)
            return loop;
    }
    return fma_loop_of(FMA_BASELINE);
}
