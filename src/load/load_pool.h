/*
 * Small files loaded ahead by several threads and handed out in order: a thousand run
 * files cost more in opening than in rows. A large trace is left to the caller, who reads
 * it with all threads at once, so that no more than one is ever in memory.
 */
#ifndef GAIT_LOAD_LOAD_POOL_H
#define GAIT_LOAD_LOAD_POOL_H

#include "load/load_runs.h"
#include "load/path_list.h"

struct load_pool;

/* The files and options must outlive the pool. NULL where one thread is as good. Free
 * with load_pool_free(), whatever was taken. */
struct load_pool *load_pool_new(const struct path_list *files,
                                const struct load_options *options);
void load_pool_free(struct load_pool *p); /* NULL is fine */

enum load_taken {
    LOAD_TAKEN, /* *run holds it, or *st and *err say why not */
    LOAD_LEFT,  /* it is yours to read */
};

/* Wait for file i; each of 0, 1, 2 … is asked for once, in this order. *run is
 * run_init'ed by the caller. */
enum load_taken load_pool_take(struct load_pool *p, size_t i, struct run *run,
                               enum status *st, struct err *err);

#endif
