/*
 * Ceilings that were measured on this machine before: one run file a machine, in the
 * user's cache folder (XDG_CACHE_HOME, else ~/.cache). A machine is what it is by its CPU,
 * its caches, what the process may use of it, and by this build.
 */
#ifndef GAIT_CLI_BENCH_CACHE_H
#define GAIT_CLI_BENCH_CACHE_H

#include "base/strbuf.h"
#include "machine/ceilings.h"
#include "run/run.h"

struct bench_cache {
    struct strbuf path;        /* "" where the user has no such folder */
    struct strbuf fingerprint; /* in words */
};

/* machine: facts of machine_describe(). */
void bench_cache_init(struct bench_cache *c, const struct run *machine, int threads);
void bench_cache_release(struct bench_cache *c);

/* What is kept, into kept (run_init'ed by the caller), whose texts the ceilings have; NULL
 * where there is nothing for this machine, else when it was measured. */
const char *bench_cache_load(const struct bench_cache *c, struct run *kept,
                             struct ceilings *all);
/* OK also where there is no folder to keep it in. */
enum status bench_cache_save(const struct bench_cache *c, const struct ceilings *all,
                             struct err *err);

#endif
