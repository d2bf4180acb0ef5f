#include "engine/engine.h"

#include "engine/op_cost.h"
#include "engine/ref_kernels.h"
#include "probe/probe.h"

#ifndef GAIT_DOUBLE
#include "engine/onednn_linear.h"
#endif

#include <omp.h>
#include <string.h>

/* All ops but the linears, which each engine puts before them. */
#define REFERENCE_OPS                                                                    \
    .embedding_forward = ref_embedding_forward,                                          \
    .embedding_backward = ref_embedding_backward,                                        \
    .layernorm_forward = ref_layernorm_forward,                                          \
    .layernorm_backward = ref_layernorm_backward,                                        \
    .attention_forward = ref_attention_forward,                                          \
    .attention_backward = ref_attention_backward, .gelu_forward = ref_gelu_forward,      \
    .gelu_backward = ref_gelu_backward, .residual_add = ref_residual_add,                \
    .cross_entropy_forward = ref_cross_entropy_forward,                                  \
    .cross_entropy_backward = ref_cross_entropy_backward

static const struct engine_ops engines[] = {
    {
        .name = "reference",
        .linear_open = ref_linear_open,
        .linear_close = ref_linear_close,
        .linear_forward = ref_linear_forward,
        .linear_backward_input = ref_linear_backward_input,
        .linear_backward_weight = ref_linear_backward_weight,
        REFERENCE_OPS,
    },
#ifndef GAIT_DOUBLE
    {
        .name = "onednn",
        .linear_open = onednn_linear_open,
        .linear_close = onednn_linear_close,
        .linear_forward = onednn_linear_forward,
        .linear_backward_input = onednn_linear_backward_input,
        .linear_backward_weight = onednn_linear_backward_weight,
        REFERENCE_OPS,
    },
#endif
};

enum status engine_init(struct engine *e, const char *name, struct err *err)
{
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        if (!strcmp(engines[i].name, name)) {
            e->ops = &engines[i];
            return STATUS_OK;
        }
    }
    return err_set(err, STATUS_USAGE,
                   "engine \"%s\" is not known: use onednn or reference", name);
}

int engine_set_threads(int threads)
{
    if (threads <= 0)
        threads = omp_get_num_procs();
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    return threads;
}

enum status linear_open(const struct engine *e, struct linear *l, struct err *err)
{
    return e->ops->linear_open(l, err);
}

void linear_close(const struct engine *e, struct linear *l)
{
    e->ops->linear_close(l);
}

static void op_end(int64_t begin_ns, const char *name, struct op_cost cost)
{
    probe_end(begin_ns, SPAN_KIND_OP, name, cost.flop, cost.bytes);
}

void op_linear_forward(const struct engine *e, const struct linear *l, real *y,
                       const real *x, const real *w, const real *b)
{
    int64_t begin_ns = probe_begin();
    e->ops->linear_forward(l, y, x, w, b);
    op_end(begin_ns, l->names.forward, cost_linear(l->M, l->N, l->K, false));
}

void op_linear_backward_input(const struct engine *e, const struct linear *l, real *dx,
                              const real *dy, const real *w)
{
    int64_t begin_ns = probe_begin();
    e->ops->linear_backward_input(l, dx, dy, w);
    op_end(begin_ns, l->names.backward_input, cost_linear(l->M, l->N, l->K, false));
}

void op_linear_backward_weight(const struct engine *e, const struct linear *l, real *dw,
                               real *db, const real *dy, const real *x, bool accumulate)
{
    int64_t begin_ns = probe_begin();
    e->ops->linear_backward_weight(l, dw, db, dy, x, accumulate);
    op_end(begin_ns, l->names.backward_weight, cost_linear(l->M, l->N, l->K, accumulate));
}

void op_embedding_forward(const struct engine *e, real *out, const int32_t *tokens,
                          const real *wte, const real *wpe, int64_t B, int64_t T,
                          int64_t C)
{
    int64_t begin_ns = probe_begin();
    e->ops->embedding_forward(out, tokens, wte, wpe, B, T, C);
    op_end(begin_ns, "embedding.forward", cost_embedding_forward(B, T, C));
}

