#include "model/gpt2.h"

#include "base/mem.h"

#include <string.h>

/* Index arithmetic is 64-bit; a batch is refused long before its tokens overflow it. */
static const int64_t TOKENS_MAX = (int64_t)1 << 31;

static enum status check_shape(const struct gpt2_shape *s, int64_t B, struct err *err)
{
    if (s->layers < 1 || s->heads < 1 || s->width < 1 || s->context < 1 || s->vocab < 1 ||
        B < 1)
        BUG("a model of size 0");
    if (s->width % s->heads)
        return err_set(err, STATUS_USAGE,
                       "heads (%lld) must divide width (%lld): change one of them",
                       (long long)s->heads, (long long)s->width);
    if (B > TOKENS_MAX / s->context)
        return err_set(err, STATUS_USAGE,
                       "batch_size x context is %lld x %lld tokens: use fewer than 2^31",
                       (long long)B, (long long)s->context);
    return STATUS_OK;
}

static enum status open_linears(struct gpt2 *m, struct err *err)
{
    int64_t C = m->shape.width, M = m->M;
    bool bias = m->shape.bias;
    m->qkv = (struct linear){M, 3 * C, C, bias, LINEAR_NAMES("qkv"), 0, 0, 0};
    m->proj = (struct linear){M, C, C, bias, LINEAR_NAMES("attention_output"), 0, 0, 0};
    m->up = (struct linear){M, 4 * C, C, bias, LINEAR_NAMES("mlp_up"), 0, 0, 0};
    m->down = (struct linear){M, C, 4 * C, bias, LINEAR_NAMES("mlp_down"), 0, 0, 0};
    m->head = (struct linear){M, m->shape.vocab, C, false, LINEAR_NAMES("head"), 0, 0, 0};
    struct linear *linear[LINEARS] = {&m->qkv, &m->proj, &m->up, &m->down, &m->head};
    for (size_t i = 0; i < LINEARS; i++) {
        enum status s = linear_open(m->engine, linear[i], err);
        if (s != STATUS_OK)
            return s;
    }
    return STATUS_OK;
}

enum status gpt2_init(struct gpt2 *m, const struct engine *engine,
                      const struct gpt2_shape *shape, int64_t B, struct err *err)
{
    memset(m, 0, sizeof *m);
    enum status s = check_shape(shape, B, err);
    if (s != STATUS_OK)
        return s;
    m->engine = engine;
    m->shape = *shape;
    m->B = B;
    m->T = shape->context;
    m->M = B * m->T;
    s = open_linears(m, err);
    if (s == STATUS_OK) {
        gpt2_params_init(&m->params, shape);
        m->weights.block = mem_zalloc((size_t)shape->layers, sizeof *m->weights.block);
        m->grads.block = mem_zalloc((size_t)shape->layers, sizeof *m->grads.block);
        m->acts = mem_zalloc((size_t)shape->layers, sizeof *m->acts);
    } else {
        gpt2_release(m);
    }
    return s;
}

void gpt2_release(struct gpt2 *m)
{
    if (m->engine) {
        linear_close(m->engine, &m->qkv);
        linear_close(m->engine, &m->proj);
        linear_close(m->engine, &m->up);
        linear_close(m->engine, &m->down);
        linear_close(m->engine, &m->head);
    }
    param_table_release(&m->params);
    mem_free(m->weights.block);
    mem_free(m->grads.block);
    mem_free(m->acts);
    memset(m, 0, sizeof *m);
}

static void plan_real(struct memory_plan *plan, real **where, enum tensor_class class,
                      const char *name, int64_t n)
{
    memory_plan_add(plan, (void **)where, class, name, n, sizeof(real));
}

static void plan_block(struct memory_plan *plan, struct gpt2_block_acts *a,
                       const struct gpt2 *m)
{
    const enum tensor_class class = TENSOR_CLASS_ACTIVATIONS;
    int64_t MC = PLAN_COUNT(m->M, m->shape.width), M = m->M;
    plan_real(plan, &a->ln_1, class, "ln_1", MC);
    plan_real(plan, &a->ln_1_mean, class, "ln_1 mean", M);
    plan_real(plan, &a->ln_1_rstd, class, "ln_1 rstd", M);
    plan_real(plan, &a->qkv, class, "qkv", PLAN_COUNT(MC, 3));
    plan_real(plan, &a->att, class, "att", PLAN_COUNT(m->B, m->shape.heads, m->T, m->T));
    plan_real(plan, &a->heads, class, "heads", MC);
    plan_real(plan, &a->middle, class, "middle", MC);
    plan_real(plan, &a->ln_2, class, "ln_2", MC);
    plan_real(plan, &a->ln_2_mean, class, "ln_2 mean", M);
    plan_real(plan, &a->ln_2_rstd, class, "ln_2 rstd", M);
    plan_real(plan, &a->up, class, "up", PLAN_COUNT(MC, 4));
    plan_real(plan, &a->gelu, class, "gelu", PLAN_COUNT(MC, 4));
    plan_real(plan, &a->out, class, "out", MC);
}

static void plan_workspace(struct memory_plan *plan, struct gpt2 *m)
{
    const enum tensor_class class = TENSOR_CLASS_WORKSPACE;
    int64_t MC = PLAN_COUNT(m->M, m->shape.width);
    const struct linear *linear[LINEARS] = {&m->qkv, &m->proj, &m->up, &m->down,
                                            &m->head};
    size_t bytes = 0;
    for (size_t i = 0; i < LINEARS; i++)
        if (linear[i]->workspace_bytes > bytes)
            bytes = linear[i]->workspace_bytes;
    plan_real(plan, &m->d_stream, class, "d_stream", MC);
    plan_real(plan, &m->d_narrow, class, "d_narrow", MC);
    plan_real(plan, &m->d_wide, class, "d_wide", PLAN_COUNT(MC, 4));
    plan_real(plan, &m->heads_scratch, class, "heads",
              PLAN_COUNT(m->M, m->shape.width + m->shape.heads));
    memory_plan_add(plan, &m->linear_workspace, class, "linears", (int64_t)bytes, 1);
}

void gpt2_plan(struct gpt2 *m, struct memory_plan *plan)
{
    const enum tensor_class class = TENSOR_CLASS_ACTIVATIONS;
    int64_t MC = PLAN_COUNT(m->M, m->shape.width), M = m->M;
    plan_real(plan, &m->param, TENSOR_CLASS_PARAMETERS, "parameters", m->params.total);
    plan_real(plan, &m->grad, TENSOR_CLASS_GRADIENTS, "gradients", m->params.total);
    plan_real(plan, &m->embedded, class, "embedded", MC);
    for (int64_t l = 0; l < m->shape.layers; l++)
        plan_block(plan, &m->acts[l], m);
    plan_real(plan, &m->ln_f, class, "ln_f", MC);
    plan_real(plan, &m->ln_f_mean, class, "ln_f mean", M);
    plan_real(plan, &m->ln_f_rstd, class, "ln_f rstd", M);
    plan_real(plan, &m->logits, class, "logits", PLAN_COUNT(M, m->shape.vocab));
    plan_real(plan, &m->lse, class, "lse", M);
    plan_real(plan, &m->loss, class, "loss", M);
    plan_workspace(plan, m);
}
