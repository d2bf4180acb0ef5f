/*
 * The reference kernels: they read like the maths and are the oracle of every faster one.
 * Parallel over independent outputs only, sums in one fixed order: the result is the same
 * for any number of threads, bit by bit. Signatures and shapes: struct engine_ops.
 */
#ifndef GAIT_ENGINE_REF_KERNELS_H
#define GAIT_ENGINE_REF_KERNELS_H

#include "engine/ops.h"

enum status ref_linear_open(struct linear *l, struct err *err);
void ref_linear_close(struct linear *l);
void ref_linear_forward(const struct linear *l, real *y, const real *x, const real *w,
                        const real *b);
void ref_linear_backward_input(const struct linear *l, real *dx, const real *dy,
                               const real *w);
void ref_linear_backward_weight(const struct linear *l, real *dw, real *db,
                                const real *dy, const real *x, bool accumulate);
/* db (N) (+)= sum of the rows of dy (M, N) */
void ref_bias_backward(real *db, const real *dy, int64_t M, int64_t N, bool accumulate);

void ref_embedding_forward(real *out, const int32_t *tokens, const real *wte,
                           const real *wpe, int64_t B, int64_t T, int64_t C);
void ref_embedding_backward(real *dwte, real *dwpe, const real *dout,
                            const int32_t *tokens, int64_t B, int64_t T, int64_t C,
                            bool accumulate);

void ref_layernorm_forward(real *out, real *mean, real *rstd, const real *x,
                           const real *gamma, const real *beta, int64_t M, int64_t C);
void ref_layernorm_backward(real *dx, real *dgamma, real *dbeta, const real *dout,
                            const real *x, const real *gamma, const real *mean,
                            const real *rstd, int64_t M, int64_t C, bool accumulate_dx,
                            bool accumulate);

void ref_attention_forward(real *out, real *att, real *scratch, const real *qkv,
                           int64_t B, int64_t T, int64_t C, int64_t H);
void ref_attention_backward(real *dqkv, real *scratch, const real *dout, const real *qkv,
                            const real *att, int64_t B, int64_t T, int64_t C, int64_t H);

void ref_gelu_forward(real *out, const real *x, int64_t n);
void ref_gelu_backward(real *dx, const real *dout, const real *x, int64_t n);
void ref_residual_add(real *out, const real *a, const real *b, int64_t n);

void ref_cross_entropy_forward(real *loss, real *lse, const real *logits,
                               const int32_t *targets, int64_t M, int64_t V);
void ref_cross_entropy_backward(real *dlogits, const real *logits, const real *lse,
                                const int32_t *targets, real scale, int64_t M, int64_t V);

#endif
