/* Small models of both families with weights far from their initialisation, and a batch.
 * Also the base of tests/double. */
#ifndef GAIT_TESTS_MODEL_FIXTURE_H
#define GAIT_TESTS_MODEL_FIXTURE_H

#include "base/mem.h"
#include "cmocka_setup.h"
#include "model/model.h"
#include "model/weight_init.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct model_shape GPT2_SMALL = {.family = MODEL_FAMILY_GPT2,
                                              .layers = 2,
                                              .heads = 3,
                                              .kv_heads = 3,
                                              .width = 9,
                                              .hidden = 10,
                                              .context = 5,
                                              .vocab = 7,
                                              .bias = true,
                                              .tied = true,
                                              .norm_epsilon = 1e-5};
static const struct model_shape LLAMA_SMALL = {.family = MODEL_FAMILY_LLAMA,
                                               .layers = 2,
                                               .heads = 4,
                                               .kv_heads = 2,
                                               .width = 8,
                                               .hidden = 6,
                                               .context = 5,
                                               .vocab = 7,
                                               .norm_epsilon = 1e-5,
                                               .rope_theta = 100};
static const struct model_shape *const FAMILIES[] = {&GPT2_SMALL, &LLAMA_SMALL};

/* Several tiles of attention (32 and 64), and a rest. */
static inline struct model_shape with_context(const struct model_shape *shape,
                                              int64_t context)
{
    struct model_shape s = *shape;
    s.context = context;
    return s;
}

struct subject {
    struct engine engine;
    struct memory_plan plan;
    struct model model;
    int32_t *tokens, *targets; /* (B, T) */
    int64_t position;
};

static inline void subject_batch(struct subject *s, int64_t first_row)
{
    int64_t V = s->model.shape.vocab, T = s->model.T;
    for (int64_t i = 0; i < s->model.M; i++) {
        int64_t n = i + first_row * T;
        s->tokens[i] = (int32_t)((n * n * 5 + 3 * n) % V);
        s->targets[i] = (int32_t)((n * 11 + 4) % V);
        if (n % 5 == 1) /* some are not scored */
            s->targets[i] = -1;
    }
}

/* Biases that are 0 and scales that are 1 would hide mistakes, and small weights would
 * make attention nearly uniform. */
static inline void scatter_weights(struct model *m)
{
    const struct param_table *t = &m->params.table;
    model_init_weights(m, 1);
    for (size_t i = 0; i < t->n; i++) {
        const struct param *p = &t->param[i];
        double spread = p->dims == 2 ? 0.6 / sqrt((double)p->shape[1]) : 0.3;
        for (int64_t k = 0; k < p->n; k++) {
            real x;
            param_store_get(&m->store, p, k, 1, &x);
            x += (real)(spread * weight_normal(2, (uint32_t)i, (uint64_t)k));
            param_store_put(&m->store, p, k, 1, &x);
        }
    }
}

static inline void subject_open(struct subject *s, struct engine_options engine,
                                const struct model_shape *shape,
                                struct model_options options)
{
    struct err err = ERR_INIT;
    s->position = options.dropout > 0 ? 3 : -1;
    assert_int_equal(engine_init(&s->engine, &engine, &err), STATUS_OK);
    assert_int_equal(model_init(&s->model, &s->engine, shape, &options, &err), STATUS_OK);
    memory_plan_init(&s->plan);
    model_plan(&s->model, &s->plan);
    memory_plan_add(&s->plan, (void **)&s->tokens, TENSOR_CLASS_DATA, "tokens",
                    s->model.M, sizeof(int32_t));
    memory_plan_add(&s->plan, (void **)&s->targets, TENSOR_CLASS_DATA, "targets",
                    s->model.M, sizeof(int32_t));
    assert_int_equal(memory_plan_allocate(&s->plan, &err), STATUS_OK);
    model_bind(&s->model);
    scatter_weights(&s->model);
    subject_batch(s, 0);
}

static inline void subject_close(struct subject *s)
{
    model_release(&s->model);
    memory_plan_release(&s->plan);
}

static inline struct model_batch batch_of(const struct subject *s)
{
    return (struct model_batch){s->tokens, s->targets, s->position};
}

static inline void subject_forward(struct subject *s)
{
    struct model_batch batch = batch_of(s);
    model_forward(&s->model, &batch);
}

/* Both passes; the gradient is that of the mean over `tokens`. */
static inline void subject_run(struct subject *s, int64_t tokens, bool accumulate)
{
    struct model_batch batch = batch_of(s);
    model_learn(&s->model, &batch, 1 / (real)tokens, accumulate, NULL);
}

/* A group's set-up: models this small are not worth sharing. */
static inline int one_thread(void **state)
{
    (void)state;
    return engine_set_threads(1) - 1;
}

#endif
