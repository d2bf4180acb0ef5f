/*
 * The forward pass in reverse. d_stream holds the gradient of the residual stream; each
 * part adds to it what flows through its norm, and leaves its weights' gradients. What
 * was not kept (norm outputs, the MLP's activation) is computed again just before its
 * use.
 */
#include "model/head.h"

#include <string.h>

/* What a part of a block needs of its parameters. */
struct part {
    struct model *m;
    const int64_t *row;
    bool accumulate;
};

static const real *vector_of(const struct part *p, enum block_role role)
{
    return params_vector(&p->m->params, &p->m->store, p->row[role]);
}

static real *grad_of(const struct part *p, enum block_role role)
{
    return params_grad(&p->m->params, p->m->grad, p->row[role]);
}

static void weight_gradient(const struct part *p, enum model_linear which,
                            enum block_role weight, enum block_role bias, const act *dy,
                            const act *x)
{
    op_linear_backward_weight(p->m->engine, &p->m->linear[which], grad_of(p, weight),
                              grad_of(p, bias), dy, x, p->accumulate);
}

static void input_gradient(const struct part *p, enum model_linear which,
                           enum block_role weight, act *dx, const act *dy)
{
    op_linear_backward_input(
        p->m->engine, &p->m->linear[which], dx, dy,
        params_weight(&p->m->params, &p->m->store, p->row[weight]).value);
}

/* dx of the norm joins d_stream; narrow holds the gradient of the norm's output. */
static void norm_gradient(const struct part *p, enum block_role weight,
                          enum block_role bias, const act *hat, const real *rstd)
{
    struct model *m = p->m;
    op_norm_backward(m->engine, &m->norm, m->d_stream, grad_of(p, weight),
                     grad_of(p, bias), m->narrow, hat, vector_of(p, weight), rstd, true,
                     p->accumulate);
}

static void mlp_part(const struct part *p, int64_t layer, int64_t position)
{
    struct model *m = p->m;
    const struct engine *e = m->engine;
    struct block_acts *a = &m->acts[layer];
    struct dropout after = model_dropout(m, position, layer, SITE_DOWN);
    int64_t F = m->shape.hidden;
    bool gated = m->shape.family == MODEL_FAMILY_LLAMA;
    op_residual_backward(e, m->narrow, m->d_stream, &after, m->M * m->shape.width);
    input_gradient(p, LINEAR_DOWN, ROLE_DOWN, m->wide, m->narrow);
    if (gated)
        op_swiglu_backward(e, a->up, m->wide, m->wide, a->up, m->M, F);
    else
        op_gelu_backward(e, a->up, m->wide, m->wide, a->up, m->M * F);
    weight_gradient(p, LINEAR_DOWN, ROLE_DOWN, ROLE_DOWN_BIAS, m->narrow, m->wide);
    op_norm_apply(e, &m->norm, m->narrow, a->hat_2, vector_of(p, ROLE_NORM_2),
                  vector_of(p, ROLE_NORM_2_BIAS));
    weight_gradient(p, LINEAR_UP, ROLE_UP, ROLE_UP_BIAS, a->up, m->narrow);
    input_gradient(p, LINEAR_UP, ROLE_UP, m->narrow, a->up);
    norm_gradient(p, ROLE_NORM_2, ROLE_NORM_2_BIAS, a->hat_2, a->rstd_2);
}

