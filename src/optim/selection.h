/*
 * Which tensors a step updates: the k whose gradients are largest, by the root mean
 * square of their numbers, so that size of a tensor does not count. Of equals the first
 * in the table. Tensors' sums come from the partial sums that clip_norm() left; only
 * their ends, which share a chunk with others, are read again. The ranking is a heap of
 * k: O(n log k), and a step allocates nothing.
 *
 * Legal order: selection_plan, memory_plan_allocate, then for each step clip_norm,
 * selection_choose.
 */
#ifndef GAIT_OPTIM_SELECTION_H
#define GAIT_OPTIM_SELECTION_H

#include "engine/param_table.h"
#include "optim/clip.h"

#include <stdbool.h>

struct selection {
    int64_t k;           /* at most the number of tensors; 0: all are updated */
    double *mean_square; /* (params.n) of the gradients */
    size_t *heap;        /* (k) tensors, the one with the smallest gradient first */
    bool *chosen;        /* (params.n), or NULL: all */
};

/* top_k as set; more than there are tensors is all of them. */
void selection_plan(struct selection *s, struct memory_plan *plan, int64_t top_k,
                    const struct param_table *params);
/* Fill s->chosen from the gradients that clip_norm() just read: they are finite. */
void selection_choose(struct selection *s, const struct clip *clip, const real *grad,
                      const struct param_table *params);

/* What is read beside the partial sums. */
struct op_cost selection_cost(const struct selection *s,
                              const struct param_table *params);

#endif
