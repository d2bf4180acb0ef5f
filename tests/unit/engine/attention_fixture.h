/*
 * Causal attention by its definition, in double, with its gradients; and the buffers that
 * an engine's attention works on.
 *
 * How far a kernel may be off: a score s is a sum of products, so p = e^(s - lse) carries
 * its rounding: as much as the scores' terms add up to, relative to p. Sizes of sums that
 * p is part of are larger by that factor.
 */
#ifndef GAIT_TESTS_ATTENTION_FIXTURE_H
#define GAIT_TESTS_ATTENTION_FIXTURE_H

#include "dropout_fixture.h"
#include "engine/product_kernel.h"
#include "kernel_fixture.h"

/* Plain, tiled, and in bf16 by AMX's tiles: real ones where this machine has them, and those
 * in plain C. */
enum { ATTENTION_KINDS = 4 };

/* False where that kind is not there. */
static inline bool attention_engine(struct engine *e, const char *precision, size_t kind)
{
    static const struct product_kernel *const tiles[] = {&kernel_amx,
                                                         &kernel_amx_stand_in};
    *e = engine_of("reference", precision, ATTENTIONS[kind < 2 ? kind : 1]);
    if (kind < 2)
        return true;
    if (!e->bf16 || !tiles[kind - 2]->is_there())
        return false;
    e->ops.attention = *tiles[kind - 2]->attention;
    return true;
}

static inline const char *attention_kind_text(size_t kind)
{
    static const char *const text[] = {"plain", "tiled", "amx", "amx stand-in"};
    return text[kind];
}

struct attention_data {
    struct attention a;
    struct tensor qkv, dout;           /* read */
    struct tensor out, lse, att, dqkv; /* written */
    struct sums want_out, want_lse, want_dqkv;
};

static inline struct attention_data
attention_data(struct pool *pool, const struct engine *e, struct attention a)
{
    int64_t M = a.B * a.T, row = attention_row(&a);
    return (struct attention_data){
        .a = a,
        .qkv = tensor_random(pool, e->bf16, M * row, 1),
        .dout = tensor_random(pool, e->bf16, M * a.H * a.D, 2),
        .out = tensor_empty(pool, e->bf16, M * a.H * a.D),
        .lse = tensor_empty(pool, false, M * a.H),
        .att = tensor_empty(pool, e->bf16, e->ops.attention.kept(&a)),
        .dqkv = tensor_empty(pool, e->bf16, M * row),
        .want_out = sums_new(pool, M * a.H * a.D),
        .want_lse = sums_new(pool, M * a.H),
        .want_dqkv = sums_new(pool, M * row),
    };
}

/* Where the D numbers of a head stand at token t: heads of q, then of k, then of v. */
static inline int64_t head_at(const struct attention *a, int64_t b, int64_t t,
                              int64_t head)
{
    return (b * a->T + t) * attention_row(a) + head * a->D;
}

/* Row t of one head's attention: probabilities p, dropout's factors f. */
enum { ROW_MAX = 1088 };
struct attention_row_facts {
    double p[ROW_MAX], f[ROW_MAX];
    double lse, terms; /* the largest score's terms */
};

static inline struct attention_row_facts
attention_row_facts(const struct attention_data *d, int64_t b, int64_t h, int64_t t)
{
    const struct attention *a = &d->a;
    struct attention_row_facts r = {.lse = 0};
    double sum = 0;
    const double *q = d->qkv.x + head_at(a, b, t, h);
    assert_true(a->T <= ROW_MAX);
    for (int64_t t2 = 0; t2 <= t; t2++) {
        const double *k = d->qkv.x + head_at(a, b, t2, a->H + h / (a->H / a->G));
        double s = 0, terms = 0;
        for (int64_t i = 0; i < a->D; i++) {
            s += q[i] * k[i] / sqrt((double)a->D);
            terms += fabs(q[i] * k[i]) / sqrt((double)a->D);
        }
        r.terms = fmax(r.terms, terms);
        r.p[t2] = exp(s);
        r.f[t2] = attention_factor(a, b, h, t, t2);
        sum += r.p[t2];
    }
    for (int64_t t2 = 0; t2 <= t; t2++)
        r.p[t2] /= sum;
    r.lse = log(sum);
    return r;
}

/* One query's part of everything. */
static inline void attention_row_expect(struct attention_data *d, int64_t b, int64_t h,
                                        int64_t t)
{
    const struct attention *a = &d->a;
    struct attention_row_facts r = attention_row_facts(d, b, h, t);
    int64_t D = a->D, group = h / (a->H / a->G), out = ((b * a->T + t) * a->H + h) * D;
    int64_t q = head_at(a, b, t, h);
    double grow = 1 + r.terms, weighted = 0, weighted_size = 0, dp[ROW_MAX],
           dp_size[ROW_MAX];
    sums_add_sized(d->want_lse, (b * a->H + h) * a->T + t, r.lse,
                   1 + fabs(r.lse) + r.terms);
    for (int64_t t2 = 0; t2 <= t; t2++) {
        int64_t v = head_at(a, b, t2, a->H + a->G + group);
        double pf = r.p[t2] * r.f[t2];
        dp[t2] = dp_size[t2] = 0;
        for (int64_t i = 0; i < D; i++) {
            double vi = d->qkv.x[v + i], di = d->dout.x[out + i];
            sums_add_sized(d->want_out, out + i, pf * vi, fabs(pf * vi) * grow);
            sums_add_sized(d->want_dqkv, v + i, pf * di, fabs(pf * di) * grow);
            dp[t2] += r.f[t2] * di * vi;
            dp_size[t2] += fabs(r.f[t2] * di * vi);
        }
        weighted += r.p[t2] * dp[t2];
        weighted_size += r.p[t2] * dp_size[t2];
    }
    for (int64_t t2 = 0; t2 <= t; t2++) {
        int64_t k = head_at(a, b, t2, a->H + group);
        double ds = r.p[t2] * (dp[t2] - weighted) / sqrt((double)D);
        double size = r.p[t2] * (dp_size[t2] + weighted_size) / sqrt((double)D) * grow;
        for (int64_t i = 0; i < D; i++) {
            double ki = d->qkv.x[k + i], qi = d->qkv.x[q + i];
            sums_add_sized(d->want_dqkv, q + i, ds * ki, size * fabs(ki));
            sums_add_sized(d->want_dqkv, k + i, ds * qi, size * fabs(qi));
        }
    }
}

static inline void attention_expect(struct attention_data *d)
{
    for (int64_t b = 0; b < d->a.B; b++)
        for (int64_t h = 0; h < d->a.H; h++)
            for (int64_t t = 0; t < d->a.T; t++)
                attention_row_expect(d, b, h, t);
}

/* Forward and backward, in a scratch of exactly the size asked for, full of NaN. */
static inline void attention_run(const struct engine *e, struct attention_data *d)
{
    size_t bytes = e->ops.attention.scratch_bytes(&d->a, engine_threads());
    void *scratch = mem_alloc(bytes);
    act *att = e->ops.attention.kept(&d->a) ? d->att.a : NULL;
    tensor_poison(&d->out);
    tensor_poison(&d->lse);
    tensor_poison(&d->att);
    tensor_poison(&d->dqkv);
    memset(scratch, 0xff, bytes);
    op_attention_forward(e, &d->a, d->out.a, d->lse.r, att, scratch, d->qkv.a);
    memset(scratch, 0xff, bytes);
    op_attention_backward(e, &d->a, d->dqkv.a, scratch, d->dout.a, d->out.a, d->qkv.a,
                          d->lse.r, att);
    mem_free(scratch);
}

#endif
