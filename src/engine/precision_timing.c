#include "engine/precision_timing.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/stats.h"

#include <string.h>

/* A product has at most so many flop, and no side is cut below SIDE_MIN. */
static const double FLOP_MAX = 1 << 26;
enum { SIDE_MIN = 64 };

/* So many rounds, of which the first warms up; fewer where they take long. */
enum { ROUNDS_MIN = 3, ROUNDS_MAX = 7 };
static const int64_t BUDGET_NS = 60000000;

/* A linear in one precision, with its operands. */
struct subject {
    struct engine engine;
    struct linear l;
    act *x, *w, *y, *dx; /* (M, K), (N, K), (M, N), (M, K) */
    real *dw;            /* (N, K) */
};

static act *tensor_new(const struct engine *e, int64_t n)
{
    act *a = mem_zalloc((size_t)n, e->act_bytes);
    real *value = mem_alloc((size_t)n * sizeof *value);
    for (int64_t i = 0; i < n; i++)
        value[i] = (real)(i % 17 - 8) / 8;
    e->ops.act_from_real(a, value, n);
    mem_free(value);
    return a;
}

static enum status subject_open(struct subject *s, const struct precision_timing *t,
                                const char *name, const char *precision, struct err *err)
{
    const struct engine_options options = {name, precision, "tiled"};
    memset(s, 0, sizeof *s);
    enum status st = engine_init(&s->engine, &options, err);
    if (st)
        return st;
    s->l = (struct linear){.M = t->M,
                           .N = t->N,
                           .K = t->K,
                           .n_parts = 1,
                           .part = {t->N},
                           .names = LINEAR_NAMES("timed")};
    st = linear_open(&s->engine, &s->l, err);
    if (st)
        return st;
    s->l.workspace = mem_zalloc(s->l.workspace_bytes + 1, 1);
    s->x = tensor_new(&s->engine, t->M * t->K);
    s->w = tensor_new(&s->engine, t->N * t->K);
    s->y = tensor_new(&s->engine, t->M * t->N);
    s->dx = mem_zalloc((size_t)(t->M * t->K), s->engine.act_bytes);
    s->dw = mem_zalloc((size_t)(t->N * t->K), sizeof *s->dw);
    const struct linear_operands o = {
        .x = s->x, .y = s->y, .dx = s->dx, .w = s->w, .b = NULL, .dw = s->dw};
    linear_decide(&s->engine, &s->l, &o, true);
    return STATUS_OK;
}

static void subject_close(struct subject *s)
{
    if (s->x) /* else it was never opened */
        linear_close(&s->engine, &s->l);
    mem_free(s->l.workspace);
    mem_free(s->x);
    mem_free(s->w);
    mem_free(s->y);
    mem_free(s->dx);
    mem_free(s->dw);
}

static double products_ns(const struct subject *s)
{
    const struct engine_ops *ops = &s->engine.ops;
    int64_t begin_ns = clock_now_ns();
    ops->linear_forward(&s->l, s->y, s->x, s->w, NULL);
    ops->linear_backward_input(&s->l, s->dx, s->y, s->w);
    ops->linear_backward_weight(&s->l, s->dw, s->y, s->x, false);
    return (double)(clock_now_ns() - begin_ns);
}

static void time_in_turns(struct precision_timing *t, const struct subject *f32,
                          const struct subject *bf16)
{
    double f32_ns[ROUNDS_MAX], bf16_ns[ROUNDS_MAX];
    int64_t first_ns = clock_now_ns();
    products_ns(f32);
    products_ns(bf16);
    int n = 0;
    while (n < ROUNDS_MAX && (n < ROUNDS_MIN || clock_now_ns() < first_ns + BUDGET_NS)) {
        f32_ns[n] = products_ns(f32);
        bf16_ns[n] = products_ns(bf16);
        n++;
    }
    t->f32_ns = stats_median(f32_ns, (size_t)n);
    t->bf16_ns = stats_median(bf16_ns, (size_t)n);
    t->rounds = n;
}

/* The longer of rows and columns is halved until the product is short. */
static void cut(struct precision_timing *t)
{
    while (2.0 * (double)t->M * (double)t->N * (double)t->K > FLOP_MAX) {
        int64_t *longer = t->M > t->N ? &t->M : &t->N;
        if (*longer <= SIDE_MIN)
            return;
        *longer = (*longer + 1) / 2;
    }
}

enum status precision_time(struct precision_timing *out, const char *name,
                           const struct linear *l, struct err *err)
{
    struct subject f32, bf16 = {.x = NULL};
    *out = (struct precision_timing){.M = l->M, .N = l->N, .K = l->K};
    cut(out);
    enum status st = subject_open(&f32, out, name, "f32", err);
    if (!st)
        st = subject_open(&bf16, out, name, "bf16", err);
    if (!st)
        time_in_turns(out, &f32, &bf16);
    subject_close(&f32);
    subject_close(&bf16);
    return st;
}

bool precision_bf16_is_slower(const struct precision_timing *t)
{
    return t->rounds > 0 && t->bf16_ns > PRECISION_SLOWER_RATIO * t->f32_ns;
}

bool precision_f32_is_slower(const struct precision_timing *t)
{
    return t->rounds > 0 && t->f32_ns > PRECISION_SLOWER_RATIO * t->bf16_ns;
}
