#include "optim/optimizer.h"

#include <math.h>

void optimizer_plan(struct optimizer *o, struct memory_plan *plan,
                    const struct param_table *params)
{
    memory_plan_add(plan, (void **)&o->m, TENSOR_CLASS_MOMENTS, "first moments",
                    params->total, sizeof(real));
    memory_plan_add(plan, (void **)&o->v, TENSOR_CLASS_MOMENTS, "second moments",
                    o->kind == OPTIMIZER_ADAMW ? params->total : 0, sizeof(real));
    memory_plan_add(plan, (void **)&o->updates, TENSOR_CLASS_MOMENTS, "updates",
                    o->selective ? (int64_t)params->n : 0, sizeof *o->updates);
}

/* What a step's formula needs, new1 = 1 - beta1 in full, bias corrections folded in:
 * p = keep p - rate m / (sqrt(v) root + epsilon). For sgd: beta1 is the momentum. */
struct factors {
    real beta1, beta2, new1, new2, epsilon, rate, root, keep, decay, grad_scale;
};

ENGINE_INLINE real adamw_number(struct factors f, real p, real *m, real *v, real grad)
{
    real g = grad * f.grad_scale;
    *m = f.beta1 * *m + f.new1 * g;
    *v = f.beta2 * *v + f.new2 * g * g;
    return f.keep * p - f.rate * *m / (real_sqrt(*v) * f.root + f.epsilon);
}

ENGINE_INLINE real sgd_number(struct factors f, real p, real *m, real grad)
{
    *m = f.beta1 * *m + (grad * f.grad_scale + f.decay * p);
    return p - f.rate * *m;
}

ENGINE_CLONES
static void adamw_full(struct factors f, real *restrict param, real *restrict m,
                       real *restrict v, const real *restrict grad, int64_t n)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        param[i] = adamw_number(f, param[i], &m[i], &v[i], grad[i]);
}

ENGINE_CLONES
static void adamw_split(struct factors f, bf16 *restrict high, int16_t *restrict low,
                        real *restrict m, real *restrict v, const real *restrict grad,
                        int64_t n)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        real p = adamw_number(f, split_join(high[i], low[i]), &m[i], &v[i], grad[i]);
        split_float(&high[i], &low[i], (float)p);
    }
}

ENGINE_CLONES
static void sgd_full(struct factors f, real *restrict param, real *restrict m,
                     const real *restrict grad, int64_t n)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        param[i] = sgd_number(f, param[i], &m[i], grad[i]);
}

ENGINE_CLONES
static void sgd_split(struct factors f, bf16 *restrict high, int16_t *restrict low,
                      real *restrict m, const real *restrict grad, int64_t n)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        real p = sgd_number(f, split_join(high[i], low[i]), &m[i], grad[i]);
        split_float(&high[i], &low[i], (float)p);
    }
}

static struct factors factors(const struct optimizer *o, int64_t t, double learning_rate,
                              double grad_scale, bool decay)
{
    double weight_decay = decay ? o->weight_decay : 0;
    if (o->kind == OPTIMIZER_SGD)
        return (struct factors){.beta1 = (real)o->momentum,
                                .rate = (real)learning_rate,
                                .decay = (real)weight_decay,
                                .grad_scale = (real)grad_scale};
    double correction1 = 1 - pow(o->beta1, (double)t);
    double correction2 = 1 - pow(o->beta2, (double)t);
    return (struct factors){.beta1 = (real)o->beta1,
                            .beta2 = (real)o->beta2,
                            .new1 = (real)(1 - o->beta1),
                            .new2 = (real)(1 - o->beta2),
                            .epsilon = (real)o->epsilon,
                            .rate = (real)(learning_rate / correction1),
                            .root = (real)(1 / sqrt(correction2)),
                            .keep = (real)(1 - learning_rate * weight_decay),
                            .grad_scale = (real)grad_scale};
}

static void update_chunk(const struct optimizer *o, struct param_store *s,
                         const struct param *p, struct factors f, const real *grad,
                         int64_t first, int64_t n)
{
    int64_t at = p->offset + first, half = at - s->vectors;
    bool split = s->split && p->dims == 2, sgd = o->kind == OPTIMIZER_SGD;
    real *m = o->m + at, *v = sgd ? NULL : o->v + at;
    if (split && sgd)
        sgd_split(f, s->high + half, s->low + half, m, grad + at, n);
    else if (split)
        adamw_split(f, s->high + half, s->low + half, m, v, grad + at, n);
    else if (sgd)
        sgd_full(f, s->full + at, m, grad + at, n);
    else
        adamw_full(f, s->full + at, m, v, grad + at, n);
}

/* Numbers that a thread takes at a time. */
enum { UPDATE_CHUNK = 4096 };

static void count_updates(struct optimizer *o, const struct param_table *params,
                          const bool *chosen)
{
    for (size_t i = 0; o->updates && i < params->n; i++)
        o->updates[i] += !chosen || chosen[i];
}

/* One parallel region for all tensors: most of them are small. */
void optimizer_step(struct optimizer *o, struct param_store *store, const real *grad,
                    const struct param_table *params, const bool *chosen, int64_t t,
                    double learning_rate, double grad_scale)
{
    if (chosen && !o->updates)
        BUG("tensors are left out and their updates are not counted");
    count_updates(o, params, chosen);
    const struct factors plain = factors(o, t, learning_rate, grad_scale, false);
    const struct factors decay = factors(o, t, learning_rate, grad_scale, true);
#pragma omp parallel
    for (size_t i = 0; i < params->n; i++) {
        const struct param *p = &params->param[i];
        if (chosen && !chosen[i]) /* the same for all threads, as the loop below needs */
            continue;
        struct factors f = p->decay ? decay : plain;
        if (o->updates)
            f = factors(o, o->updates[i], learning_rate, grad_scale, p->decay);
#pragma omp for schedule(static) nowait
        for (int64_t first = 0; first < p->n; first += UPDATE_CHUNK) {
            int64_t left = p->n - first;
            update_chunk(o, store, p, f, grad, first,
                         left < UPDATE_CHUNK ? left : UPDATE_CHUNK);
        }
    }
}

/* 13 operations a number, or 6; reads and writes parameter and moments, reads the
 * gradient.
 */
struct op_cost optimizer_cost(const struct optimizer *o, const struct param_table *params,
                              const bool *chosen)
{
    bool sgd = o->kind == OPTIMIZER_SGD;
    int64_t count = chosen ? 0 : params->count;
    for (size_t i = 0; chosen && i < params->n; i++)
        count += chosen[i] ? params->param[i].n : 0;
    return (struct op_cost){(sgd ? 6 : 13) * count,
                            (sgd ? 5 : 7) * count * (int64_t)sizeof(real)};
}
