#include "engine/self_check.h"

#include "base/mem.h"
#include "engine/reference.h"

#include <math.h>

#ifndef GAIT_DOUBLE

/* Rounding a sum of n numbers in another order: bf16 results differ by a last place of
 * their 8 bits, f32 ones by a few of their 24. */
static const double TOLERANCE_BF16 = 1.0 / 64, TOLERANCE_F32 = 1e-4;

enum { CHECK_M = 37, CHECK_N = 51, CHECK_K = 43 };
enum { CHECK_B = 2, CHECK_T = 67, CHECK_H = 4, CHECK_G = 2, CHECK_D = 12 };

/* A tensor of the engine's numbers; engines of one precision can share it. */
struct sample {
    real *value; /* (n) */
    act *act;    /* (n) */
    int64_t n;
};

static struct sample sample_new(const struct engine *e, int64_t n, uint32_t seed)
{
    struct sample s = {mem_alloc((size_t)n * sizeof(real)),
                       mem_zalloc((size_t)n, e->act_bytes), n};
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        s.value[i] = (real)((double)(seed >> 8) / (1 << 23) - 1);
    }
    e->ops.act_from_real(s.act, s.value, n);
    return s;
}

static void sample_free(struct sample *s)
{
    mem_free(s->value);
    mem_free(s->act);
}

/* The largest difference over the largest number; NaN counts as infinite. */
static double difference(const real *a, const real *b, int64_t n)
{
    double worst = 0, largest = 0;
    for (int64_t i = 0; i < n; i++) {
        double d = fabs((double)a[i] - (double)b[i]);
        worst = d > worst || isnan(d) ? (isnan(d) ? INFINITY : d) : worst;
        largest = fabs((double)b[i]) > largest ? fabs((double)b[i]) : largest;
    }
    return largest > 0 ? worst / largest : worst;
}

static double act_difference(const struct engine *e, const act *a, const act *b,
                             int64_t n)
{
    real *x = mem_alloc((size_t)n * sizeof *x), *y = mem_alloc((size_t)n * sizeof *y);
    e->ops.act_to_real(x, a, n);
    e->ops.act_to_real(y, b, n);
    double d = difference(x, y, n);
    mem_free(x);
    mem_free(y);
    return d;
}

static const struct engine_ops *reference_of(const struct engine *e)
{
    return e->bf16 ? &reference_bf16_plain : &reference_plain;
}

static double products_error(const struct engine *e, const struct linear *l)
{
    const struct engine_ops *ref = reference_of(e);
    struct sample x = sample_new(e, CHECK_M * CHECK_K, 1),
                  w = sample_new(e, CHECK_N * CHECK_K, 2),
                  dy = sample_new(e, CHECK_M * CHECK_N, 3),
                  y = sample_new(e, CHECK_M * CHECK_N, 4),
                  y_ref = sample_new(e, CHECK_M * CHECK_N, 4);
    struct sample dx = sample_new(e, x.n, 5), dx_ref = sample_new(e, x.n, 5);
    e->ops.linear_forward(l, y.act, x.act, w.act, dy.value);
    ref->linear_forward(l, y_ref.act, x.act, w.act, dy.value);
    double error = act_difference(e, y.act, y_ref.act, y.n);
    e->ops.linear_backward_input(l, dx.act, dy.act, w.act);
    ref->linear_backward_input(l, dx_ref.act, dy.act, w.act);
    error = fmax(error, act_difference(e, dx.act, dx_ref.act, dx.n));
    struct sample dw = sample_new(e, w.n, 6), dw_ref = sample_new(e, w.n, 6);
    e->ops.linear_backward_weight(l, dw.value, dy.act, x.act, true);
    ref->linear_backward_weight(l, dw_ref.value, dy.act, x.act, true);
    error = fmax(error, difference(dw.value, dw_ref.value, w.n));
    struct sample all[] = {x, w, dy, y, y_ref, dx, dx_ref, dw, dw_ref};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sample_free(&all[i]);
    return error;
}

static enum status check_linear(const struct engine *e, double *error, struct err *err)
{
    struct linear l = {.M = CHECK_M,
                       .N = CHECK_N,
                       .K = CHECK_K,
                       .n_parts = 2,
                       .part = {CHECK_N - 16, 16},
                       .has_bias = true,
                       .names = LINEAR_NAMES("check")};
    enum status s = linear_open(e, &l, err);
    if (s != STATUS_OK)
        return s;
    l.workspace = mem_zalloc(l.workspace_bytes + 1, 1);
    *error = products_error(e, &l);
    mem_free(l.workspace);
    linear_close(e, &l);
    return STATUS_OK;
}

static double check_attention(const struct engine *e)
{
    const struct engine_ops *ref = reference_of(e), *ops = &e->ops;
    const struct attention a = {
        .B = CHECK_B, .T = CHECK_T, .H = CHECK_H, .G = CHECK_G, .D = CHECK_D};
    int64_t M = CHECK_B * CHECK_T, out_n = M * CHECK_H * CHECK_D;
    struct sample qkv = sample_new(e, M * attention_row(&a), 7),
                  dout = sample_new(e, out_n, 8), out = sample_new(e, out_n, 9),
                  out_ref = sample_new(e, out_n, 9),
                  att = sample_new(e, ref->attention.kept(&a), 10);
    struct sample d = sample_new(e, qkv.n, 11), d_ref = sample_new(e, qkv.n, 11);
    real *lse = mem_alloc((size_t)(M * CHECK_H) * sizeof *lse);
    void *scratch = mem_alloc(ops->attention.scratch_bytes(&a, engine_threads()) +
                              ref->attention.scratch_bytes(&a, engine_threads()));
    ref->attention.forward(&a, out_ref.act, lse, att.act, scratch, qkv.act);
    ref->attention.backward(&a, d_ref.act, scratch, dout.act, out_ref.act, qkv.act, lse,
                            att.act);
    ops->attention.forward(&a, out.act, lse, att.act, scratch, qkv.act);
    ops->attention.backward(&a, d.act, scratch, dout.act, out.act, qkv.act, lse, att.act);
    double error = fmax(act_difference(e, out.act, out_ref.act, out_n),
                        act_difference(e, d.act, d_ref.act, d.n));
    struct sample all[] = {qkv, dout, out, out_ref, att, d, d_ref};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sample_free(&all[i]);
    mem_free(lse);
    mem_free(scratch);
    return error;
}

enum status engine_self_check(const struct engine *e, struct self_check *out,
                              struct err *err)
{
    double limit = e->bf16 ? TOLERANCE_BF16 : TOLERANCE_F32;
    enum status s = check_linear(e, &out->linear_error, err);
    if (s != STATUS_OK)
        return s;
    out->attention_error = check_attention(e);
    if (out->linear_error > limit)
        return err_set(err, STATUS_ENVIRONMENT,
                       "the linears of engine %s in %s differ from the reference by %.1e "
                       "on this machine: set engine: reference",
                       e->options.name, e->options.precision, out->linear_error);
    if (out->attention_error > limit)
        return err_set(
            err, STATUS_ENVIRONMENT,
            "tiled attention in %s differs from the plain form by %.1e on this "
            "machine: set attention: plain",
            e->options.precision, out->attention_error);
    return STATUS_OK;
}

#else

enum status engine_self_check(const struct engine *e, struct self_check *out,
                              struct err *err)
{
    (void)e;
    (void)err;
    *out = (struct self_check){0, 0};
    return STATUS_OK;
}

#endif
