/* Each op: look into the table, and record a span with the op's counted cost. */
#include "engine/engine.h"

#include "engine/op_cost.h"
#include "probe/probe.h"

static void op_end(int64_t begin_ns, const char *name, struct op_cost cost)
{
    probe_end(begin_ns, SPAN_KIND_OP, name, cost.flop, cost.bytes);
}

void op_linear_forward(const struct engine *e, const struct linear *l, act *y,
                       const act *x, const act *w, const real *b)
{
    int64_t begin_ns = probe_begin();
    e->ops.linear_forward(l, y, x, w, b);
    op_end(begin_ns, l->names.forward,
           cost_linear(l, LINEAR_FORWARD, false, e->act_bytes));
}

void op_linear_backward_input(const struct engine *e, const struct linear *l, act *dx,
                              const act *dy, const act *w)
{
    int64_t begin_ns = probe_begin();
    e->ops.linear_backward_input(l, dx, dy, w);
    op_end(begin_ns, l->names.backward_input,
           cost_linear(l, LINEAR_BACKWARD_INPUT, false, e->act_bytes));
}

void op_linear_backward_weight(const struct engine *e, const struct linear *l, real *dw,
                               real *db, const act *dy, const act *x, bool accumulate)
{
    int64_t begin_ns = probe_begin();
    e->ops.linear_backward_weight(l, dw, dy, x, accumulate);
    op_end(begin_ns, l->names.backward_weight,
           cost_linear(l, LINEAR_BACKWARD_WEIGHT, accumulate, e->act_bytes));
    if (!db)
        return;
    begin_ns = probe_begin();
    e->ops.bias_backward(db, dy, l->M, l->N, accumulate);
    op_end(begin_ns, "bias.backward", cost_bias_backward(l->M, l->N, e->act_bytes));
}

void op_embedding_forward(const struct engine *e, real *out, const int32_t *tokens,
                          struct weight wte, struct weight wpe, int64_t B, int64_t T,
                          int64_t C)
{
    int64_t begin_ns = probe_begin();
    e->ops.embedding_forward(out, tokens, wte, wpe, B, T, C);
    op_end(begin_ns, "embedding.forward",
           cost_embedding(B, T, C, wpe.value != NULL, false));
}

void op_embedding_backward(const struct engine *e, real *dwte, real *dwpe,
                           const real *dout, const int32_t *tokens, int64_t B, int64_t T,
                           int64_t C, bool accumulate)
{
    int64_t begin_ns = probe_begin();
    e->ops.embedding_backward(dwte, dwpe, dout, tokens, B, T, C, accumulate);
    op_end(begin_ns, "embedding.backward", cost_embedding(B, T, C, dwpe != NULL, true));
}

void op_norm_forward(const struct engine *e, const struct norm *n, act *out, act *hat,
                     real *rstd, const real *x, const real *gamma, const real *beta)
{
    int64_t begin_ns = probe_begin();
    e->ops.norm_forward(n, out, hat, rstd, x, gamma, beta);
    op_end(begin_ns, n->rms ? "rmsnorm.forward" : "layernorm.forward",
           cost_norm_forward(n, e->act_bytes));
}

void op_norm_apply(const struct engine *e, const struct norm *n, act *out, const act *hat,
                   const real *gamma, const real *beta)
{
    int64_t begin_ns = probe_begin();
    e->ops.norm_apply(n, out, hat, gamma, beta);
    op_end(begin_ns, n->rms ? "rmsnorm.again" : "layernorm.again",
           cost_norm_apply(n, e->act_bytes));
}

void op_norm_backward(const struct engine *e, const struct norm *n, real *dx,
                      real *dgamma, real *dbeta, const act *dout, const act *hat,
                      const real *gamma, const real *rstd, bool accumulate_dx,
                      bool accumulate)
{
    int64_t begin_ns = probe_begin();
    e->ops.norm_backward(n, dx, dgamma, dbeta, dout, hat, gamma, rstd, accumulate_dx,
                         accumulate);
    op_end(begin_ns, n->rms ? "rmsnorm.backward" : "layernorm.backward",
           cost_norm_backward(n, e->act_bytes));
}

