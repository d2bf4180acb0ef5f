/*
 * a = a * m + c with m + c = 1 stays at 1: no overflow, no denormals, and a result that
 * can be checked. As many independent sums as hide the latency of two FMA units (8) and
 * fit the registers; the compiler cannot remove them, for m and c are read at run time.
 */
#include "machine/fma_loops.h"

#include "machine/cpu.h"

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

struct fma_loop fma_loop_best(void)
{
#if defined(__x86_64__)
    struct cpu_isa isa = cpu_isa();
    if (isa.avx512f && isa.fma)
        return (struct fma_loop){"avx512f FMA", 16 * FLOP_PER_LANE, run_avx512f};
    if (isa.avx2 && isa.fma)
        return (struct fma_loop){"avx2 FMA", 8 * FLOP_PER_LANE, run_avx2};
#endif
    return (struct fma_loop){"128-bit multiply and add", 4 * FLOP_PER_LANE, run_baseline};
}
