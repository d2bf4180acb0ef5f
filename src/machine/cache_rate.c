/* Bandwidth of the caches: the triad over arrays that lie in one, again and again. */
#include "base/clock.h"
#include "base/mem.h"
#include "machine/ceiling.h"
#include "machine/cpu.h"

#include <omp.h>

enum { ARRAYS = 3, LEVEL_SHARED = 3 };
static const int64_t repetition_ns = 4 * 1000 * 1000;

/* Half of the cache, which the three arrays share; the last level all threads share too. */
static size_t elements_of(int level, int threads)
{
    size_t bytes = (size_t)cpu_cache_bytes(level) / 2 / ARRAYS;
    if (level == LEVEL_SHARED)
        bytes /= (size_t)threads;
    return bytes / sizeof(float) & ~(size_t)15;
}

/* By the widest instructions: a cache gives more than narrow ones can take. */
#define TRIADS(function, attribute)                                                      \
    attribute static void function(float *restrict a, const float *restrict b,           \
                                   const float *restrict c, size_t n, int64_t times)     \
    {                                                                                    \
        for (int64_t k = 0; k < times; k++) {                                            \
            float s = (float)(k & 1);                                                    \
            _Pragma("omp simd") for (size_t i = 0; i < n; i++) a[i] = b[i] + s * c[i];   \
            __asm__ volatile("" : : "r"(a) : "memory"); /* each pass is made */          \
        }                                                                                \
    }
typedef void triads_fn(float *restrict a, const float *restrict b,
                       const float *restrict c, size_t n, int64_t times);

TRIADS(triads_baseline, )
#if defined(__x86_64__)
TRIADS(triads_avx2, __attribute__((target("avx2,fma"))))
#if defined(__clang__) /* takes no width to prefer in this attribute */
TRIADS(triads_avx512, __attribute__((target("avx512f,fma"))))
#else
TRIADS(triads_avx512, __attribute__((target("avx512f,fma,prefer-vector-width=512"))))
#endif
#endif

static triads_fn *widest_triads(void)
{
#if defined(__x86_64__)
    struct cpu_isa isa = cpu_isa();
    if (isa.avx512f && isa.fma)
        return triads_avx512;
    if (isa.avx2 && isa.fma)
        return triads_avx2;
#endif
    return triads_baseline;
}

/* Each thread over its own arrays; returns the time, and in *took_part how many they
 * were. */
static int64_t time_ns(float *const *memory, size_t n, int64_t times, int threads,
                       int *took_part)
{
    int count = 0;
    triads_fn *triads = widest_triads();
    int64_t begin_ns = clock_now_ns();
#pragma omp parallel num_threads(threads) reduction(+ : count)
    {
        float *a = memory[omp_get_thread_num()];
        count++;
        triads(a, a + n, a + 2 * n, n, times);
    }
    int64_t dur_ns = clock_now_ns() - begin_ns;
    *took_part = count;
    return dur_ns > 0 ? dur_ns : 1;
}

/* Passes for one repetition: found by one thread alone. */
static int64_t times_of(float *const *memory, size_t n)
{
    int took_part;
    for (int64_t times = 64;; times *= 2) {
        int64_t dur_ns = time_ns(memory, n, times, 1, &took_part);
        if (dur_ns > repetition_ns / 8)
            return times * repetition_ns / dur_ns + 1;
    }
}

static void measure(struct ceiling *c, float *const *memory, size_t n, int threads)
{
    double per_s[CEILING_REPETITIONS_MAX];
    int64_t times = times_of(memory, n);
    int64_t begin_ns = clock_now_ns(), cpu_begin_ns = clock_cpu_ns();
    for (c->repetitions = 0; c->repetitions < CEILING_REPETITIONS_MAX; c->repetitions++) {
        int64_t dur_ns = time_ns(memory, n, times, threads, &c->threads);
        double bytes = (double)(n * sizeof(float) * ARRAYS) * (double)times * c->threads;
        per_s[c->repetitions] = bytes * 1e9 / (double)dur_ns;
    }
    ceiling_summarize(c, per_s, false, begin_ns, cpu_begin_ns);
}

struct ceiling ceiling_cache(int level, int threads)
{
    struct ceiling c = {.how = "triad a = b + s * c"};
    size_t n = elements_of(level, threads);
    if (!n) {
        c.how = "the size of this cache is not known";
        return c;
    }
    c.array_bytes = n * sizeof(float);
    float **memory = mem_zalloc((size_t)threads, sizeof *memory);
    for (int i = 0; i < threads; i++) {
        memory[i] = mem_zalloc(n * ARRAYS, sizeof **memory);
        for (size_t k = 0; k < n * ARRAYS; k++)
            memory[i][k] = 1;
    }
    measure(&c, memory, n, threads);
    for (int i = 0; i < threads; i++)
        mem_free(memory[i]);
    mem_free(memory);
    return c;
}
