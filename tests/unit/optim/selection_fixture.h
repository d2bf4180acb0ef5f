/* The tensors of optimizer_fixture.h, what chooses among them, and the same choice by
 * sorting. */
#ifndef GAIT_TESTS_SELECTION_FIXTURE_H
#define GAIT_TESTS_SELECTION_FIXTURE_H

#include "optim/selection.h"
#include "optimizer_fixture.h"

#include <stdlib.h>

enum { TENSORS = 5, STEPS = 12 };

struct selected {
    struct moved m;
    struct memory_plan plan;
    struct clip clip;
    struct selection selection;
};

static inline void selected_open(struct selected *s, struct optimizer o, bool split,
                                 int64_t k)
{
    struct err err = ERR_INIT;
    o.selective = k > 0;
    *s = (struct selected){.clip = {0}};
    moved_open(&s->m, o, split);
    assert_int_equal(s->m.table.n, TENSORS);
    memory_plan_init(&s->plan);
    clip_plan(&s->clip, &s->plan, s->m.table.total);
    selection_plan(&s->selection, &s->plan, k, &s->m.table);
    assert_int_equal(memory_plan_allocate(&s->plan, &err), STATUS_OK);
}

static inline void selected_close(struct selected *s)
{
    memory_plan_release(&s->plan);
    moved_close(&s->m);
}

/* Another order of the tensors by size in each step; "joined" has none in step 1. */
static inline double size_of(size_t tensor, int64_t t)
{
    return tensor == 3 && t == 1 ? 0
                                 : 1 + 0.5 * scatter(1000 + (uint64_t)t, (int64_t)tensor);
}

static inline void set_grad(struct moved *m, int64_t t)
{
    moved_set_grad(m, t, 1);
    for (size_t i = 0; i < m->table.n; i++) {
        const struct param *p = &m->table.param[i];
        for (int64_t k = p->offset; k < p->offset + p->n; k++)
            m->grad[k] *= (real)size_of(i, t);
    }
}

static inline void selected_step(struct selected *s, int64_t t)
{
    set_grad(&s->m, t);
    clip_norm(&s->clip, s->m.grad);
    selection_choose(&s->selection, &s->clip, s->m.grad, &s->m.table);
    optimizer_step(&s->m.optimizer, &s->m.store, s->m.grad, &s->m.table,
                   s->selection.chosen, t, 0.01, 0.7);
}

enum { MANY = 100 };

/* --- the plain choice: all are sorted --- */

struct rank {
    double mean_square;
    size_t tensor;
};

static inline int by_size(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->mean_square > y->mean_square || x->mean_square < y->mean_square)
        return x->mean_square > y->mean_square ? -1 : 1;
    return x->tensor < y->tensor ? -1 : 1;
}

static inline void ref_choose(bool *chosen, int64_t k, const real *grad,
                              const struct param_table *params)
{
    struct rank rank[MANY];
    assert_true(params->n <= MANY);
    for (size_t i = 0; i < params->n; i++) {
        const struct param *p = &params->param[i];
        double sum = 0;
        for (int64_t j = p->offset; j < p->offset + p->n; j++)
            sum += (double)grad[j] * (double)grad[j];
        rank[i] = (struct rank){sum / (double)p->n, i};
        chosen[i] = false;
    }
    qsort(rank, params->n, sizeof *rank, by_size);
    for (int64_t i = 0; i < k && i < (int64_t)params->n; i++)
        chosen[rank[i].tensor] = true;
}

#endif
