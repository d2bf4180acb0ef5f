#include "model/head.h"

#include <string.h>

/* A linear of a block, with the weights that the role names. */
static void linear_of(struct model *m, int64_t layer, enum model_linear which,
                      enum block_role weight, enum block_role bias, act *y, const act *x)
{
    const int64_t *row = m->params.block[layer];
    op_linear_forward(m->engine, &m->linear[which], y, x,
                      params_weight(&m->params, &m->store, row[weight]).value,
                      params_vector(&m->params, &m->store, row[bias]));
}

static void norm_of(struct model *m, int64_t layer, enum block_role weight,
                    enum block_role bias, act *out, act *hat, real *rstd)
{
    const int64_t *row = m->params.block[layer];
    op_norm_forward(m->engine, &m->norm, out, hat, rstd, m->stream,
                    params_vector(&m->params, &m->store, row[weight]),
                    params_vector(&m->params, &m->store, row[bias]));
}

static void attention_part(struct model *m, int64_t layer, int64_t position)
{
    const struct engine *e = m->engine;
    struct block_acts *a = &m->acts[layer];
    struct attention attention = m->attention;
    struct dropout after = model_dropout(m, position, layer, SITE_PROJ);
    attention.dropout = model_dropout(m, position, layer, SITE_ATTENTION);
    norm_of(m, layer, ROLE_NORM_1, ROLE_NORM_1_BIAS, m->narrow, a->hat_1, a->rstd_1);
    linear_of(m, layer, LINEAR_QKV, ROLE_QKV, ROLE_QKV_BIAS, a->qkv, m->narrow);
    if (m->cosine)
        op_rope(e, &attention, a->qkv, m->cosine, m->sine, false);
    op_attention_forward(e, &attention, a->heads, a->lse, a->att, m->attention_scratch,
                         a->qkv);
    linear_of(m, layer, LINEAR_PROJ, ROLE_PROJ, ROLE_PROJ_BIAS, m->narrow, a->heads);
    op_residual_add(e, m->stream, m->narrow, &after, m->M * m->shape.width);
}

static void mlp_part(struct model *m, int64_t layer, int64_t position)
{
    const struct engine *e = m->engine;
    struct block_acts *a = &m->acts[layer];
    struct dropout after = model_dropout(m, position, layer, SITE_DOWN);
    norm_of(m, layer, ROLE_NORM_2, ROLE_NORM_2_BIAS, m->narrow, a->hat_2, a->rstd_2);
    linear_of(m, layer, LINEAR_UP, ROLE_UP, ROLE_UP_BIAS, a->up, m->narrow);
    if (m->shape.family == MODEL_FAMILY_LLAMA)
        op_swiglu_forward(e, m->wide, a->up, m->M, m->shape.hidden);
    else
        op_gelu_forward(e, m->wide, a->up, m->M * m->shape.hidden);
    linear_of(m, layer, LINEAR_DOWN, ROLE_DOWN, ROLE_DOWN_BIAS, m->narrow, m->wide);
    op_residual_add(e, m->stream, m->narrow, &after, m->M * m->shape.width);
}

void block_forward(struct model *m, int64_t layer, int64_t position)
{
    attention_part(m, layer, position);
    mlp_part(m, layer, position);
}

static void embed(struct model *m, const struct model_batch *batch)
{
    struct dropout d = embedding_dropout(m, batch->position);
    op_embedding_forward(
        m->engine, m->stream, batch->tokens,
        params_weight(&m->params, &m->store, m->params.outer[ROLE_TOKENS]),
        params_weight(&m->params, &m->store, m->params.outer[ROLE_POSITIONS]), m->B, m->T,
        m->shape.width);
    op_dropout_stream(m->engine, m->stream, &d, m->M * m->shape.width);
}

void body_forward(struct model *m, const struct model_batch *batch)
{
    const struct engine *e = m->engine;
    const int64_t *outer = m->params.outer;
    if (engine_threads() > m->threads)
        BUG("%d threads run where %d were planned for", engine_threads(), m->threads);
    embed(m, batch);
    for (int64_t l = 0; l < m->shape.layers; l++) {
        if (m->saved[l])
            memcpy(m->saved[l], m->stream,
                   (size_t)(m->M * m->shape.width) * sizeof *m->stream);
        block_forward(m, l, batch->position);
    }
    op_norm_forward(e, &m->norm, m->narrow, m->hat_f, m->rstd_f, m->stream,
                    params_vector(&m->params, &m->store, outer[ROLE_NORM_F]),
                    params_vector(&m->params, &m->store, outer[ROLE_NORM_F_BIAS]));
}

void model_forward(struct model *m, const struct model_batch *batch)
{
    body_forward(m, batch);
    for (int64_t piece = m->head_pieces - 1; piece >= 0; piece--)
        head_forward(m, batch, piece);
}
