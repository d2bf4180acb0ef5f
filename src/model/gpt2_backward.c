/*
 * The forward pass in reverse. d_stream holds the gradient of the residual stream; each
 * part adds to it what flows through its norm, and leaves its weights' gradients.
 */
#include "model/gpt2.h"

/* A linear's two products: weights' gradients from dy and x, then dx. */
static void linear_backward(struct gpt2 *m, const struct linear *l, real *dx, real *dw,
                            real *db, const real *dy, const real *x, const real *w,
                            bool accumulate)
{
    op_linear_backward_weight(m->engine, l, dw, db, dy, x, accumulate);
    op_linear_backward_input(m->engine, l, dx, dy, w);
}

static void mlp_part(struct gpt2 *m, const struct gpt2_block_acts *a,
                     const struct gpt2_block *w, const struct gpt2_block *g,
                     bool accumulate)
{
    int64_t C = m->shape.width;
    linear_backward(m, &m->down, m->d_wide, g->down_weight, g->down_bias, m->d_stream,
                    a->gelu, w->down_weight, accumulate);
    op_gelu_backward(m->engine, m->d_wide, m->d_wide, a->up, m->M * 4 * C);
    linear_backward(m, &m->up, m->d_narrow, g->up_weight, g->up_bias, m->d_wide, a->ln_2,
                    w->up_weight, accumulate);
    op_layernorm_backward(m->engine, m->d_stream, g->ln_2_weight, g->ln_2_bias,
                          m->d_narrow, a->middle, w->ln_2_weight, a->ln_2_mean,
                          a->ln_2_rstd, m->M, C, true, accumulate);
}

static void attention_part(struct gpt2 *m, const struct gpt2_block_acts *a,
                           const real *stream, const struct gpt2_block *w,
                           const struct gpt2_block *g, bool accumulate)
{
    int64_t C = m->shape.width;
    linear_backward(m, &m->proj, m->d_narrow, g->proj_weight, g->proj_bias, m->d_stream,
                    a->heads, w->proj_weight, accumulate);
    op_attention_backward(m->engine, m->d_wide, m->heads_scratch, m->d_narrow, a->qkv,
                          a->att, m->B, m->T, C, m->shape.heads);
    linear_backward(m, &m->qkv, m->d_narrow, g->qkv_weight, g->qkv_bias, m->d_wide,
                    a->ln_1, w->qkv_weight, accumulate);
    op_layernorm_backward(m->engine, m->d_stream, g->ln_1_weight, g->ln_1_bias,
                          m->d_narrow, stream, w->ln_1_weight, a->ln_1_mean, a->ln_1_rstd,
                          m->M, C, true, accumulate);
}

void gpt2_backward(struct gpt2 *m, const int32_t *tokens, const int32_t *targets,
                   real scale, bool accumulate)
{
    const struct engine *e = m->engine;
    const struct gpt2_weights *w = &m->weights, *g = &m->grads;
    int64_t C = m->shape.width, last = m->shape.layers - 1;
    op_cross_entropy_backward(e, m->logits, m->logits, m->lse, targets, scale, m->M,
                              m->shape.vocab);
    linear_backward(m, &m->head, m->d_narrow, g->wte, NULL, m->logits, m->ln_f, w->wte,
                    accumulate);
    op_layernorm_backward(e, m->d_stream, g->ln_f_weight, g->ln_f_bias, m->d_narrow,
                          m->acts[last].out, w->ln_f_weight, m->ln_f_mean, m->ln_f_rstd,
                          m->M, C, false, accumulate);
    for (int64_t l = last; l >= 0; l--) {
        const real *stream = l ? m->acts[l - 1].out : m->embedded;
        mlp_part(m, &m->acts[l], &w->block[l], &g->block[l], accumulate);
        attention_part(m, &m->acts[l], stream, &w->block[l], &g->block[l], accumulate);
    }
    op_embedding_backward(e, g->wte, g->wpe, m->d_stream, tokens, m->B, m->T, C,
                          accumulate);
}
