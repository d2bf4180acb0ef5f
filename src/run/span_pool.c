#include "run/span_pool.h"

#include "base/mem.h"
#include "run/span_pack.h"

#include <string.h>

struct span_pool *span_pool_new(size_t memory_bytes, const char *folder)
{
    struct span_pool *p = mem_zalloc(1, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    p->memory_bytes = memory_bytes;
    spill_file_init(&p->file, folder);
    return p;
}

void span_pool_free(struct span_pool *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n; i++)
        mem_free(p->run[i].memory);
    mem_free(p->run);
    spill_file_release(&p->file);
    pthread_mutex_destroy(&p->lock);
    mem_free(p);
}

int64_t span_pool_spilled_bytes(struct span_pool *p)
{
    pthread_mutex_lock(&p->lock);
    int64_t bytes = p->file.size_bytes;
    pthread_mutex_unlock(&p->lock);
    return bytes;
}

/* Takes the room, in memory or else in the file; what goes there is copied later. */
static enum status span_pool_reserve(struct span_pool *p, struct span_run *run,
                                     bool *in_memory, struct err *err)
{
    enum status st = STATUS_OK;
    pthread_mutex_lock(&p->lock);
    *in_memory = run->bytes <= p->memory_bytes - p->memory_bytes_used;
    if (*in_memory)
        p->memory_bytes_used += run->bytes;
    else
        st = spill_file_reserve(&p->file, run->bytes, &run->file_offset, err);
    pthread_mutex_unlock(&p->lock);
    return st;
}

enum status span_pool_store(struct span_pool *p, const uint8_t *packed,
                            struct span_run *run, struct err *err)
{
    bool in_memory;
    enum status st = span_pool_reserve(p, run, &in_memory, err);
    if (st != STATUS_OK)
        return st;
    if (!in_memory)
        return spill_file_write(&p->file, packed, run->bytes, run->file_offset, err);
    run->memory = mem_alloc((size_t)run->bytes + PACK_SLACK);
    memcpy(run->memory, packed, run->bytes);
    memset(run->memory + run->bytes, 0, PACK_SLACK);
    return STATUS_OK;
}

void span_pool_publish(struct span_pool *p, const struct span_run *runs, size_t n)
{
    if (!n)
        return;
    pthread_mutex_lock(&p->lock);
    vec_grow(p->run, p->cap, p->n + n);
    memcpy(p->run + p->n, runs, n * sizeof *runs);
    p->n += n;
    pthread_mutex_unlock(&p->lock);
}

void span_pool_discard(struct span_pool *p, const struct span_run *runs, size_t n)
{
    size_t freed_bytes = 0;
    for (size_t i = 0; i < n; i++) {
        if (runs[i].memory)
            freed_bytes += runs[i].bytes;
        mem_free(runs[i].memory);
    }
    pthread_mutex_lock(&p->lock);
    p->memory_bytes_used -= freed_bytes;
    pthread_mutex_unlock(&p->lock);
}