static void attention_part(const struct part *p, int64_t layer, int64_t position)
{
    struct model *m = p->m;
    const struct engine *e = m->engine;
    struct block_acts *a = &m->acts[layer];
    struct attention attention = m->attention;
    struct dropout after = model_dropout(m, position, layer, SITE_PROJ);
    attention.dropout = model_dropout(m, position, layer, SITE_ATTENTION);
    op_residual_backward(e, m->narrow, m->d_stream, &after, m->M * m->shape.width);
    weight_gradient(p, LINEAR_PROJ, ROLE_PROJ, ROLE_PROJ_BIAS, m->narrow, a->heads);
    input_gradient(p, LINEAR_PROJ, ROLE_PROJ, m->narrow_2, m->narrow);
    op_attention_backward(e, &attention, m->wide, m->attention_scratch, m->narrow_2,
                          a->heads, a->qkv, a->lse, a->att);
    if (m->cosine)
        op_rope(e, &attention, m->wide, m->cosine, m->sine, true);
    op_norm_apply(e, &m->norm, m->narrow, a->hat_1, vector_of(p, ROLE_NORM_1),
                  vector_of(p, ROLE_NORM_1_BIAS));
    weight_gradient(p, LINEAR_QKV, ROLE_QKV, ROLE_QKV_BIAS, m->wide, m->narrow);
    input_gradient(p, LINEAR_QKV, ROLE_QKV, m->narrow, m->wide);
    norm_gradient(p, ROLE_NORM_1, ROLE_NORM_1_BIAS, a->hat_1, a->rstd_1);
}

/* narrow: the gradient of the last norm's output, from all pieces of the head. */
static void last_norm_part(struct model *m, bool accumulate)
{
    const int64_t *outer = m->params.outer;
    op_norm_backward(m->engine, &m->norm, m->d_stream,
                     params_grad(&m->params, m->grad, outer[ROLE_NORM_F]),
                     params_grad(&m->params, m->grad, outer[ROLE_NORM_F_BIAS]), m->narrow,
                     m->hat_f, params_vector(&m->params, &m->store, outer[ROLE_NORM_F]),
                     m->rstd_f, false, accumulate);
}

static void embedding_part(struct model *m, const struct model_batch *batch,
                           bool accumulate)
{
    const int64_t *outer = m->params.outer;
    const struct param *tokens = &m->params.table.param[outer[ROLE_TOKENS]];
    struct dropout d = embedding_dropout(m, batch->position);
    real *d_tokens = m->grad + tokens->offset;
    if (!m->shape.tied && !accumulate)
        memset(d_tokens, 0, (size_t)tokens->n * sizeof *d_tokens);
    op_dropout_stream(m->engine, m->d_stream, &d, m->M * m->shape.width);
    op_embedding_backward(
        m->engine, d_tokens, params_grad(&m->params, m->grad, outer[ROLE_POSITIONS]),
        m->d_stream, batch->tokens, m->B, m->T, m->shape.width, accumulate);
}

static void body_backward(struct model *m, const struct model_batch *batch,
                          bool accumulate)
{
    int64_t last = m->shape.layers - 1;
    last_norm_part(m, accumulate);
    for (int64_t l = last; l >= 0; l--) {
        struct part p = {m, m->params.block[l], accumulate};
        if (m->options.recompute && l < last) {
            memcpy(m->stream, m->saved[l],
                   (size_t)(m->M * m->shape.width) * sizeof *m->stream);
            block_forward(m, l, batch->position);
        }
        mlp_part(&p, l, batch->position);
        attention_part(&p, l, batch->position);
    }
    embedding_part(m, batch, accumulate);
}

static void passed(const struct model_watch *w, enum model_pass pass)
{
    if (w)
        w->passed(w->context, pass);
}

void model_learn(struct model *m, const struct model_batch *batch, real scale,
                 bool accumulate, const struct model_watch *watch)
{
    const int64_t last = m->head_pieces - 1;
    body_forward(m, batch);
    for (int64_t piece = last; piece >= 0; piece--) {
        head_forward(m, batch, piece);
        passed(watch, MODEL_FORWARD);
        head_backward(m, batch, piece, scale, accumulate || piece < last);
        if (piece) /* the rest of the backward pass follows the last one */
            passed(watch, MODEL_BACKWARD);
    }
    body_backward(m, batch, accumulate);
    passed(watch, MODEL_BACKWARD);
}
