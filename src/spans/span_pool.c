#include "spans/span_pool.h"

#include "base/mem.h"
#include "spans/span_pack.h"

#include <string.h>
#include <sys/mman.h>

/* Slabs double, so that a short recording takes little memory. */
enum { SLAB_MIN_BYTES = 16 << 10, SLAB_MAX_BYTES = 8 << 20, HUGE_PAGE_BYTES = 2 << 20 };

_Static_assert((size_t)SPAN_RUN_ROWS *PACK_ROW_MAX_BYTES <= SLAB_MAX_BYTES,
               "any run fits in a slab");

struct span_pool *span_pool_new(size_t memory_bytes, const char *folder)
{
    struct span_pool *p = mem_zalloc(1, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    p->memory_bytes_left = memory_bytes;
    spill_file_init(&p->file, folder);
    return p;
}

void span_pool_free(struct span_pool *p)
{
    if (!p)
        return;
    while (p->slab) {
        struct span_slab *older = p->slab->older;
        mem_free(p->slab);
        p->slab = older;
    }
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

static void span_pool_add_slab(struct span_pool *p, size_t need)
{
    size_t bytes = p->slab ? 2 * p->slab->bytes : SLAB_MIN_BYTES;
    while (bytes < need)
        bytes *= 2;
    if (bytes > SLAB_MAX_BYTES)
        bytes = SLAB_MAX_BYTES;
    if (bytes > p->memory_bytes_left)
        bytes = p->memory_bytes_left;
    struct span_slab *slab = mem_alloc(sizeof *slab + bytes + PACK_SLACK);
    *slab = (struct span_slab){.older = p->slab, .bytes = bytes};
    p->slab = slab;
    p->memory_bytes_left -= bytes;
    /* Whole huge pages within it; fine where refused. */
    uintptr_t begin =
        ((uintptr_t)slab + HUGE_PAGE_BYTES - 1) & -(uintptr_t)HUGE_PAGE_BYTES;
    uintptr_t end = ((uintptr_t)slab->data + bytes) & -(uintptr_t)HUGE_PAGE_BYTES;
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

static bool slab_has_room(const struct span_slab *s, size_t bytes)
{
    return s && s->bytes - s->bytes_used >= bytes;
}

/* NULL: there is no room. */
static uint8_t *span_pool_take_memory(struct span_pool *p, size_t bytes)
{
    if (!slab_has_room(p->slab, bytes) && bytes <= p->memory_bytes_left)
        span_pool_add_slab(p, bytes);
    if (!slab_has_room(p->slab, bytes))
        return NULL;
    uint8_t *memory = p->slab->data + p->slab->bytes_used;
    p->slab->bytes_used += bytes;
    return memory;
}

enum status span_pool_store(struct span_pool *p, const uint8_t *packed,
                            struct span_run *run, struct err *err)
{
    enum status st = STATUS_OK;
    pthread_mutex_lock(&p->lock);
    run->memory = span_pool_take_memory(p, run->bytes);
    if (!run->memory)
        st = spill_file_reserve(&p->file, run->bytes, &run->file_offset, err);
    pthread_mutex_unlock(&p->lock);
    if (st != STATUS_OK)
        return st;
    if (!run->memory)
        return spill_file_write(&p->file, packed, run->bytes, run->file_offset, err);
    memcpy(run->memory, packed, run->bytes);
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
