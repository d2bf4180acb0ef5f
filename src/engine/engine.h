/*
 * The engine of a run: a table of ops composed from what the settings ask for, and op_*()
 * calls that go through it and record a span with the op's counted cost. What the ops
 * compute, their shapes and the recipe to add one: ops.h.
 *
 * Legal order: engine_init, linear_open…, linear_decide… (before step 1), op_*…,
 * linear_close….
 */
#ifndef GAIT_ENGINE_ENGINE_H
#define GAIT_ENGINE_ENGINE_H

#include "engine/ops.h"

struct engine_options {
    const char *name;      /* who computes the linears: "auto" (of each
                            * product the faster), "onednn", "own" or "reference" */
    const char *precision; /* of activations: "f32" or "bf16" */
    const char *attention; /* "tiled" or "plain" */
};

struct engine {
    struct engine_options options; /* literals */
    struct engine_ops ops;
    bool bf16;
    size_t act_bytes; /* of a number of act */
};

/* Words that are not known are an error; the double build has reference linears alone, and
 * no bf16. */
enum status engine_init(struct engine *e, const struct engine_options *options,
                        struct err *err);

/* Who makes the products of linears, for people: "oneDNN". */
const char *engine_maker(const struct engine *e);

/* How many OpenMP threads the ops use from now on; 0: all cores. Returns the number. */
int engine_set_threads(int threads);
int engine_threads(void);

/* Prepare a linear of l->M, N, K, parts and has_bias; sets l->workspace_bytes. On OK the
 * caller sets l->workspace to that many bytes (it may be shared) and calls
 * linear_close(). */
enum status linear_open(const struct engine *e, struct linear *l, struct err *err);
void linear_close(const struct engine *e, struct linear *l);
/* Whose products are faster for this linear, where that is open (engine: auto)? Runs them
 * on *o, which it overwrites, and remembers it; measure false: only looks what another
 * process has remembered meanwhile. */
void linear_decide(const struct engine *e, struct linear *l,
                   const struct linear_operands *o, bool measure);

void op_linear_forward(const struct engine *e, const struct linear *l, act *y,
                       const act *x, const act *w, const real *b);
void op_linear_backward_input(const struct engine *e, const struct linear *l, act *dx,
                              const act *dy, const act *w);
void op_linear_backward_weight(const struct engine *e, const struct linear *l, real *dw,
                               real *db, const act *dy, const act *x, bool accumulate);
void op_embedding_forward(const struct engine *e, real *out, const int32_t *tokens,
                          struct weight wte, struct weight wpe, int64_t B, int64_t T,
                          int64_t C);
void op_embedding_backward(const struct engine *e, real *dwte, real *dwpe,
                           const real *dout, const int32_t *tokens, int64_t B, int64_t T,
                           int64_t C, bool accumulate);
void op_norm_forward(const struct engine *e, const struct norm *n, act *out, act *hat,
                     real *rstd, const real *x, const real *gamma, const real *beta);
void op_norm_apply(const struct engine *e, const struct norm *n, act *out, const act *hat,
                   const real *gamma, const real *beta);
void op_norm_backward(const struct engine *e, const struct norm *n, real *dx,
                      real *dgamma, real *dbeta, const act *dout, const act *hat,
                      const real *gamma, const real *rstd, bool accumulate_dx,
                      bool accumulate);
void op_rope(const struct engine *e, const struct attention *a, act *qkv,
             const real *cosine, const real *sine, bool inverse);
void op_attention_forward(const struct engine *e, const struct attention *a, act *out,
                          real *lse, act *att, void *scratch, const act *qkv);
void op_attention_backward(const struct engine *e, const struct attention *a, act *dqkv,
                           void *scratch, const act *dout, const act *out, const act *qkv,
                           const real *lse, const act *att);
void op_gelu_forward(const struct engine *e, act *out, const act *x, int64_t n);
void op_gelu_backward(const struct engine *e, act *dx, act *out, const act *dout,
                      const act *x, int64_t n);
void op_swiglu_forward(const struct engine *e, act *out, const act *gate_up, int64_t M,
                       int64_t F);
void op_swiglu_backward(const struct engine *e, act *dgate_up, act *out, const act *dout,
                        const act *gate_up, int64_t M, int64_t F);
void op_residual_add(const struct engine *e, real *stream, const act *branch,
                     const struct dropout *d, int64_t n);
void op_residual_backward(const struct engine *e, act *dbranch, const real *dstream,
                          const struct dropout *d, int64_t n);
void op_dropout_stream(const struct engine *e, real *stream, const struct dropout *d,
                       int64_t n);
void op_cross_entropy_forward(const struct engine *e, real *loss, real *softmax,
                              const act *logits, const int32_t *targets, int64_t M,
                              int64_t V);
void op_cross_entropy_backward(const struct engine *e, act *dlogits, const act *logits,
                               const real *softmax, const int32_t *targets, real scale,
                               int64_t M, int64_t V);

#endif
