/* All ceilings of this machine, measured one after the other. What is measured is a row of
 * a table (ceilings.c); a row that cannot be measured here says why. */
#ifndef GAIT_MACHINE_CEILINGS_H
#define GAIT_MACHINE_CEILINGS_H

#include "machine/ceiling.h"
#include "machine/noise.h"

enum { CEILINGS_MAX = 16 };

struct named_ceiling {
    const char *key;  /* "f32_avx512" */
    const char *what; /* "f32, avx512f FMA" */
    const char *unit; /* "FLOP/s", "B/s" or "ns" */
    struct ceiling c;
};

struct ceilings {
    struct named_ceiling of[CEILINGS_MAX]; /* (n) */
    size_t n;
    struct noise noise;
};

/* Called before each is measured. */
typedef void ceilings_progress_fn(void *context, const char *what, size_t i, size_t n);

/* With so many threads, and the disk of a folder. Takes about ten seconds. */
void ceilings_measure(struct ceilings *all, int threads, const char *folder,
                      ceilings_progress_fn *progress, void *context);

/* Was the machine quiet while they were measured? Else why not, for people: "other
 * programs took 0.98 CPUs"; "" where it was. */
struct noise_text ceilings_noise(const struct ceilings *all);
/* Would another time give the same? Not where other programs ran, nor where a cache was
 * measured slower than memory; a host that takes CPUs away does so always. */
bool ceilings_are_lasting(const struct ceilings *all);

/* Their keys and units alone. */
void ceilings_names(struct ceilings *all);

/* The one of that key; NULL. */
const struct named_ceiling *ceilings_find(const struct ceilings *all, const char *key);
/* Of the widest f32 instructions that the CPU has. */
const struct named_ceiling *ceilings_f32(const struct ceilings *all);

#endif
