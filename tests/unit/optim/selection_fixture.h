/* The tensors of optimizer_fixture.h, and what chooses among them. */
#ifndef GAIT_TESTS_SELECTION_FIXTURE_H
#define GAIT_TESTS_SELECTION_FIXTURE_H

#include "optim/selection.h"
#include "optimizer_fixture.h"

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

#endif
