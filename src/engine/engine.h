/*
 * The engine of a run: a table of ops chosen by name, and op_*() calls that go through it
 * and record a span with the op's counted cost. What the ops compute, their shapes and
 * the recipe to add one: ops.h.
 *
 * Legal order: engine_init, linear_open… (before step 1), op_*…, linear_close….
 */
#ifndef GAIT_ENGINE_ENGINE_H
#define GAIT_ENGINE_ENGINE_H

#include "engine/ops.h"

struct engine {
    const struct engine_ops *ops;
};

/* name: "reference", or "onednn" (linears by oneDNN, the rest by the reference). */
enum status engine_init(struct engine *e, const char *name, struct err *err);

/* How many OpenMP threads the ops use from now on; 0: all cores. Returns the number. */
int engine_set_threads(int threads);

/* Prepare a linear of l->M, N, K and has_bias; sets l->workspace_bytes. On OK the caller
 * sets l->workspace to that many bytes (it may be shared) and calls linear_close(). */
enum status linear_open(const struct engine *e, struct linear *l, struct err *err);
void linear_close(const struct engine *e, struct linear *l);

void op_linear_forward(const struct engine *e, const struct linear *l, real *y,
                       const real *x, const real *w, const real *b);
void op_linear_backward_input(const struct engine *e, const struct linear *l, real *dx,
                              const real *dy, const real *w);
void op_linear_backward_weight(const struct engine *e, const struct linear *l, real *dw,
                               real *db, const real *dy, const real *x, bool accumulate);
void op_embedding_forward(const struct engine *e, real *out, const int32_t *tokens,
                          const real *wte, const real *wpe, int64_t B, int64_t T,
                          int64_t C);
void op_embedding_backward(const struct engine *e, real *dwte, real *dwpe,
                           const real *dout, const int32_t *tokens, int64_t B, int64_t T,
                           int64_t C, bool accumulate);
void op_layernorm_forward(const struct engine *e, real *out, real *mean, real *rstd,
                          const real *x, const real *gamma, const real *beta, int64_t M,
                          int64_t C);
void op_layernorm_backward(const struct engine *e, real *dx, real *dgamma, real *dbeta,
                           const real *dout, const real *x, const real *gamma,
                           const real *mean, const real *rstd, int64_t M, int64_t C,
                           bool accumulate_dx, bool accumulate);
void op_attention_forward(const struct engine *e, real *out, real *att, real *scratch,
                          const real *qkv, int64_t B, int64_t T, int64_t C, int64_t H);
void op_attention_backward(const struct engine *e, real *dqkv, real *scratch,
                           const real *dout, const real *qkv, const real *att, int64_t B,
                           int64_t T, int64_t C, int64_t H);
void op_gelu_forward(const struct engine *e, real *out, const real *x, int64_t n);
void op_gelu_backward(const struct engine *e, real *dx, const real *dout, const real *x,
                      int64_t n);
void op_residual_add(const struct engine *e, real *out, const real *a, const real *b,
                     int64_t n);
void op_cross_entropy_forward(const struct engine *e, real *loss, real *lse,
                              const real *logits, const int32_t *targets, int64_t M,
                              int64_t V);
void op_cross_entropy_backward(const struct engine *e, real *dlogits, const real *logits,
                               const real *lse, const int32_t *targets, real scale,
                               int64_t M, int64_t V);

#endif
