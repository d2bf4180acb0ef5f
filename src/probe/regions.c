#include "probe/regions.h"

#include "base/clock.h"
#include "base/status.h"

#include <dlfcn.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { TEAM_MAX = 256 };

typedef void part_fn(void *data);
typedef void parallel_fn(part_fn *fn, void *data, unsigned threads, unsigned flags);
typedef void barrier_fn(void);

static atomic_bool on;
static atomic_int_fast64_t count, wall_ns, wake_ns, barrier_ns;

struct region {
    part_fn *fn;
    void *data;
    int64_t begin_ns[TEAM_MAX], end_ns[TEAM_MAX]; /* of each thread's part; 0: none */
};

/* Each thread writes its own two. */
static void run_part(void *of_region)
{
    struct region *r = of_region;
    int i = omp_get_thread_num();
    r->begin_ns[i] = clock_now_ns();
    r->fn(r->data);
    r->end_ns[i] = clock_now_ns();
}

static void add_up(const struct region *r, int team, int64_t begin_ns, int64_t end_ns)
{
    int64_t wake = 0, wait = 0;
    for (int i = 0; i < team; i++) {
        if (!r->end_ns[i])
            continue;
        wake += r->begin_ns[i] - begin_ns;
        wait += end_ns - r->end_ns[i];
    }
    count++;
    wall_ns += end_ns - begin_ns;
    wake_ns += wake;
    barrier_ns += wait;
}

static void run_timed(parallel_fn *real, part_fn *fn, void *data, unsigned threads,
                      unsigned flags)
{
    struct region r;
    int team = threads ? (int)threads : omp_get_max_threads();
    r.fn = fn;
    r.data = data;
    for (int i = 0; i < team; i++)
        r.begin_ns[i] = r.end_ns[i] = 0;
    int64_t begin_ns = clock_now_ns();
    real(run_part, &r, threads, flags);
    add_up(&r, team, begin_ns, clock_now_ns());
}

static bool is_seen(unsigned threads)
{
    int team = threads ? (int)threads : omp_get_max_threads();
    return atomic_load_explicit(&on, memory_order_relaxed) && team <= TEAM_MAX &&
           omp_get_level() == 0;
}

static void *next_symbol(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        BUG("%s: no OpenMP runtime has it: %s", name, dlerror());
    return found;
}

/* These two stand in front of libgomp's own: the program's symbols come first. */
__attribute__((visibility("default"))) void
GOMP_parallel(part_fn *fn, void *data, unsigned threads, unsigned flags);
__attribute__((visibility("default"))) void GOMP_barrier(void);

void GOMP_parallel(part_fn *fn, void *data, unsigned threads, unsigned flags)
{
    static _Atomic(parallel_fn *) found;
    parallel_fn *real = found;
    if (!real)
        found = real = (parallel_fn *)next_symbol("GOMP_parallel");
    if (is_seen(threads))
        run_timed(real, fn, data, threads, flags);
    else
        real(fn, data, threads, flags);
}

void GOMP_barrier(void)
{
    static _Atomic(barrier_fn *) found;
    barrier_fn *real = found;
    if (!real)
        found = real = (barrier_fn *)next_symbol("GOMP_barrier");
    if (!atomic_load_explicit(&on, memory_order_relaxed)) {
        real();
        return;
    }
    int64_t begin_ns = clock_now_ns();
    real();
    barrier_ns += clock_now_ns() - begin_ns;
}

void regions_start(void)
{
    count = wall_ns = wake_ns = barrier_ns = 0;
    on = true;
}

void regions_stop(struct regions *out)
{
    on = false;
    *out = (struct regions){count, wall_ns, wake_ns, barrier_ns};
}
