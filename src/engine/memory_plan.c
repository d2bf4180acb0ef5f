#include "engine/memory_plan.h"

#include "base/mem.h"
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *const tensor_class_text[TENSOR_CLASS_COUNT] = {
#define TENSOR_CLASS_TEXT(v, text) [TENSOR_CLASS_##v] = text,
    TENSOR_CLASS_LIST(TENSOR_CLASS_TEXT)};

void memory_plan_init(struct memory_plan *p)
{
    memset(p, 0, sizeof *p);
}

void memory_plan_release(struct memory_plan *p)
{
    if (p->arena)
        munmap(p->arena, p->arena_bytes);
    mem_free(p->tensor);
    memory_plan_init(p);
}

int64_t memory_plan_count(const int64_t *size, int n)
{
    int64_t product = 1;
    for (int i = 0; i < n; i++)
        if (__builtin_mul_overflow(product, size[i], &product))
            return INT64_MAX;
    return product;
}

void memory_plan_add(struct memory_plan *p, void **where, enum tensor_class class,
                     const char *name, int64_t n, size_t size)
{
    size_t bytes, padded, total;
    if (p->arena)
        BUG("tensor %s is planned after the allocation", name);
    *where = NULL;
    if (__builtin_mul_overflow((size_t)n, size, &bytes) ||
        __builtin_add_overflow(bytes, TENSOR_ALIGN_BYTES - 1, &padded) ||
        __builtin_add_overflow(p->total_bytes, padded & ~(size_t)(TENSOR_ALIGN_BYTES - 1),
                               &total)) {
        p->overflow = true;
        return;
    }
    vec_grow(p->tensor, p->cap, p->n + 1);
    p->tensor[p->n++] = (struct plan_tensor){bytes, p->total_bytes, where};
    p->class_bytes[class] += total - p->total_bytes;
    p->total_bytes = total;
}

static size_t bytes_left(const struct memory_limit *limit)
{
    if (limit->kind == MEMORY_LIMIT_NONE || !isfinite(limit->left_bytes))
        return 0;
    return limit->left_bytes >= 1 ? (size_t)limit->left_bytes : 1;
}

void memory_plan_set_limit(struct memory_plan *p, const struct memory_limit *limit)
{
    p->limit = *limit;
    p->limit_bytes = bytes_left(limit);
}

size_t memory_plan_limit_bytes(const struct memory_plan *p)
{
    if (p->limit_bytes)
        return p->limit_bytes;
    struct memory_limit limit = memory_limit_find(&(struct memory_limit_options){0});
    return bytes_left(&limit);
}

bool memory_plan_fits(const struct memory_plan *p)
{
    size_t limit = memory_plan_limit_bytes(p);
    return !p->overflow && (!limit || p->total_bytes <= limit);
}

/* "this machine has 23.5 GiB" */
static void limit_text(char *out, size_t size, const struct memory_limit *l)
{
    static const char *const whose[] = {
        [MEMORY_LIMIT_NONE] = "there are",
        [MEMORY_LIMIT_MACHINE] = "this machine has",
        [MEMORY_LIMIT_GROUP] = "this process's control group has",
        [MEMORY_LIMIT_ADDRESS_SPACE] = "this process's address space is limited to",
    };
    snprintf(out, size, "%s %s (%s), of which the process has %s and keeps %s free",
             whose[l->kind], unit_mib(l->bytes).s, l->file, unit_mib(l->used_bytes).s,
             unit_mib(l->kept_bytes).s);
}

static enum status plan_too_large(const struct memory_plan *p, struct err *err)
{
    char has[256];
    struct memory_limit limit = p->limit;
    if (limit.kind == MEMORY_LIMIT_NONE)
        limit = memory_limit_find(&(struct memory_limit_options){0});
    limit_text(has, sizeof has, &limit);
    if (p->overflow)
        return err_set(err, STATUS_ENVIRONMENT,
                       "the run needs more memory than 64 bits can count: use a smaller "
                       "batch_size, context, width or layers");
    return err_set(err, STATUS_ENVIRONMENT,
                   "the run needs %s of memory (parameters %s, activations %s), and %s: "
                   "use a smaller batch_size, context, width or layers%s",
                   unit_mib((double)p->total_bytes).s,
                   unit_mib((double)p->class_bytes[TENSOR_CLASS_PARAMETERS]).s,
                   unit_mib((double)p->class_bytes[TENSOR_CLASS_ACTIVATIONS]).s, has,
                   limit.kind == MEMORY_LIMIT_MACHINE ? "" : ", or raise the limit");
}

static enum status plan_refused(const struct memory_plan *p, struct err *err)
{
    int e = errno;
    return err_set(err, STATUS_ENVIRONMENT,
                   "the system does not give the run %s of memory: %s; use a smaller "
                   "batch_size, or raise the limit (ulimit -v)",
                   unit_mib((double)p->total_bytes).s, strerror(e));
}

static size_t whole_pages(size_t bytes)
{
    long page = sysconf(_SC_PAGESIZE);
    size_t rest = page > 0 ? bytes % (size_t)page : 0;
    return rest ? bytes - rest + (size_t)page : bytes;
}

enum status memory_plan_allocate(struct memory_plan *p, struct err *err)
{
    if (!memory_plan_fits(p))
        return plan_too_large(p, err);
    if (p->total_bytes == 0)
        return STATUS_OK;
    size_t bytes = whole_pages(p->total_bytes);
    void *arena =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (arena == MAP_FAILED)
        return plan_refused(p, err);
    /* Fewer TLB misses. Where huge pages are off, the arena works with small ones. */
    madvise(arena, bytes, MADV_HUGEPAGE);
    p->arena = arena;
    p->arena_bytes = bytes;
    for (size_t i = 0; i < p->n; i++)
        if (p->tensor[i].bytes)
            *p->tensor[i].where = p->arena + p->tensor[i].offset;
    return STATUS_OK;
}
