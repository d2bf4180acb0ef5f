/*
 * AdamW: Adam with weight decay apart from the gradient, on matrices only. For each
 * number, at step t = 1, 2, …
 *   m = beta1 m + (1 - beta1) g          v = beta2 v + (1 - beta2) g^2
 *   p = p - lr (m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon) + decay p)
 */
#ifndef GAIT_OPTIM_ADAMW_H
#define GAIT_OPTIM_ADAMW_H

#include "engine/memory_plan.h"
#include "engine/op_cost.h"
#include "engine/param_table.h"
#include "engine/real.h"

struct adamw {
    double beta1, beta2, epsilon, weight_decay;
    real *m, *v; /* (params.total) moments; 0 before the first step */
};

void adamw_plan(struct adamw *o, struct memory_plan *plan,
                const struct param_table *params);

/* One step, t = 1 the first; grad is scaled by grad_scale as it is read (clipping). */
void adamw_step(struct adamw *o, real *param, const real *grad,
                const struct param_table *params, int64_t t, double learning_rate,
                double grad_scale);

struct op_cost adamw_cost(const struct param_table *params);

#endif
