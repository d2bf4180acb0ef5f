#include "model/gpt2.h"

static void check_tokens(const struct gpt2 *m, const int32_t *tokens,
                         const int32_t *targets)
{
    for (int64_t i = 0; i < m->M; i++)
        if (tokens[i] < 0 || tokens[i] >= m->shape.vocab || targets[i] >= m->shape.vocab)
            BUG("token %d or target %d outside a vocabulary of %lld", tokens[i],
                targets[i], (long long)m->shape.vocab);
}

/* stream + attention(ln_1(stream)) */
static void attention_part(struct gpt2 *m, struct gpt2_block_acts *a,
                           const struct gpt2_block *w, const real *stream)
{
    const struct engine *e = m->engine;
    int64_t C = m->shape.width;
    op_layernorm_forward(e, a->ln_1, a->ln_1_mean, a->ln_1_rstd, stream, w->ln_1_weight,
                         w->ln_1_bias, m->M, C);
    op_linear_forward(e, &m->qkv, a->qkv, a->ln_1, w->qkv_weight, w->qkv_bias);
    op_attention_forward(e, a->heads, a->att, m->heads_scratch, a->qkv, m->B, m->T, C,
                         m->shape.heads);
    op_linear_forward(e, &m->proj, m->d_narrow, a->heads, w->proj_weight, w->proj_bias);
    op_residual_add(e, a->middle, stream, m->d_narrow, m->M * C);
}

/* middle + mlp(ln_2(middle)) */
static void mlp_part(struct gpt2 *m, struct gpt2_block_acts *a,
                     const struct gpt2_block *w)
{
    const struct engine *e = m->engine;
    int64_t C = m->shape.width;
    op_layernorm_forward(e, a->ln_2, a->ln_2_mean, a->ln_2_rstd, a->middle,
                         w->ln_2_weight, w->ln_2_bias, m->M, C);
    op_linear_forward(e, &m->up, a->up, a->ln_2, w->up_weight, w->up_bias);
    op_gelu_forward(e, a->gelu, a->up, m->M * 4 * C);
    op_linear_forward(e, &m->down, m->d_narrow, a->gelu, w->down_weight, w->down_bias);
    op_residual_add(e, a->out, a->middle, m->d_narrow, m->M * C);
}

void gpt2_forward(struct gpt2 *m, const int32_t *tokens, const int32_t *targets)
{
    const struct engine *e = m->engine;
    const struct gpt2_weights *w = &m->weights;
    int64_t C = m->shape.width;
    const real *stream = m->embedded;
    check_tokens(m, tokens, targets);
    op_embedding_forward(e, m->embedded, tokens, w->wte, w->wpe, m->B, m->T, C);
    for (int64_t l = 0; l < m->shape.layers; l++) {
        attention_part(m, &m->acts[l], &w->block[l], stream);
        mlp_part(m, &m->acts[l], &w->block[l]);
        stream = m->acts[l].out;
    }
    op_layernorm_forward(e, m->ln_f, m->ln_f_mean, m->ln_f_rstd, stream, w->ln_f_weight,
                         w->ln_f_bias, m->M, C);
    op_linear_forward(e, &m->head, m->logits, m->ln_f, w->wte, NULL);
    op_cross_entropy_forward(e, m->loss, m->lse, m->logits, targets, m->M,
                             m->shape.vocab);
}