void op_embedding_backward(const struct engine *e, real *dwte, real *dwpe,
                           const real *dout, const int32_t *tokens, int64_t B, int64_t T,
                           int64_t C, bool accumulate)
{
    int64_t begin_ns = probe_begin();
    e->ops->embedding_backward(dwte, dwpe, dout, tokens, B, T, C, accumulate);
    op_end(begin_ns, "embedding.backward", cost_embedding_backward(B, T, C));
}

void op_layernorm_forward(const struct engine *e, real *out, real *mean, real *rstd,
                          const real *x, const real *gamma, const real *beta, int64_t M,
                          int64_t C)
{
    int64_t begin_ns = probe_begin();
    e->ops->layernorm_forward(out, mean, rstd, x, gamma, beta, M, C);
    op_end(begin_ns, "layernorm.forward", cost_layernorm_forward(M, C));
}

void op_layernorm_backward(const struct engine *e, real *dx, real *dgamma, real *dbeta,
                           const real *dout, const real *x, const real *gamma,
                           const real *mean, const real *rstd, int64_t M, int64_t C,
                           bool accumulate_dx, bool accumulate)
{
    int64_t begin_ns = probe_begin();
    e->ops->layernorm_backward(dx, dgamma, dbeta, dout, x, gamma, mean, rstd, M, C,
                               accumulate_dx, accumulate);
    op_end(begin_ns, "layernorm.backward", cost_layernorm_backward(M, C, accumulate_dx));
}

void op_attention_forward(const struct engine *e, real *out, real *att, real *scratch,
                          const real *qkv, int64_t B, int64_t T, int64_t C, int64_t H)
{
    int64_t begin_ns = probe_begin();
    e->ops->attention_forward(out, att, scratch, qkv, B, T, C, H);
    op_end(begin_ns, "attention.forward", cost_attention_forward(B, T, C, H));
}

void op_attention_backward(const struct engine *e, real *dqkv, real *scratch,
                           const real *dout, const real *qkv, const real *att, int64_t B,
                           int64_t T, int64_t C, int64_t H)
{
    int64_t begin_ns = probe_begin();
    e->ops->attention_backward(dqkv, scratch, dout, qkv, att, B, T, C, H);
    op_end(begin_ns, "attention.backward", cost_attention_backward(B, T, C, H));
}

void op_gelu_forward(const struct engine *e, real *out, const real *x, int64_t n)
{
    int64_t begin_ns = probe_begin();
    e->ops->gelu_forward(out, x, n);
    op_end(begin_ns, "gelu.forward", cost_gelu_forward(n));
}

void op_gelu_backward(const struct engine *e, real *dx, const real *dout, const real *x,
                      int64_t n)
{
    int64_t begin_ns = probe_begin();
    e->ops->gelu_backward(dx, dout, x, n);
    op_end(begin_ns, "gelu.backward", cost_gelu_backward(n));
}

void op_residual_add(const struct engine *e, real *out, const real *a, const real *b,
                     int64_t n)
{
    int64_t begin_ns = probe_begin();
    e->ops->residual_add(out, a, b, n);
    op_end(begin_ns, "residual.add", cost_residual_add(n));
}

void op_cross_entropy_forward(const struct engine *e, real *loss, real *lse,
                              const real *logits, const int32_t *targets, int64_t M,
                              int64_t V)
{
    int64_t begin_ns = probe_begin();
    e->ops->cross_entropy_forward(loss, lse, logits, targets, M, V);
    op_end(begin_ns, "cross_entropy.forward", cost_cross_entropy_forward(M, V));
}

void op_cross_entropy_backward(const struct engine *e, real *dlogits, const real *logits,
                               const real *lse, const int32_t *targets, real scale,
                               int64_t M, int64_t V)
{
    int64_t begin_ns = probe_begin();
    e->ops->cross_entropy_backward(dlogits, logits, lse, targets, scale, M, V);
    op_end(begin_ns, "cross_entropy.backward", cost_cross_entropy_backward(M, V));
}
