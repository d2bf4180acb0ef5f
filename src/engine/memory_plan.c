#include "engine/memory_plan.h"

#include "base/mem.h"
#include "base/units.h"
#include "machine/cgroup.h"
#include "machine/meminfo.h"

#include <errno.h>
#include <math.h>
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

size_t memory_plan_limit_bytes(const struct memory_plan *p)
{
    if (p->limit_bytes)
        return p->limit_bytes;
    double bytes = meminfo_limit_bytes(CGROUP_ROOT, CGROUP_OF_SELF);
    return isfinite(bytes) && bytes > 0 ? (size_t)bytes : 0;
}

bool memory_plan_fits(const struct memory_plan *p)
{
    size_t limit = memory_plan_limit_bytes(p);
    return !p->overflow && (!limit || p->total_bytes <= limit);
}

static enum status plan_too_large(const struct memory_plan *p, struct err *err)
{
    size_t limit = memory_plan_limit_bytes(p);
    bool whole_machine = (double)limit >= meminfo_total_bytes();
    if (p->overflow)
        return err_set(err, STATUS_ENVIRONMENT,
                       "the run needs more memory than 64 bits can count: use a smaller "
                       "batch_size, context, width or layers");
    return err_set(err, STATUS_ENVIRONMENT,
                   "the run needs %s of memory (parameters %s, activations %s), %s has "
                   "%s: use a smaller batch_size, context, width or layers",
                   unit_mib((double)p->total_bytes).s,
                   unit_mib((double)p->class_bytes[TENSOR_CLASS_PARAMETERS]).s,
                   unit_mib((double)p->class_bytes[TENSOR_CLASS_ACTIVATIONS]).s,
                   whole_machine ? "this machine" : "this process's control group",
                   unit_mib((double)limit).s);
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
    p->arena = arena;
    p->arena_bytes = bytes;
    for (size_t i = 0; i < p->n; i++)
        if (p->tensor[i].bytes)
            *p->tensor[i].where = p->arena + p->tensor[i].offset;
    return STATUS_OK;
}
