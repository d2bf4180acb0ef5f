/*
 * All memory of a training run, listed before it is taken: each tensor with its class and
 * size, then one allocation for all of them, then nothing more. A batch that does not fit
 * is therefore known before step 1.
 *
 * Legal order: memory_plan_init, memory_plan_add…, memory_plan_allocate,
 * memory_plan_release. Pointers named to memory_plan_add() are set by
 * memory_plan_allocate() and must not move before it.
 */
#ifndef GAIT_ENGINE_MEMORY_PLAN_H
#define GAIT_ENGINE_MEMORY_PLAN_H

#include "base/status.h"
#include "machine/memory_limit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TENSOR_CLASS_LIST(E)                                                             \
    E(PARAMETERS, "parameters")                                                          \
    E(GRADIENTS, "gradients")                                                            \
    E(MOMENTS, "moments")                                                                \
    E(ACTIVATIONS, "activations")                                                        \
    E(WORKSPACE, "workspace")                                                            \
    E(DATA, "data")

enum tensor_class {
#define TENSOR_CLASS_VALUE(v, text) TENSOR_CLASS_##v,
    TENSOR_CLASS_LIST(TENSOR_CLASS_VALUE) TENSOR_CLASS_COUNT
};
extern const char *const tensor_class_text[TENSOR_CLASS_COUNT];

/* Every tensor begins on a cache line. */
enum { TENSOR_ALIGN_BYTES = 64 };

struct plan_tensor {
    size_t bytes;  /* as asked for */
    size_t offset; /* in the arena */
    void **where;  /* set to the tensor when the arena exists */
};

struct memory_plan {
    struct plan_tensor *tensor; /* (n) */
    size_t n, cap;
    size_t class_bytes[TENSOR_CLASS_COUNT]; /* with the padding between tensors */
    size_t total_bytes;
    bool overflow;             /* some size did not fit in 64 bits */
    size_t limit_bytes;        /* not more than this; 0: what this process can have */
    struct memory_limit limit; /* whose limit_bytes is, for messages */
    char *arena;        /* (total_bytes), zeroed, NULL before memory_plan_allocate() */
    size_t arena_bytes; /* as mapped: whole pages */
};

void memory_plan_init(struct memory_plan *p);
void memory_plan_release(struct memory_plan *p);

/* Plan n elements of `size` bytes; *where is set later. n or size may be 0: NULL then.
 * Sizes that overflow are remembered and refused by memory_plan_allocate(). */
void memory_plan_add(struct memory_plan *p, void **where, enum tensor_class class,
                     const char *name, int64_t n, size_t size);

/* The product of sizes, each >= 0, or INT64_MAX where it overflows. */
int64_t memory_plan_count(const int64_t *size, int n);
#define PLAN_COUNT(...)                                                                  \
    memory_plan_count((const int64_t[]){__VA_ARGS__},                                    \
                      (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))

/* Not more than this limit leaves. */
void memory_plan_set_limit(struct memory_plan *p, const struct memory_limit *limit);
/* The most that may be taken: as set, or else what the least limit of this process leaves
 * (memory_limit.h). 0: not known. */
size_t memory_plan_limit_bytes(const struct memory_plan *p);
bool memory_plan_fits(const struct memory_plan *p);
/* Take the memory. More than the limit is an error that names the limit and the classes:
 * a process that passes its control group's limit would be killed without a word. */
enum status memory_plan_allocate(struct memory_plan *p, struct err *err);

#endif
