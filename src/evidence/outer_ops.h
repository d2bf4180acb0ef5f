/*
 * The operators that a job's own code called, in order, without what those call in turn;
 * of the backward pass its nodes. Each with the part of the step it stands in.
 */
#ifndef GAIT_EVIDENCE_OUTER_OPS_H
#define GAIT_EVIDENCE_OUTER_OPS_H

#include "evidence/evidence.h"
#include "evidence/op_sort.h"

#include <string.h>

enum op_place {
    OP_PLACE_CODE,      /* the job's own: batch, forward pass, loss, clipping, logging */
    OP_PLACE_BACKWARD,  /* a node of the backward pass */
    OP_PLACE_OPTIMIZER, /* in Optimizer.step */
    OP_PLACE_CLEAR,     /* in Optimizer.zero_grad */
};

struct outer_op {
    int32_t op; /* of the thread's ops */
    enum op_place place;
};

/* Fill in e->sort, and outer of all threads. */
void outer_ops_find(struct evidence *e);

/* Is it the mark of that part of a step: "Optimizer.step#AdamW.step"? */
bool outer_ops_is_mark(const char *name, enum op_place place);

/* Is it an optimizer's step: PyTorch's mark, or the phase of Gait's own trainer? */
bool outer_ops_is_optimizer(const struct evidence *e, const struct host_op *op);

static inline const struct host_op *outer_op_at(const struct host_thread *t, size_t i)
{
    return &t->op[t->outer[i].op];
}

/* Bits of enum op_sort. */
static inline unsigned outer_op_sort(const struct evidence *e, const struct host_op *op)
{
    return e->sort[e->run->spans.name[op->span]];
}

static inline bool outer_op_named(const struct evidence *e, const struct host_op *op,
                                  const char *name)
{
    const char *own = evidence_name(e, op);
    while (*own && *own == *name) {
        own++;
        name++;
    }
    return *own == *name;
}

static inline bool outer_op_one_of(const struct evidence *e, const struct host_op *op,
                                   const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (outer_op_named(e, op, names[i]))
            return true;
    return false;
}

/* The same for an array. */
#define OUTER_OP_IS_ONE_OF(e, op, names)                                                 \
    outer_op_one_of(e, op, names, sizeof(names) / sizeof *(names))

/* As a reader knows it: "mul" of "aten::mul". */
static inline const char *outer_op_short_name(const struct evidence *e,
                                              const struct host_op *op)
{
    static const char prefix[] = "aten::";
    const char *name = evidence_name(e, op);
    return strncmp(name, prefix, sizeof prefix - 1) ? name : name + sizeof prefix - 1;
}

/* The first call of that name in the op, or NULL. */
const struct host_op *outer_op_calls(const struct evidence *e,
                                     const struct host_thread *t,
                                     const struct host_op *op, const char *name);

/* What it takes: the device work that it launched, or its own time where there is none.
 */
double outer_op_ns(const struct evidence *e, const struct host_thread *t,
                   const struct host_op *op);

/* "aten::softmax [[4,8,64,64],[],[]], model.py(41): forward", as far as it is known. */
void outer_op_where(const struct evidence *e, const struct host_thread *t,
                    const struct host_op *op, char *text, size_t size);

#endif
