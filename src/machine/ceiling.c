/*
 * Each ceiling is measured in repetitions of a few milliseconds within a time budget. A
 * repetition is timed from before the parallel region to after its join, so the slowest
 * thread counts; an empty region costs microseconds.
 */
#include "machine/ceiling.h"

#include "base/clock.h"
#include "base/stats.h"
#include "base/status.h"
#include "machine/amx_loop.h"
#include "machine/cpu.h"
#include "machine/fma_loops.h"
#include "machine/meminfo.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

enum { REPETITIONS_MIN = 3 };
static const int64_t flop_repetition_ns = 8 * 1000 * 1000;
static const int64_t memory_budget_ns = 300 * 1000 * 1000;

/* By how much the last third is more than the first. */
static double drift_of(const double *v, size_t n)
{
    size_t third = n / 3;
    return third ? stats_median(v + n - third, third) / stats_median(v, third) - 1 : 0;
}

void ceiling_summarize(struct ceiling *c, const double *v, bool is_cost, int64_t begin_ns,
                       int64_t cpu_begin_ns)
{
    int cores = cpu_usable_cores();
    size_t n = (size_t)c->repetitions;
    double asked_ns =
        (double)(clock_now_ns() - begin_ns) * (c->threads < cores ? c->threads : cores);
    struct median_interval m = stats_median_interval(v, n);
    c->cpu_frac = fmin(1, (double)(clock_cpu_ns() - cpu_begin_ns) / asked_ns);
    c->best = stats_quantile(v, n, is_cost ? 0 : 1);
    c->median = m.median;
    c->low = m.low;
    c->high = m.high;
    c->drift_frac = drift_of(v, n);
}

/* All threads run the loop; returns the time, and in *took_part how many they were. */
static int64_t fma_time_ns(const struct fma_loop *loop, int64_t iterations, int threads,
                           int *took_part)
{
    int count = 0, wrong = 0;
    int64_t begin_ns = clock_now_ns();
#pragma omp parallel num_threads(threads) reduction(+ : count, wrong)
    {
        count++;
        wrong += fabsf(loop->run(iterations) - 1) > 1e-3f;
    }
    int64_t dur_ns = clock_now_ns() - begin_ns;
    if (wrong)
        BUG("the %s loop was not computed", loop->name);
    *took_part = count;
    return dur_ns > 0 ? dur_ns : 1;
}

/* Iterations for one repetition, found on the calling thread alone: on a busy machine a
 * parallel region may wait longer for its threads than they work. The least of a few
 * times counts, for another program's turn may lie in one. */
static int64_t fma_iterations(const struct fma_loop *loop)
{
    for (int64_t iterations = 1 << 14;; iterations *= 2) {
        int64_t least_ns = INT64_MAX;
        for (int i = 0; i < REPETITIONS_MIN; i++) {
            int took_part;
            int64_t dur_ns = fma_time_ns(loop, iterations, 1, &took_part);
            least_ns = dur_ns < least_ns ? dur_ns : least_ns;
        }
        if (least_ns > flop_repetition_ns / 8)
            return iterations * flop_repetition_ns / least_ns + 1;
    }
}

static struct ceiling ceiling_of_loop(const struct fma_loop *loop, int threads)
{
    struct ceiling c = {.repetitions = CEILING_REPETITIONS_MAX, .how = loop->name};
    double per_s[CEILING_REPETITIONS_MAX];
    int64_t iterations = fma_iterations(loop);
    int64_t begin_ns = clock_now_ns(), cpu_begin_ns = clock_cpu_ns();
    for (int i = 0; i < c.repetitions; i++) {
        int64_t dur_ns = fma_time_ns(loop, iterations, threads, &c.threads);
        double flop = (double)loop->flop * (double)iterations * c.threads;
        per_s[i] = flop * 1e9 / (double)dur_ns;
    }
    ceiling_summarize(&c, per_s, false, begin_ns, cpu_begin_ns);
    return c;
}

