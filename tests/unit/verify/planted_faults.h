/*
 * Faults of a trainer, planted by standing in front of its kernels: what a wrong change
 * does to a model. f32 and the GPT-2 family.
 */
#ifndef GAIT_TESTS_PLANTED_FAULTS_H
#define GAIT_TESTS_PLANTED_FAULTS_H

#include "base/mem.h"
#include "train/trainer.h"

#include <math.h>
#include <string.h>

/* The trainer that is spoilt, and its own kernels. */
static struct {
    struct engine_ops own;
    struct trainer *t;
    int64_t calls;
    real *frozen; /* (n) */
} spoilt;

enum { SPOILT_LAYER = 1 };

/* Backward goes from the last block to the first: one call of each a step. */
static void no_gradient(const struct linear *l, real *dw, const act *dy, const act *x,
                        bool accumulate)
{
    spoilt.own.linear_backward_weight(l, dw, dy, x, accumulate);
    if (strcmp(l->names.forward, "mlp_up.forward") != 0)
        return;
    int64_t layers = spoilt.t->model.shape.layers;
    int64_t layer = layers - 1 - spoilt.calls++ % layers;
    if (layer == SPOILT_LAYER)
        memset(dw, 0, (size_t)(l->N * l->K) * sizeof *dw);
}

static const struct param *frozen_param(void)
{
    return param_table_find(&spoilt.t->model.params.table, "h.1.ln_2.weight");
}

/* At the begin of each forward pass the parameter gets its first values again. */
static void put_back(real *out, const int32_t *tokens, struct weight wte,
                     struct weight wpe, int64_t B, int64_t T, int64_t C)
{
    const struct param *p = frozen_param();
    if (!spoilt.frozen) {
        spoilt.frozen = mem_alloc((size_t)p->n * sizeof *spoilt.frozen);
        param_store_get(&spoilt.t->model.store, p, 0, p->n, spoilt.frozen);
    }
    param_store_put(&spoilt.t->model.store, p, 0, p->n, spoilt.frozen);
    spoilt.own.embedding_forward(out, tokens, wte, wpe, B, T, C);
}

static void transposed(const struct linear *l, act *y, const act *x, const act *w,
                       const real *b)
{
    if (l->N != l->K) {
        spoilt.own.linear_forward(l, y, x, w, b);
        return;
    }
    const real *from = (const real *)(const void *)w;
    real *to = mem_alloc((size_t)(l->N * l->K) * sizeof *to);
    for (int64_t i = 0; i < l->N; i++)
        for (int64_t k = 0; k < l->K; k++)
            to[k * l->N + i] = from[i * l->K + k];
    spoilt.own.linear_forward(l, y, x, (const act *)(const void *)to, b);
    mem_free(to);
}

/* Each query sees the key after its own. */
static void sees_ahead(const struct attention *a, act *out, real *lse, act *att,
                       void *scratch, const act *qkv)
{
    int64_t row = attention_row(a);
    size_t bytes = (size_t)(a->B * a->T * row) * sizeof(real);
    spoilt.own.attention.forward(a, out, lse, att, scratch, qkv);
    const real *from = (const real *)(const void *)qkv;
    real *shifted = mem_alloc(bytes);
    memcpy(shifted, from, bytes);
    /* keys and values of the next token in the place of each one's own */
    for (int64_t i = 0; i + 1 < a->B * a->T; i++)
        memcpy(shifted + i * row + a->H * a->D, from + (i + 1) * row + a->H * a->D,
               (size_t)(2 * a->G * a->D) * sizeof *shifted);
    spoilt.own.attention.forward(a, out, lse, att, scratch,
                                 (const act *)(const void *)shifted);
    mem_free(shifted);
}

/* What is off in evaluation is on. */
static void drops_out(real *stream, const act *branch, const struct dropout *d, int64_t n)
{
    struct dropout always = *d;
    always.probability = 0.1;
    always.seed = 7;
    spoilt.own.residual_add(stream, branch, d->probability > 0 ? d : &always, n);
}

enum planted_fault {
    FAULT_NO_GRADIENT,
    FAULT_FROZEN,
    FAULT_TRANSPOSED,
    FAULT_SEES_AHEAD,
    FAULT_DROPS_OUT,
    FAULT_COUNT
};

static const char *const fault_text[FAULT_COUNT] = {
    [FAULT_NO_GRADIENT] = "a layer's gradient is zero",
    [FAULT_FROZEN] = "a parameter does not move",
    [FAULT_TRANSPOSED] = "a square matrix is transposed",
    [FAULT_SEES_AHEAD] = "the mask is off by one",
    [FAULT_DROPS_OUT] = "dropout in evaluation",
};

static inline void unplant_fault(void)
{
    mem_free(spoilt.frozen);
    spoilt.frozen = NULL;
}

static inline void plant_fault(struct trainer *t, enum planted_fault fault)
{
    struct engine_ops *ops = &t->engine.ops;
    spoilt.own = *ops;
    spoilt.t = t;
    spoilt.calls = 0;
    if (fault == FAULT_NO_GRADIENT)
        ops->linear_backward_weight = no_gradient;
    else if (fault == FAULT_FROZEN)
        ops->embedding_forward = put_back;
    else if (fault == FAULT_TRANSPOSED)
        ops->linear_forward = transposed;
    else if (fault == FAULT_SEES_AHEAD)
        ops->attention.forward = sees_ahead;
    else if (fault == FAULT_DROPS_OUT)
        ops->residual_add = drops_out;
}

#endif
