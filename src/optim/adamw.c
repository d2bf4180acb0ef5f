#include "optim/adamw.h"

#include <math.h>

void adamw_plan(struct adamw *o, struct memory_plan *plan,
                const struct param_table *params)
{
    memory_plan_add(plan, (void **)&o->m, TENSOR_CLASS_MOMENTS, "first moments",
                    params->total, sizeof(real));
    memory_plan_add(plan, (void **)&o->v, TENSOR_CLASS_MOMENTS, "second moments",
                    params->total, sizeof(real));
}

/* What a step's formula needs, new1 = 1 - beta1 in full, bias corrections folded in:
 * p = keep p - rate m / (sqrt(v) root + epsilon). */
struct adamw_factors {
    real beta1, beta2, new1, new2, epsilon, rate, root, keep, grad_scale;
};

/* Numbers that a thread takes at a time. */
enum { ADAMW_CHUNK = 4096 };

ENGINE_CLONES
static void update_chunk(struct adamw_factors f, real *restrict param, real *restrict m,
                         real *restrict v, const real *restrict grad, int64_t n)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        real g = grad[i] * f.grad_scale;
        m[i] = f.beta1 * m[i] + f.new1 * g;
        v[i] = f.beta2 * v[i] + f.new2 * g * g;
        param[i] =
            f.keep * param[i] - f.rate * m[i] / (real_sqrt(v[i]) * f.root + f.epsilon);
    }
}

static struct adamw_factors factors(const struct adamw *o, int64_t t,
                                    double learning_rate, double grad_scale)
{
    double correction1 = 1 - pow(o->beta1, (double)t);
    double correction2 = 1 - pow(o->beta2, (double)t);
    return (struct adamw_factors){.beta1 = (real)o->beta1,
                                  .beta2 = (real)o->beta2,
                                  .new1 = (real)(1 - o->beta1),
                                  .new2 = (real)(1 - o->beta2),
                                  .epsilon = (real)o->epsilon,
                                  .rate = (real)(learning_rate / correction1),
                                  .root = (real)(1 / sqrt(correction2)),
                                  .keep = 1,
                                  .grad_scale = (real)grad_scale};
}

/* One parallel region for all tensors: most of them are small. */
void adamw_step(struct adamw *o, real *param, const real *grad,
                const struct param_table *params, int64_t t, double learning_rate,
                double grad_scale)
{
    struct adamw_factors plain = factors(o, t, learning_rate, grad_scale);
    struct adamw_factors decay = plain;
    decay.keep = (real)(1 - learning_rate * o->weight_decay);
#pragma omp parallel
    for (size_t i = 0; i < params->n; i++) {
        const struct param *p = &params->param[i];
#pragma omp for schedule(static) nowait
        for (int64_t first = 0; first < p->n; first += ADAMW_CHUNK) {
            int64_t at = p->offset + first, left = p->n - first;
            update_chunk(p->decay ? decay : plain, param + at, o->m + at, o->v + at,
                         grad + at, left < ADAMW_CHUNK ? left : ADAMW_CHUNK);
        }
    }
}

/* 13 operations a number; reads four, writes three. */
struct op_cost adamw_cost(const struct param_table *params)
{
    return (struct op_cost){13 * params->count,
                            7 * params->count * (int64_t)sizeof(real)};
}
