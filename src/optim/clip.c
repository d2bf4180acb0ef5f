#include "optim/clip.h"

#include <math.h>

void clip_plan(struct clip *c, struct memory_plan *plan, int64_t n)
{
    c->n = n;
    c->chunks = n / CLIP_CHUNK + (n % CLIP_CHUNK != 0);
    memory_plan_add(plan, (void **)&c->partial, TENSOR_CLASS_WORKSPACE, "partial norms",
                    c->chunks, sizeof *c->partial);
}

ENGINE_INLINE double sum_of_squares(const real *x, int64_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return sum;
}

ENGINE_CLONES
double clip_norm(struct clip *c, const real *grad)
{
    double sum = 0;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < c->chunks; i++) {
        int64_t first = i * CLIP_CHUNK, left = c->n - first;
        c->partial[i] =
            sum_of_squares(grad + first, left < CLIP_CHUNK ? left : CLIP_CHUNK);
    }
    for (int64_t i = 0; i < c->chunks; i++)
        sum += c->partial[i];
    return sqrt(sum);
}

double clip_scale(double norm, double limit)
{
    return limit > 0 && norm > limit ? limit / norm : 1;
}

struct op_cost clip_cost(const struct clip *c)
{
    return (struct op_cost){2 * c->n, c->n * (int64_t)sizeof(real)};
}
