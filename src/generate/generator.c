#include "generate/generator.h"

#include "base/mem.h"
#include "model/rope.h"

#include <string.h>

/* The linears of the model, for as many rows. They have no gradients and no parts. */
static enum status open_linears(struct generator *g, struct linear *l, int64_t rows,
                                struct err *err)
{
    const struct model_shape *s = &g->shape;
    int64_t C = s->width, D = C / s->heads, F = s->hidden;
    bool gated = s->family == MODEL_FAMILY_LLAMA;
    const int64_t size[LINEARS][2] = {
        [LINEAR_QKV] = {(s->heads + 2 * s->kv_heads) * D, C},
        [LINEAR_PROJ] = {C, s->heads * D},
        [LINEAR_UP] = {gated ? 2 * F : F, C},
        [LINEAR_DOWN] = {C, F},
        [LINEAR_HEAD] = {s->vocab, C},
    };
    enum status st = STATUS_OK;
    for (int i = 0; i < LINEARS && st == STATUS_OK; i++) {
        l[i] = (struct linear){.M = i == LINEAR_HEAD ? g->B : rows,
                               .N = size[i][0],
                               .K = size[i][1],
                               .n_parts = 1,
                               .part = {size[i][0]},
                               .has_bias = s->bias && i != LINEAR_HEAD,
                               .names = LINEAR_NAMES("generate")};
        st = linear_open(g->engine, &l[i], err);
    }
    return st;
}

static int64_t places_of(const struct generator *g, int64_t rows)
{
    int64_t places = rows / g->B < g->shape.context ? rows / g->B : g->shape.context;
    return places > 1 ? places : 1;
}

enum status generator_init(struct generator *g, const struct engine *engine,
                           const struct model_shape *shape, int64_t B, struct err *err)
{
    memset(g, 0, sizeof *g);
    g->engine = engine;
    g->shape = *shape;
    g->B = B;
    model_params_init(&g->params, shape);
    g->cache = mem_zalloc((size_t)shape->layers, sizeof *g->cache);
    enum status s = STATUS_OK;
    int64_t rows = GENERATOR_ROWS;
    for (int i = 0; i < GENERATOR_SIZES && s == STATUS_OK; i++) {
        g->size[i].places = i + 1 == GENERATOR_SIZES ? 1 : places_of(g, rows);
        s = open_linears(g, g->size[i].of, g->size[i].places * B, err);
        rows /= GENERATOR_SMALLER;
    }
    if (s != STATUS_OK)
        generator_release(g);
    return s;
}

void generator_release(struct generator *g)
{
    for (int size = 0; size < GENERATOR_SIZES && g->engine; size++)
        for (int i = 0; i < LINEARS; i++)
            linear_close(g->engine, &g->size[size].of[i]);
    model_params_release(&g->params);
    mem_free(g->cache);
    memset(g, 0, sizeof *g);
}

static void plan_act(struct generator *g, struct memory_plan *plan, act **where,
                     const char *name, int64_t n)
{
    memory_plan_add(plan, (void **)where, TENSOR_CLASS_ACTIVATIONS, name, n,
                    g->engine->act_bytes);
}

static void plan_real(struct memory_plan *plan, real **where, const char *name, int64_t n)
{
    memory_plan_add(plan, (void **)where, TENSOR_CLASS_WORKSPACE, name, n, sizeof(real));
}

static int64_t workspace_bytes(const struct generator *g)
{
    size_t bytes = 0;
    for (int size = 0; size < GENERATOR_SIZES; size++)
        for (int i = 0; i < LINEARS; i++)
            if (g->size[size].of[i].workspace_bytes > bytes)
                bytes = g->size[size].of[i].workspace_bytes;
    return (int64_t)bytes;
}

void generator_plan(struct generator *g, struct memory_plan *plan)
{
    const struct model_shape *s = &g->shape;
    int64_t R = PLAN_COUNT(g->B, g->size[0].places), D = s->width / s->heads;
    int64_t cached = PLAN_COUNT(g->B, s->context, s->kv_heads, D);
    int64_t angles = s->family == MODEL_FAMILY_LLAMA ? PLAN_COUNT(s->context, D / 2) : 0;
    param_store_plan(&g->store, plan, &g->params.table, g->engine->bf16);
    for (int64_t l = 0; l < s->layers; l++) {
        plan_act(g, plan, &g->cache[l].k, "keys", cached);
        plan_act(g, plan, &g->cache[l].v, "values", cached);
    }
    plan_real(plan, &g->stream, "stream", PLAN_COUNT(R, s->width));
    plan_act(g, plan, &g->hat, "norm", PLAN_COUNT(R, s->width));
    plan_act(g, plan, &g->narrow, "narrow", PLAN_COUNT(R, s->width));
    plan_real(plan, &g->rstd, "norm scale", R);
    plan_act(g, plan, &g->qkv, "qkv", PLAN_COUNT(R, g->size[0].of[LINEAR_QKV].N));
    plan_act(g, plan, &g->heads, "heads", PLAN_COUNT(R, s->heads, D));
    plan_act(g, plan, &g->up, "up", PLAN_COUNT(R, g->size[0].of[LINEAR_UP].N));
    plan_act(g, plan, &g->wide, "wide", PLAN_COUNT(R, s->hidden));
    plan_act(g, plan, &g->head_out, "head", PLAN_COUNT(g->B, s->vocab));
    plan_real(plan, &g->logits, "logits", PLAN_COUNT(g->B, s->vocab));
    plan_real(plan, &g->scores, "scores", PLAN_COUNT(g->B, s->heads, s->context));
    plan_real(plan, &g->cosine, "cosines", angles);
    plan_real(plan, &g->sine, "sines", angles);
    memory_plan_add(plan, &g->linear_workspace, TENSOR_CLASS_WORKSPACE, "linears",
                    workspace_bytes(g), 1);
}

void generator_bind(struct generator *g)
{
    if (g->cosine)
        rope_fill(g->cosine, g->sine, &g->shape);
    for (int size = 0; size < GENERATOR_SIZES; size++)
        for (int i = 0; i < LINEARS; i++)
            g->size[size].of[i].workspace = g->linear_workspace;
}
