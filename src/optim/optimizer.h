/*
 * What moves the parameters: one pass over parameters, gradients and moments that clips,
 * updates the moments, decays, moves and writes the bf16 copy. For each number, with g
 * its gradient times grad_scale, at step t = 1, 2, … adamw:  m = beta1 m + (1 - beta1) g
 * v = beta2 v + (1 - beta2) g^2 p = p - lr (m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t))
 * + epsilon) + decay p) sgd:    m = momentum m + g + decay p         p = p - lr m Decay
 * applies to matrices only: never to norms and biases.
 *
 * A step may leave tensors out: these keep parameters and moments, without decay. For
 * them t is the tensor's own number of updates: moments that were filled once are
 * corrected as such, however late in the training that is.
 */
#ifndef GAIT_OPTIM_OPTIMIZER_H
#define GAIT_OPTIM_OPTIMIZER_H

#include "engine/memory_plan.h"
#include "engine/op_cost.h"
#include "engine/param_store.h"
#include "engine/param_table.h"

enum optimizer_kind { OPTIMIZER_ADAMW, OPTIMIZER_SGD };

struct optimizer {
    enum optimizer_kind kind;
    double beta1, beta2, epsilon; /* adamw */
    double momentum;              /* sgd */
    double weight_decay;
    bool selective;   /* steps may leave tensors out */
    real *m, *v;      /* (params.total) moments, 0 before the first step; sgd has no v */
    int64_t *updates; /* (params.n) of each tensor so far; NULL: not selective */
};

void optimizer_plan(struct optimizer *o, struct memory_plan *plan,
                    const struct param_table *params);

/* One step, t = 1 the first; grad is scaled by grad_scale as it is read (clipping).
 * chosen (params.n) says which tensors are updated; NULL: all. */
void optimizer_step(struct optimizer *o, struct param_store *store, const real *grad,
                    const struct param_table *params, const bool *chosen, int64_t t,
                    double learning_rate, double grad_scale);

struct op_cost optimizer_cost(const struct optimizer *o, const struct param_table *params,
                              const bool *chosen);

#endif
