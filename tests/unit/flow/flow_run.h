/* Watched steps written down by hand: operators one after the other, with what they read,
 * make and write. */
#ifndef GAIT_TESTS_FLOW_RUN_H
#define GAIT_TESTS_FLOW_RUN_H

#include "cmocka_setup.h"

#include "base/mem.h"
#include "flow/flow_classes.h"
#include "run/op_traits.h"

#include <string.h>

enum { STEPS = 3 };

struct flow_run {
    struct run run;
    int32_t step, line;
    int32_t backward; /* pass */
};

static inline name_id flow_name(struct flow_run *f, const char *text)
{
    return names_add_z(&f->run.names, text);
}

static inline void flow_begin(struct flow_run *f)
{
    *f = (struct flow_run){.line = -1};
    run_init(&f->run);
    ranks_add(&f->run.ranks, (struct rank){0});
}

/* From now on calls stand in one statement. */
static inline void flow_in_a_line(struct flow_run *f)
{
    f->line = (int32_t)f->run.lines.table.n;
    lines_add(&f->run.lines, (struct source_line){.line = 1, .caller = -1});
}

static inline int32_t flow_tensor(struct flow_run *f, enum value_source source,
                                  int64_t bytes)
{
    return (int32_t)tensors_add(&f->run.tensors,
                                (struct tensor_life){.bytes = bytes, .source = source});
}

/* All of a use that is not the same everywhere. */
struct flow_form {
    const char *shape, *strides, *dtype;
};

static inline void flow_use_as(struct flow_run *f, enum tensor_role role, int32_t tensor,
                               const struct flow_form *form, int64_t hash)
{
    const struct op_tensors *u = &f->run.op_tensors;
    int32_t op = (int32_t)f->run.watched_ops.table.n - 1, argument = 0;
    for (size_t i = u->table.n; i-- > 0 && u->op[i] == op;)
        argument++;
    op_tensors_add(&f->run.op_tensors,
                   (struct op_tensor){.op = op,
                                      .role = role,
                                      .argument = argument,
                                      .tensor = tensor,
                                      .shape = flow_name(f, form->shape),
                                      .strides = flow_name(f, form->strides),
                                      .dtype = flow_name(f, form->dtype),
                                      .hash = hash,
                                      .zeros = -1,
                                      .zero_rows = -1});
}

static inline void flow_use_of(struct flow_run *f, enum tensor_role role, int32_t tensor,
                               const char *shape, int64_t hash)
{
    flow_use_as(f, role, tensor, &(struct flow_form){shape, "[1]", "float32"}, hash);
}

static inline size_t flow_op(struct flow_run *f, const char *name, int traits,
                             int64_t scalars)
{
    return watched_ops_add(&f->run.watched_ops,
                           (struct watched_op){.name = flow_name(f, name),
                                               .traits = traits,
                                               .step = f->step,
                                               .line = f->line,
                                               .inner = -1,
                                               .backward = f->backward,
                                               .forward = -1,
                                               .scalars = scalars});
}

/* Of six numbers, which are all of the storage. */
static inline void flow_read(struct flow_run *f, int32_t tensor)
{
    flow_use_of(f, TENSOR_ROLE_READ, tensor, "[6]", 0);
}
static inline int32_t flow_make(struct flow_run *f, int64_t hash)
{
    int32_t tensor = flow_tensor(f, VALUE_SOURCE_MADE, 24);
    flow_use_of(f, TENSOR_ROLE_MADE, tensor, "[6]", hash);
    return tensor;
}
static inline void flow_update(struct flow_run *f, int32_t tensor)
{
    flow_use_of(f, TENSOR_ROLE_UPDATED, tensor, "[6]", 0);
}

/* One operator that reads up to two tensors (-1: none) and makes one. */
static inline int32_t flow_call(struct flow_run *f, const char *name, int32_t a,
                                int32_t b)
{
    flow_op(f, name, a < 0 ? OP_TRAIT_FACTORY : 0, 0);
    if (a >= 0)
        flow_read(f, a);
    if (b >= 0)
        flow_read(f, b);
    return flow_make(f, 0);
}

/* The step ends: the parameter moves by this. */
static inline void flow_train(struct flow_run *f, int32_t parameter, int32_t by)
{
    flow_op(f, "aten::add_.Tensor", 0, 0);
    flow_update(f, parameter);
    flow_read(f, by);
    f->step++;
    f->backward = 0;
}

/* What the last use holds, in 1/1000. */
static inline void flow_holds(struct flow_run *f, int32_t zeros, int32_t zero_rows)
{
    size_t last = f->run.op_tensors.table.n - 1;
    f->run.op_tensors.zeros[last] = zeros;
    f->run.op_tensors.zero_rows[last] = zero_rows;
}

/* A run with one parameter of 64 by 64. */
static inline struct flow_run flow_begun(int32_t *parameter)
{
    struct flow_run f;
    flow_begin(&f);
    *parameter = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 16384);
    return f;
}

/* The class of the n-th operator of that name in a step, and the part that stays. */
static inline enum flow_class class_and_part_of(struct flow_run *f, const char *name,
                                                int32_t step, int n, double *part)
{
    struct flow_graph g;
    enum flow_class found = FLOW_CLASS_COUNT;
    assert_true(flow_graph_init(&g, &f->run, 0));
    struct flow_classes c = flow_classes_of(&g);
    for (size_t op = 0; op < g.n && found == FLOW_CLASS_COUNT; op++)
        if (flow_step(&g, op) == step &&
            !strcmp(run_name(&f->run, f->run.watched_ops.name[op]), name) && n-- == 0)
            found = c.of[op], *part = c.keep[op];
    flow_classes_release(&c);
    flow_graph_release(&g);
    if (found == FLOW_CLASS_COUNT)
        fail_msg("no %s in step %d", name, (int)step);
    return found;
}

static inline enum flow_class class_of(struct flow_run *f, const char *name, int32_t step,
                                       int n)
{
    double part;
    return class_and_part_of(f, name, step, n, &part);
}

static inline void flow_done(struct flow_run *f)
{
    run_release(&f->run);
}

#endif
