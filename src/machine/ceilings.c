#include "machine/ceilings.h"

#include "machine/fma_loops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How a row is measured. */
struct way {
    const char *key, *what, *unit;
    enum {
        BY_INSTRUCTIONS,
        BY_TILES,
        OF_CACHE,
        OF_MEMORY,
        REGION,
        BARRIER,
        WRITE,
        READ
    } how;
    int which; /* instructions, or level */
};

#define INSTRUCTIONS_WAY(v, key, what) {key, what, "FLOP/s", BY_INSTRUCTIONS, FMA_##v},
static const struct way ways[] = {
    FMA_INSTRUCTIONS(INSTRUCTIONS_WAY) /* */
    {"bf16_amx", "bf16, AMX tiles", "FLOP/s", BY_TILES, 0},
    {"l1", "first-level cache", "B/s", OF_CACHE, 1},
    {"l2", "second-level cache", "B/s", OF_CACHE, 2},
    {"l3", "third-level cache, shared", "B/s", OF_CACHE, 3},
    {"memory", "memory", "B/s", OF_MEMORY, 0},
    {"region", "a parallel region", "ns", REGION, 0},
    {"barrier", "a barrier", "ns", BARRIER, 0},
    {"disk_write", "disk, written", "B/s", WRITE, 0},
    {"disk_read", "disk, read", "B/s", READ, 0},
};
enum { N_WAYS = sizeof ways / sizeof *ways };
_Static_assert((int)N_WAYS <= (int)CEILINGS_MAX, "room for all");

static struct ceiling measure(const struct way *w, int threads, const char *folder)
{
    switch (w->how) {
    case BY_INSTRUCTIONS:
        return ceiling_flop_by(w->which, threads);
    case BY_TILES:
        return ceiling_bf16_flop(threads);
    case OF_CACHE:
        return ceiling_cache(w->which, threads);
    case OF_MEMORY:
        return ceiling_memory(threads);
    case REGION:
        return ceiling_region(threads);
    case BARRIER:
        return ceiling_barrier(threads);
    case WRITE:
        return ceiling_disk_write(folder);
    case READ:
        return ceiling_disk_read(folder);
    }
    return (struct ceiling){.how = "nobody knows how"};
}

void ceilings_names(struct ceilings *all)
{
    *all = (struct ceilings){.n = N_WAYS};
    for (size_t i = 0; i < all->n; i++)
        all->of[i] = (struct named_ceiling){
            .key = ways[i].key, .what = ways[i].what, .unit = ways[i].unit};
}

void ceilings_measure(struct ceilings *all, int threads, const char *folder,
                      ceilings_progress_fn *progress, void *context)
{
    struct noise_mark begin = noise_begin();
    ceilings_names(all);
    for (size_t i = 0; i < all->n; i++) {
        if (progress)
            progress(context, ways[i].what, i, all->n);
        all->of[i].c = measure(&ways[i], threads, folder);
    }
    all->noise = noise_since(&begin);
}

/* Of the clock, while one loop ran: beyond it the machine was not quiet. */
static const double DRIFT_MOST = 0.05;

/* The largest, of those that caches and disks do not touch. */
static double drift_of(const struct ceilings *all)
{
    double drift = 0;
    for (size_t i = 0; i < all->n; i++)
        if (!strcmp(all->of[i].unit, "FLOP/s") &&
            fabs(all->of[i].c.drift_frac) > fabs(drift))
            drift = all->of[i].c.drift_frac;
    return drift;
}

/* The cache's level that was no faster than memory; NULL. Nothing was wrong with the
 * machine then: something else ran, or the program is not one to measure with. */
static const char *slow_cache(const struct ceilings *all)
{
    static const char *const level[] = {"l1", "l2"};
    const struct named_ceiling *memory = ceilings_find(all, "memory");
    for (size_t i = 0; i < sizeof level / sizeof *level; i++) {
        const struct named_ceiling *x = ceilings_find(all, level[i]);
        if (x && x->c.repetitions && memory && memory->c.repetitions &&
            x->c.median <= memory->c.median)
            return x->what;
    }
    return NULL;
}

bool ceilings_are_lasting(const struct ceilings *all)
{
    return !noise_has_others(&all->noise) && !slow_cache(all);
}

struct noise_text ceilings_noise(const struct ceilings *all)
{
    struct noise_text t = noise_text(&all->noise);
    double drift = drift_of(all);
    const char *slow = slow_cache(all);
    if (*t.s)
        return t;
    if (slow)
        snprintf(t.s, sizeof t.s, "the %s was measured no faster than memory", slow);
    else if (fabs(drift) > DRIFT_MOST)
        snprintf(
            t.s, sizeof t.s,
            "the clock, or a sibling's load, changed: one loop was %.0f %% %s at its "
            "end than at its beginning",
            100 * fabs(drift), drift < 0 ? "slower" : "faster");
    return t;
}

const struct named_ceiling *ceilings_find(const struct ceilings *all, const char *key)
{
    for (size_t i = 0; i < all->n; i++)
        if (!strcmp(all->of[i].key, key))
            return &all->of[i];
    return NULL;
}

const struct named_ceiling *ceilings_f32(const struct ceilings *all)
{
    static const char *const key[] = {"f32_avx512", "f32_avx2", "f32_128bit"};
    const struct named_ceiling *x = NULL;
    for (size_t i = 0; i < sizeof key / sizeof *key && !(x && x->c.repetitions); i++)
        x = ceilings_find(all, key[i]);
    return x;
}
