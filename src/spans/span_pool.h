/* The inside of span_store.h: where packed runs are. */
#ifndef GAIT_SPANS_SPAN_POOL_H
#define GAIT_SPANS_SPAN_POOL_H

#include "spans/span_store.h"
#include "spans/spill_file.h"

#include <pthread.h>

/* One packed run, or a part of one that was longer than SPAN_RUN_ROWS. */
struct span_run {
    int64_t order; /* the recorder's, */
    int32_t part;  /* counted on within a long run */
    int32_t writer;
    int64_t first_begin_ns, last_begin_ns;
    uint32_t rows;       /* at least 1 */
    uint32_t bytes;      /* packed */
    uint32_t lane_max;   /* what a reader may meet in it */
    name_id name_max;    /* of names and shapes */
    uint8_t *memory;     /* the pool's; NULL: it is in the file, */
    int64_t file_offset; /* there */
};

/* Memory comes in large pieces, which cost fewer page faults than a piece a run. */
struct span_slab {
    struct span_slab *older;
    size_t bytes, bytes_used;
    uint8_t data[]; /* (bytes) and PACK_SLACK */
};

struct span_pool {
    pthread_mutex_t lock;   /* of all below, not of what is in slabs and file */
    struct span_slab *slab; /* the newest */
    size_t memory_bytes_left;
    struct spill_file file;
    struct span_run *run; /* (n) as they came */
    size_t n, cap;
};

/* Puts packed rows of run->bytes into memory or file and notes in *run where. */
enum status span_pool_store(struct span_pool *p, const uint8_t *packed,
                            struct span_run *run, struct err *err);
/* From now on readers see these. (What is stored and never published is lost room.) */
void span_pool_publish(struct span_pool *p, const struct span_run *runs, size_t n);

#endif
