/* The global norm of all gradients, and the factor that keeps it within a limit. */
#ifndef GAIT_OPTIM_CLIP_H
#define GAIT_OPTIM_CLIP_H

#include "engine/memory_plan.h"
#include "engine/op_cost.h"
#include "engine/real.h"

/* Numbers of a partial sum. Partial sums are added in order, so the norm does not depend
 * on the number of threads. */
enum { CLIP_CHUNK = 4096 };

struct clip {
    int64_t n, chunks;
    double *partial; /* (chunks) */
};

/* For gradients of n numbers. */
void clip_plan(struct clip *c, struct memory_plan *plan, int64_t n);
/* sqrt(sum of grad^2), summed in double; NaN or Inf where any of them is. */
double clip_norm(struct clip *c, const real *grad);
/* The sum of squares of numbers [first, first + n) that clip_norm() just read: whole
 * chunks have theirs already, only the ends are read again. */
double clip_squares(const struct clip *c, const real *grad, int64_t first, int64_t n);
/* How many numbers that are. */
int64_t clip_read_again(int64_t first, int64_t n);
/* limit / norm where the norm is larger, else 1; a limit of 0 means no clipping. */
double clip_scale(double norm, double limit);

struct op_cost clip_cost(const struct clip *c);

#endif
