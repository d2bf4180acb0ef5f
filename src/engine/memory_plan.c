#include "engine/memory_plan.h"

#include "base/mem.h"
#include "base/units.h"

#include <errno.h>
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
        munmap(p->arena, p->total_bytes);
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
    p->tensor[p->n++] = (struct plan_tensor){name, class, bytes, p->total_bytes, where};
    p->class_bytes[class] += total - p->total_bytes;
    p->total_bytes = total;
}

size_t memory_physical_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (size_t)pages * (size_t)page_bytes : 0;
}

static enum status plan_too_large(const struct memory_plan *p, struct err *err)
{
    return err_set(err, STATUS_ENVIRONMENT,
                   "the run needs %s of memory (parameters %s, activations %s), this "
                   "machine has %s: use a smaller batch_size, context, width or layers",
                   unit_mib((double)p->total_bytes).s,
                   unit_mib((double)p->class_bytes[TENSOR_CLASS_PARAMETERS]).s,
                   unit_mib((double)p->class_bytes[TENSOR_CLASS_ACTIVATIONS]).s,
                   unit_mib((double)memory_physical_bytes()).s);
}

enum status memory_plan_allocate(struct memory_plan *p, struct err *err)
{
    size_t physical = memory_physical_bytes();
    if (p->overflow)
        return err_set(err, STATUS_ENVIRONMENT,
                       "the run needs more memory than 64 bits can count: use a smaller "
                       "batch_size, context, width or layers");
    if (physical && p->total_bytes > physical)
        return plan_too_large(p, err);
    if (p->total_bytes == 0)
        return STATUS_OK;
    void *arena = mmap(NULL, p->total_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (arena == MAP_FAILED)
        return plan_too_large(p, err);
    p->arena = arena;
    for (size_t i = 0; i < p->n; i++)
        if (p->tensor[i].bytes)
            *p->tensor[i].where = p->arena + p->tensor[i].offset;
    return STATUS_OK;
}
