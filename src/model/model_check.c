#include "model/model_check.h"

#include "base/mem.h"

#include <math.h>

/* Numbers compared of each product. */
enum { SAMPLES = 48, FILL_CHUNK = 256 };

/* A result is rounded once to 8 bits in bf16; f32 sums of thousands of terms lose a few
 * of their 24. */
static const double TOLERANCE_BF16 = 1.0 / 128, TOLERANCE_F32 = 1e-5;

/* One linear and the buffers that it may use. */
struct subject {
    const struct engine *e;
    const struct linear *l;
    const act *w;
    act *x, *y, *dx; /* (M, K), (M, N), (M, K) */
    real *dw;        /* (N, K) */
};

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static act *act_at(const struct subject *s, const act *a, int64_t index)
{
    return (act *)((char *)a + index * (int64_t)s->e->act_bytes);
}

static double number_at(const struct subject *s, const act *a, int64_t index)
{
    real value;
    s->e->ops.act_to_real(&value, act_at(s, a, index), 1);
    return (double)value;
}

static void fill(const struct subject *s, act *a, int64_t n, uint32_t seed)
{
    real chunk[FILL_CHUNK];
    for (int64_t first = 0; first < n; first += FILL_CHUNK) {
        int64_t len = n - first < FILL_CHUNK ? n - first : FILL_CHUNK;
        for (int64_t i = 0; i < len; i++)
            chunk[i] = (real)((double)next_random(&seed) / (1 << 23) - 1);
        s->e->ops.act_from_real(act_at(s, a, first), chunk, len);
    }
}

/* |result - sum| over the sum of the terms' sizes. */
struct sum {
    double total, size;
};

static void add_term(struct sum *t, double a, double b)
{
    t->total += a * b;
    t->size += fabs(a * b);
}

static double difference(struct sum t, double result)
{
    double d = fabs(result - t.total) / (t.size > 0 ? t.size : 1);
    return isnan(d) ? INFINITY : d;
}

static double forward_error(const struct subject *s, const real *bias)
{
    int64_t K = s->l->K, N = s->l->N;
    uint32_t seed = 3;
    double worst = 0;
    fill(s, s->x, s->l->M * K, 1);
    s->e->ops.linear_forward(s->l, s->y, s->x, s->w, bias);
    for (int i = 0; i < SAMPLES; i++) {
        int64_t m = next_random(&seed) % s->l->M, n = next_random(&seed) % N;
        struct sum t = {0};
        for (int64_t k = 0; k < K; k++)
            add_term(&t, number_at(s, s->x, m * K + k), number_at(s, s->w, n * K + k));
        if (bias)
            add_term(&t, (double)bias[n], 1);
        worst = fmax(worst, difference(t, number_at(s, s->y, m * N + n)));
    }
    return worst;
}

static double input_error(const struct subject *s)
{
    int64_t K = s->l->K, N = s->l->N;
    uint32_t seed = 4;
    double worst = 0;
    fill(s, s->y, s->l->M * N, 2);
    s->e->ops.linear_backward_input(s->l, s->dx, s->y, s->w);
    for (int i = 0; i < SAMPLES; i++) {
        int64_t m = next_random(&seed) % s->l->M, k = next_random(&seed) % K;
        struct sum t = {0};
        for (int64_t n = 0; n < N; n++)
            add_term(&t, number_at(s, s->y, m * N + n), number_at(s, s->w, n * K + k));
        worst = fmax(worst, difference(t, number_at(s, s->dx, m * K + k)));
    }
    return worst;
}

/* Written, then added to: twice the sum. y and x hold what the two above left. */
static double weight_error(const struct subject *s)
{
    int64_t K = s->l->K, N = s->l->N;
    uint32_t seed = 5;
    double worst = 0;
    s->e->ops.linear_backward_weight(s->l, s->dw, s->y, s->x, false);
    s->e->ops.linear_backward_weight(s->l, s->dw, s->y, s->x, true);
    for (int i = 0; i < SAMPLES; i++) {
        int64_t n = next_random(&seed) % N, k = next_random(&seed) % K;
        struct sum t = {0};
        for (int64_t m = 0; m < s->l->M; m++)
            add_term(&t, 2 * number_at(s, s->y, m * N + n),
                     number_at(s, s->x, m * K + k));
        worst = fmax(worst, difference(t, (double)s->dw[n * K + k]));
    }
    return worst;
}

static enum status refuse(const struct subject *s, double error, struct err *err)
{
    return err_set(
        err, STATUS_ENVIRONMENT,
        "%s by %s (%s) is wrong by %.1e on this machine: set engine: reference",
        s->l->names.forward, s->e->options.name, s->l->kernel, error);
}

/* Buffers of the right size for each linear: model.h says how large they are. */
static struct subject subject_of(struct model *m, enum model_linear which)
{
    const int64_t *row = m->params.block[0];
    const struct block_acts *a = &m->acts[0];
    const int64_t role[] = {row[ROLE_QKV], row[ROLE_PROJ], row[ROLE_UP], row[ROLE_DOWN],
                            m->params.outer[m->shape.tied ? ROLE_TOKENS : ROLE_HEAD]};
    act *const x[] = {m->narrow, a->heads, m->narrow, m->wide, m->narrow};
    act *const y[] = {a->qkv, m->narrow, a->up, m->narrow, m->logits};
    act *const dx[] = {m->narrow_2, m->narrow_2, m->narrow_2, a->up, m->narrow_2};
    return (struct subject){m->engine,
                            &m->linear[which],
                            params_weight(&m->params, &m->store, role[which]).value,
                            x[which],
                            y[which],
                            dx[which],
                            params_grad(&m->params, m->grad, role[which])};
}

static const real *bias_of(const struct model *m, enum model_linear which)
{
    const enum block_role bias[] = {ROLE_QKV_BIAS, ROLE_PROJ_BIAS, ROLE_UP_BIAS,
                                    ROLE_DOWN_BIAS};
    return which == LINEAR_HEAD
               ? NULL
               : params_vector(&m->params, &m->store, m->params.block[0][bias[which]]);
}

/* Numbers that are filled: of a large batch no more is run (product.c). */
enum { DECIDE_FILL_MAX = 1 << 26 };

static int64_t at_most(int64_t n, int64_t most)
{
    return n < most ? n : most;
}

void model_decide(struct model *m, bool measure)
{
    for (int i = 0; i < LINEARS; i++) {
        if (!m->linear[i].undecided)
            continue;
        struct subject s = subject_of(m, i);
        struct linear_operands o = {
            .x = s.x, .y = s.y, .dx = s.dx, .w = s.w, .b = bias_of(m, i), .dw = s.dw};
        fill(&s, s.x, at_most(s.l->M * s.l->K, DECIDE_FILL_MAX), 1);
        fill(&s, s.y, at_most(s.l->M * s.l->N, DECIDE_FILL_MAX), 2);
        linear_decide(m->engine, &m->linear[i], &o, measure);
    }
}

enum status model_check(struct model *m, double *error, struct err *err)
{
    double limit = m->engine->bf16 ? TOLERANCE_BF16 : TOLERANCE_F32;
    *error = 0;
    for (int i = 0; i < LINEARS; i++) {
        struct subject s = subject_of(m, i);
        double worst = fmax(forward_error(&s, bias_of(m, i)),
                            fmax(input_error(&s), weight_error(&s)));
        *error = fmax(*error, worst);
        if (worst > limit)
            return refuse(&s, worst, err);
    }
    return STATUS_OK;
}
