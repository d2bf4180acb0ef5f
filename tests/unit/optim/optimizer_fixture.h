/* Parameters of odd sizes in both forms of storage, and the gradients that move them. */
#ifndef GAIT_TESTS_OPTIMIZER_FIXTURE_H
#define GAIT_TESTS_OPTIMIZER_FIXTURE_H

#include "base/mem.h"
#include "cmocka_setup.h"
#include "engine/engine.h"
#include "optim/optimizer.h"

#include <math.h>
#include <string.h>

struct moved {
    struct param_table table;
    struct memory_plan plan;
    struct param_store store;
    struct optimizer optimizer;
    real *grad; /* (table.total) */
};

/* In [-1, 1), a pure function of both. */
static inline double scatter(uint64_t round, int64_t i)
{
    uint64_t x = (round * 1000003 + (uint64_t)i + 1) * 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 32;
    return (double)(x >> 11) * 0x1p-52 - 1;
}

/* More numbers than a thread takes at once (4096), single ones, and joined ones. */
static inline void moved_open(struct moved *m, struct optimizer o, bool split)
{
    struct err err = ERR_INIT;
    *m = (struct moved){.optimizer = o};
    param_table_init(&m->table);
    param_table_add(&m->table, PARAM_INIT_NORMAL, 1, 1, false, "single");
    param_table_add(&m->table, PARAM_INIT_ONE, 37, 0, false, "scale");
    param_table_add(&m->table, PARAM_INIT_NORMAL, 131, 67, false, "large");
    param_table_add(&m->table, PARAM_INIT_NORMAL, 3, 67, true, "joined");
    param_table_add(&m->table, PARAM_INIT_ZERO, 5001, 0, false, "bias");
    param_table_layout(&m->table);
    memory_plan_init(&m->plan);
    param_store_plan(&m->store, &m->plan, &m->table, split);
    optimizer_plan(&m->optimizer, &m->plan, &m->table);
    memory_plan_add(&m->plan, (void **)&m->grad, TENSOR_CLASS_GRADIENTS, "gradients",
                    m->table.total, sizeof *m->grad);
    assert_int_equal(memory_plan_allocate(&m->plan, &err), STATUS_OK);
    for (size_t i = 0; i < m->table.n; i++) {
        const struct param *p = &m->table.param[i];
        for (int64_t k = 0; k < p->n; k++) {
            real x = (real)scatter(0, p->offset + k);
            param_store_put(&m->store, p, k, 1, &x);
        }
    }
}

static inline void moved_close(struct moved *m)
{
    memory_plan_release(&m->plan);
    param_table_release(&m->table);
}

/* The gradients of step t, times `size`; what lies between parameters stays 0. */
static inline void moved_set_grad(struct moved *m, int64_t t, double size)
{
    for (size_t i = 0; i < m->table.n; i++) {
        const struct param *p = &m->table.param[i];
        for (int64_t k = p->offset; k < p->offset + p->n; k++)
            m->grad[k] = (real)(size * scatter((uint64_t)t, k));
    }
}

static inline void moved_step(struct moved *m, int64_t t, double rate, double scale)
{
    optimizer_step(&m->optimizer, &m->store, m->grad, &m->table, NULL, t, rate, scale);
}

static inline real moved_number(const struct moved *m, const struct param *p, int64_t k)
{
    real x;
    param_store_get(&m->store, p, k, 1, &x);
    return x;
}

/* Masters and moments of both, bit by bit. */
static inline void assert_same_state(const struct moved *a, const struct moved *b)
{
    size_t bytes = (size_t)a->table.total * sizeof(real);
    assert_memory_equal(a->optimizer.m, b->optimizer.m, bytes);
    if (a->optimizer.v)
        assert_memory_equal(a->optimizer.v, b->optimizer.v, bytes);
    for (size_t i = 0; i < a->table.n; i++) {
        for (int64_t k = 0; k < a->table.param[i].n; k++) {
            real x = moved_number(a, &a->table.param[i], k);
            real y = moved_number(b, &b->table.param[i], k);
            assert_memory_equal(&x, &y, sizeof x);
        }
    }
}

static const struct optimizer ADAMW = {.kind = OPTIMIZER_ADAMW,
                                       .beta1 = 0.9,
                                       .beta2 = 0.99,
                                       .epsilon = 1e-8,
                                       .weight_decay = 0.1};
static const struct optimizer SGD = {
    .kind = OPTIMIZER_SGD, .momentum = 0.9, .weight_decay = 0.1};

#endif
