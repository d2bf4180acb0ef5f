/* What it costs to have threads work together: a parallel region that does nothing, and a
 * barrier within one. */
#include "base/clock.h"
#include "machine/ceiling.h"

enum { CALLS = 2000 };

static int64_t regions_ns(int threads, int *took_part)
{
    int count = 0;
    int64_t begin_ns = clock_now_ns();
    for (int i = 0; i < CALLS; i++) {
        count = 0;
#pragma omp parallel num_threads(threads) reduction(+ : count)
        count++;
    }
    *took_part = count;
    return clock_now_ns() - begin_ns;
}

static int64_t barriers_ns(int threads, int *took_part)
{
    int count = 0;
    int64_t begin_ns = clock_now_ns();
#pragma omp parallel num_threads(threads) reduction(+ : count)
    {
        count++;
        for (int i = 0; i < CALLS; i++) {
#pragma omp barrier
        }
    }
    *took_part = count;
    return clock_now_ns() - begin_ns;
}

static struct ceiling measure(int64_t (*time_ns)(int threads, int *took_part),
                              const char *how, int threads)
{
    struct ceiling c = {.repetitions = CEILING_REPETITIONS_MAX, .how = how};
    double ns[CEILING_REPETITIONS_MAX];
    time_ns(threads, &c.threads); /* threads are started once */
    int64_t begin_ns = clock_now_ns(), cpu_begin_ns = clock_cpu_ns();
    for (int i = 0; i < c.repetitions; i++)
        ns[i] = (double)time_ns(threads, &c.threads) / CALLS;
    ceiling_summarize(&c, ns, true, begin_ns, cpu_begin_ns);
    return c;
}

struct ceiling ceiling_region(int threads)
{
    return measure(regions_ns, "2,000 regions each time", threads);
}

struct ceiling ceiling_barrier(int threads)
{
    return measure(barriers_ns, "2,000 barriers each time", threads);
}
