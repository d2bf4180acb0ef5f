/*
 * Batches ahead of time: threads fill a ring of buffers with the batches of a loader, in
 * the order of positions, while the caller works on the one before. What a position holds
 * does not depend on threads or depth. Nothing is allocated for a batch, and the buffers
 * are the caller's.
 *
 * Legal order: prefetch_open, prefetch_next…, prefetch_close.
 */
#ifndef GAIT_DATA_PREFETCH_H
#define GAIT_DATA_PREFETCH_H

#include "base/status.h"
#include "data/loader.h"

#include <stddef.h>
#include <stdint.h>

struct prefetch;

struct prefetch_options {
    int workers;     /* 0: fill in prefetch_next(), in the calling thread */
    int depth;       /* batches of the ring, at least 1; 2 or more to gain time */
    int64_t first;   /* position of the first batch: any, also amid an epoch */
    int32_t *buffer; /* (prefetch_buffer_ints()) must outlive it */
};

/* How many int32 the ring needs: depth * 2 * B * T. */
size_t prefetch_buffer_ints(const struct loader *l, int depth);

struct batch {
    const int32_t *inputs;  /* (B, T) stand until the next call */
    const int32_t *targets; /* (B, T) */
    int64_t position;
    int64_t waited_ns; /* until it was there: next to nothing when it had been filled
                          before */
};

/* On OK the caller calls prefetch_close(). The loader must outlive it. */
enum status prefetch_open(struct prefetch **out, const struct loader *l,
                          const struct prefetch_options *o, struct err *err);
/* The next batch. Fails where loader_train() fails for its position, and then again. */
enum status prefetch_next(struct prefetch *p, struct batch *out, struct err *err);
/* Ends the threads, at any time; NULL is fine. */
void prefetch_close(struct prefetch *p);

#endif
