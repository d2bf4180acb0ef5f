/*
 * GPT-2: learned positions, LayerNorm before each part, causal attention with one linear
 * for q, k and v, an MLP with GELU, and a head that shares the embedding's weights.
 * Forward and exact backward over a batch of fixed size (B, T).
 *
 * Legal order: gpt2_init, gpt2_plan, memory_plan_allocate, gpt2_bind, gpt2_init_weights,
 * then gpt2_forward, gpt2_backward …, gpt2_release.
 *
 * To add a parameter: add a line to one of the two lists below and use its field.
 */
#ifndef GAIT_MODEL_GPT2_H
#define GAIT_MODEL_GPT2_H

#include "engine/engine.h"
#include "engine/memory_plan.h"
#include "engine/param_table.h"

struct gpt2_shape {
    int64_t layers, heads, width, context, vocab;
    bool bias; /* in linears and norms */
};

/* P(field, name, PARAM_INIT_…, rows, columns or 0, is a bias); C, V and T are the
 * shape's. Weights of linears are (outputs, inputs). */
#define GPT2_BLOCK_PARAMS(P)                                                             \
    P(ln_1_weight, "ln_1.weight", ONE, C, 0, false)                                      \
    P(ln_1_bias, "ln_1.bias", ZERO, C, 0, true)                                          \
    P(qkv_weight, "attn.c_attn.weight", NORMAL, 3 * C, C, false)                         \
    P(qkv_bias, "attn.c_attn.bias", ZERO, 3 * C, 0, true)                                \
    P(proj_weight, "attn.c_proj.weight", RESIDUAL, C, C, false)                          \
    P(proj_bias, "attn.c_proj.bias", ZERO, C, 0, true)                                   \
    P(ln_2_weight, "ln_2.weight", ONE, C, 0, false)                                      \
    P(ln_2_bias, "ln_2.bias", ZERO, C, 0, true)                                          \
    P(up_weight, "mlp.c_fc.weight", NORMAL, 4 * C, C, false)                             \
    P(up_bias, "mlp.c_fc.bias", ZERO, 4 * C, 0, true)                                    \
    P(down_weight, "mlp.c_proj.weight", RESIDUAL, C, 4 * C, false)                       \
    P(down_bias, "mlp.c_proj.bias", ZERO, C, 0, true)

#define GPT2_OUTER_PARAMS(P)                                                             \
    P(wte, "wte.weight", NORMAL, V, C, false)                                            \
    P(wpe, "wpe.weight", NORMAL, T, C, false)                                            \
    P(ln_f_weight, "ln_f.weight", ONE, C, 0, false)                                      \
    P(ln_f_bias, "ln_f.bias", ZERO, C, 0, true)

/* Pointers into a buffer of parameters, or into one of their gradients; biases are NULL
 * where the model has none. */
#define GPT2_FIELD(field, name, init, rows, columns, is_bias) real *field;
struct gpt2_block {
    GPT2_BLOCK_PARAMS(GPT2_FIELD)
};
struct gpt2_weights {
    GPT2_OUTER_PARAMS(GPT2_FIELD)
    struct gpt2_block *block; /* (layers) */
};

/* What the forward pass leaves for the backward pass; M = B * T. */
struct gpt2_block_acts {
    real *ln_1, *ln_1_mean, *ln_1_rstd; /* (M, C), (M), (M) */
    real *qkv;                          /* (B, T, 3, C) */
    real *att;                          /* (B, H, T, T) softmax of scores */
    real *heads;                        /* (M, C) output of all heads */
    real *middle;                       /* (M, C) residual stream after attention */
    real *ln_2, *ln_2_mean, *ln_2_rstd; /* (M, C), (M), (M) */
    real *up, *gelu;                    /* (M, 4C) */
    real *out;                          /* (M, C) residual stream after the block */
};

/* Kinds of linears: qkv, proj, up, down, head; layers share them. */
enum { LINEARS = 5 };

struct gpt2 {
    const struct engine *engine;
    struct gpt2_shape shape;
    int64_t B, T, M; /* sequences, tokens of each, B * T */
    struct param_table params;
    struct linear qkv, proj, up, down, head;

    real *param, *grad; /* (params.total), layout of params */
    struct gpt2_weights weights, grads;
    struct gpt2_block_acts *acts; /* (layers) */
    real *embedded;               /* (M, C) residual stream before the first block */
    real *ln_f, *ln_f_mean, *ln_f_rstd;
    real *logits; /* (M, V); gpt2_backward() replaces them by their gradient */
    real *lse;    /* (M) */
    real *loss;   /* (M) nats, 0 where the target is < 0 */

    real *d_stream; /* (M, C) gradient of the residual stream */
    real *d_narrow; /* (M, C); in the forward pass, what a block adds to the stream */
    real *d_wide;   /* (M, 4C) */
    real *heads_scratch; /* (B, H, D + 1, T), D = C / H */
    void *linear_workspace;
};

/* On OK the caller calls gpt2_release(); the engine must outlive the model. */
enum status gpt2_init(struct gpt2 *m, const struct engine *engine,
                      const struct gpt2_shape *shape, int64_t B, struct err *err);
void gpt2_release(struct gpt2 *m);
/* Plan all of its tensors. The model must not move afterwards. */
void gpt2_plan(struct gpt2 *m, struct memory_plan *plan);
/* Once the memory is there: point weights and gradients into it. */
void gpt2_bind(struct gpt2 *m);
/* GPT-2's initialisation. A number depends on the seed, its tensor and its index alone.
 */
void gpt2_init_weights(struct gpt2 *m, uint64_t seed);

/* Fill logits, lse and loss. Tokens are 0 … vocab - 1 (else a bug); targets too, or < 0
 * for those that are not scored. */
void gpt2_forward(struct gpt2 *m, const int32_t *tokens, /* (B, T) */
                  const int32_t *targets);               /* (B, T) */
/* Gradients of scale * (sum of losses) into grad; accumulate adds to what is there. Once
 * after each forward. */
void gpt2_backward(struct gpt2 *m, const int32_t *tokens, const int32_t *targets,
                   real scale, bool accumulate);

/* The table of a shape (gpt2_init() does it): names, shapes and places. */
void gpt2_params_init(struct param_table *t, const struct gpt2_shape *shape);

#endif