struct ceiling ceiling_f32_flop(int threads)
{
    struct fma_loop loop = fma_loop_best();
    return ceiling_of_loop(&loop, threads);
}

struct ceiling ceiling_flop_by(int instructions, int threads)
{
    struct fma_loop loop = fma_loop_of((enum fma_instructions)instructions);
    if (!loop.run)
        return (struct ceiling){.how = loop.name};
    return ceiling_of_loop(&loop, threads);
}

struct ceiling ceiling_bf16_flop(int threads)
{
    struct fma_loop loop;
    if (!amx_loop(&loop))
        return (struct ceiling){.how = "this machine has no AMX that a process may use"};
    return ceiling_of_loop(&loop, threads);
}

enum { ARRAYS = 3 };
static const size_t array_min_bytes = (size_t)16 << 20;
static const size_t array_max_bytes = (size_t)256 << 20;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

size_t ceiling_array_bytes(size_t level2, size_t last_level, double available)
{
    size_t bytes = larger(array_min_bytes, 4 * level2);
    bytes = larger(bytes, last_level / ARRAYS * 5 / 4); /* together 1.25 of the cache */
    bytes = bytes < array_max_bytes ? bytes : array_max_bytes;
    bytes &= ~(size_t)4095;
    /* Never more than a quarter of what is free. */
    return (double)bytes * ARRAYS * 4 <= available ? bytes : 0;
}

static int triad(float *restrict a, const float *restrict b, const float *restrict c,
                 float s, int64_t n, int threads)
{
    int count = 0;
#pragma omp parallel num_threads(threads) reduction(+ : count)
    {
        count++;
#pragma omp for simd schedule(static)
        for (int64_t i = 0; i < n; i++)
            a[i] = b[i] + s * c[i];
    }
    return count;
}

/* The thread that later reads a page writes it first, so that it lies near. */
static void first_touch(float *a, float *b, float *c, int64_t n, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < n; i++) {
        a[i] = 0;
        b[i] = 1;
        c[i] = 2;
    }
}

static void measure_triad(struct ceiling *result, float *memory, int threads)
{
    int64_t n = (int64_t)(result->array_bytes / sizeof(float));
    float *a = memory, *b = memory + n, *c = memory + 2 * n;
    double per_s[CEILING_REPETITIONS_MAX];
    first_touch(a, b, c, n, threads);
    triad(a, b, c, 1, n, threads);
    int64_t first_ns = clock_now_ns(), cpu_first_ns = clock_cpu_ns();
    int i = 0;
    while (i < CEILING_REPETITIONS_MAX &&
           (i < REPETITIONS_MIN || clock_now_ns() < first_ns + memory_budget_ns)) {
        int64_t begin_ns = clock_now_ns();
        result->threads = triad(a, b, c, (float)i, n, threads);
        int64_t dur_ns = clock_now_ns() - begin_ns;
        if (a[0] != 1.0f + 2.0f * (float)i || a[n - 1] != a[0])
            BUG("the triad was not computed");
        per_s[i++] = (double)result->array_bytes * ARRAYS * 1e9 / (double)dur_ns;
    }
    result->repetitions = i;
    ceiling_summarize(result, per_s, false, first_ns, cpu_first_ns);
}

struct ceiling ceiling_memory(int threads)
{
    struct ceiling c = {.how = "triad a = b + s * c"};
    c.array_bytes =
        ceiling_array_bytes((size_t)cpu_cache_bytes(2), (size_t)cpu_last_cache_bytes(),
                            meminfo_available_bytes());
    if (!c.array_bytes) {
        c.how = "its arrays need more memory than is known to be free";
        return c;
    }
    size_t bytes = c.array_bytes * ARRAYS;
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        c.how = "the memory for its arrays was refused";
        return c;
    }
    madvise(memory, bytes, MADV_HUGEPAGE); /* fewer page faults; fine where refused */
    measure_triad(&c, memory, threads);
    munmap(memory, bytes);
    return c;
}
