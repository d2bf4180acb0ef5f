/* All tensors of a model, each with its class. */
#include "model/model.h"

static void plan_act(const struct model *m, struct memory_plan *plan, act **where,
                     enum tensor_class class, const char *name, int64_t n)
{
    memory_plan_add(plan, (void **)where, class, name, n, m->engine->act_bytes);
}

static void plan_real(struct memory_plan *plan, real **where, enum tensor_class class,
                      const char *name, int64_t n)
{
    memory_plan_add(plan, (void **)where, class, name, n, sizeof(real));
}

static void plan_block(const struct model *m, struct memory_plan *plan,
                       struct block_acts *a)
{
    const enum tensor_class class = TENSOR_CLASS_ACTIVATIONS;
    int64_t M = m->M, MC = PLAN_COUNT(M, m->shape.width), H = m->shape.heads;
    int64_t kept = m->engine->ops.attention.kept(&m->attention);
    plan_act(m, plan, &a->hat_1, class, "norm 1", MC);
    plan_real(plan, &a->rstd_1, class, "norm 1 scale", M);
    plan_act(m, plan, &a->qkv, class, "qkv", PLAN_COUNT(M, attention_row(&m->attention)));
    plan_act(m, plan, &a->att, class, "attention matrix", kept);
    plan_real(plan, &a->lse, class, "attention lse", PLAN_COUNT(M, H));
    plan_act(m, plan, &a->heads, class, "heads", PLAN_COUNT(M, H, m->attention.D));
    plan_act(m, plan, &a->hat_2, class, "norm 2", MC);
    plan_real(plan, &a->rstd_2, class, "norm 2 scale", M);
    plan_act(m, plan, &a->up, class, "up", PLAN_COUNT(M, m->linear[LINEAR_UP].N));
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void plan_workspace(struct model *m, struct memory_plan *plan)
{
    const enum tensor_class class = TENSOR_CLASS_WORKSPACE;
    int64_t C = m->shape.width, M = m->M, MC = PLAN_COUNT(M, C);
    int64_t narrow = larger(C, m->shape.heads * m->attention.D);
    int64_t wide = larger(m->shape.hidden, attention_row(&m->attention));
    m->threads = engine_threads();
    size_t linears = 0,
           attention = m->engine->ops.attention.scratch_bytes(&m->attention, m->threads);
    for (size_t i = 0; i < LINEARS; i++)
        if (m->linear[i].workspace_bytes > linears)
            linears = m->linear[i].workspace_bytes;
    plan_real(plan, &m->stream, class, "stream", MC);
    plan_real(plan, &m->d_stream, class, "d_stream", MC);
    plan_act(m, plan, &m->narrow, class, "narrow", PLAN_COUNT(M, narrow));
    plan_act(m, plan, &m->narrow_2, class, "narrow 2", PLAN_COUNT(M, narrow));
    plan_act(m, plan, &m->wide, class, "wide", PLAN_COUNT(M, wide));
    memory_plan_add(plan, &m->attention_scratch, class, "attention", (int64_t)attention,
                    1);
    memory_plan_add(plan, &m->linear_workspace, class, "linears", (int64_t)linears, 1);
}

void model_plan(struct model *m, struct memory_plan *plan)
{
    const enum tensor_class class = TENSOR_CLASS_ACTIVATIONS;
    int64_t MC = PLAN_COUNT(m->M, m->shape.width), M = m->M;
    bool rope = m->shape.family == MODEL_FAMILY_LLAMA;
    int64_t angles = rope ? PLAN_COUNT(m->shape.context, m->attention.D / 2) : 0;
    param_store_plan(&m->store, plan, &m->params.table, m->engine->bf16);
    plan_real(plan, &m->grad, TENSOR_CLASS_GRADIENTS, "gradients", m->params.table.total);
    for (int64_t l = 0; l < m->shape.layers; l++) {
        if (!m->options.recompute || l == 0)
            plan_block(m, plan, &m->acts[l]);
        /* the last block's activations are still there when its turn comes */
        bool again = m->options.recompute && l + 1 < m->shape.layers;
        plan_real(plan, &m->saved[l], class, "saved stream", again ? MC : 0);
    }
    plan_act(m, plan, &m->hat_f, class, "last norm", MC);
    plan_real(plan, &m->rstd_f, class, "last norm scale", M);
    plan_act(m, plan, &m->logits, class, "logits",
             PLAN_COUNT(m->head_rows, m->shape.vocab));
    plan_real(plan, &m->softmax, class, "softmax", 2 * m->head_rows);
    plan_real(plan, &m->loss, class, "loss", M);
    plan_real(plan, &m->cosine, TENSOR_CLASS_WORKSPACE, "cosines", angles);
    plan_real(plan, &m->sine, TENSOR_CLASS_WORKSPACE, "sines", angles);
    plan_workspace(m, plan);
}