void op_rope(const struct engine *e, const struct attention *a, act *qkv,
             const real *cosine, const real *sine, bool inverse)
{
    int64_t begin_ns = probe_begin();
    e->ops.rope(a, qkv, cosine, sine, inverse);
    op_end(begin_ns, inverse ? "rope.backward" : "rope.forward",
           cost_rope(a, e->act_bytes));
}

void op_attention_forward(const struct engine *e, const struct attention *a, act *out,
                          real *lse, act *att, void *scratch, const act *qkv)
{
    int64_t begin_ns = probe_begin();
    e->ops.attention.forward(a, out, lse, att, scratch, qkv);
    op_end(begin_ns, "attention.forward",
           cost_attention_forward(a, att != NULL, e->act_bytes));
}

void op_attention_backward(const struct engine *e, const struct attention *a, act *dqkv,
                           void *scratch, const act *dout, const act *out, const act *qkv,
                           const real *lse, const act *att)
{
    int64_t begin_ns = probe_begin();
    e->ops.attention.backward(a, dqkv, scratch, dout, out, qkv, lse, att);
    op_end(begin_ns, "attention.backward",
           cost_attention_backward(a, att != NULL, e->act_bytes));
}

void op_gelu_forward(const struct engine *e, act *out, const act *x, int64_t n)
{
    int64_t begin_ns = probe_begin();
    e->ops.gelu_forward(out, x, n);
    op_end(begin_ns, "gelu.forward", cost_gelu(n, false, e->act_bytes));
}

void op_gelu_backward(const struct engine *e, act *dx, act *out, const act *dout,
                      const act *x, int64_t n)
{
    int64_t begin_ns = probe_begin();
    e->ops.gelu_backward(dx, out, dout, x, n);
    op_end(begin_ns, "gelu.backward", cost_gelu(n, true, e->act_bytes));
}

void op_swiglu_forward(const struct engine *e, act *out, const act *gate_up, int64_t M,
                       int64_t F)
{
    int64_t begin_ns = probe_begin();
    e->ops.swiglu_forward(out, gate_up, M, F);
    op_end(begin_ns, "swiglu.forward", cost_swiglu(M * F, false, e->act_bytes));
}

void op_swiglu_backward(const struct engine *e, act *dgate_up, act *out, const act *dout,
                        const act *gate_up, int64_t M, int64_t F)
{
    int64_t begin_ns = probe_begin();
    e->ops.swiglu_backward(dgate_up, out, dout, gate_up, M, F);
    op_end(begin_ns, "swiglu.backward", cost_swiglu(M * F, true, e->act_bytes));
}

void op_residual_add(const struct engine *e, real *stream, const act *branch,
                     const struct dropout *d, int64_t n)
{
    int64_t begin_ns = probe_begin();
    e->ops.residual_add(stream, branch, d, n);
    op_end(begin_ns, "residual.add", cost_residual(n, false, e->act_bytes));
}

void op_residual_backward(const struct engine *e, act *dbranch, const real *dstream,
                          const struct dropout *d, int64_t n)
{
    int64_t begin_ns = probe_begin();
    e->ops.residual_backward(dbranch, dstream, d, n);
    op_end(begin_ns, "residual.backward", cost_residual(n, true, e->act_bytes));
}

void op_dropout_stream(const struct engine *e, real *stream, const struct dropout *d,
                       int64_t n)
{
    if (d->probability == 0)
        return;
    int64_t begin_ns = probe_begin();
    e->ops.dropout_stream(stream, d, n);
    op_end(begin_ns, "dropout", cost_residual(n, false, 0));
}

void op_cross_entropy_forward(const struct engine *e, real *loss, real *softmax,
                              const act *logits, const int32_t *targets, int64_t M,
                              int64_t V)
{
    int64_t begin_ns = probe_begin();
    e->ops.cross_entropy_forward(loss, softmax, logits, targets, M, V);
    op_end(begin_ns, "cross_entropy.forward",
           cost_cross_entropy(M, V, false, e->act_bytes));
}

void op_cross_entropy_backward(const struct engine *e, act *dlogits, const act *logits,
                               const real *softmax, const int32_t *targets, real scale,
                               int64_t M, int64_t V)
{
    int64_t begin_ns = probe_begin();
    e->ops.cross_entropy_backward(dlogits, logits, softmax, targets, scale, M, V);
    op_end(begin_ns, "cross_entropy.backward",
           cost_cross_entropy(M, V, true, e->act_bytes));
}
