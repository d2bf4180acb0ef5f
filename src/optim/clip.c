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

/* Chunks [begin, end) lie within the numbers [first, first + n); none where begin >= end.
 */
struct whole_chunks {
    int64_t begin, end;
};

static struct whole_chunks whole_chunks(int64_t first, int64_t n)
{
    return (struct whole_chunks){(first + CLIP_CHUNK - 1) / CLIP_CHUNK,
                                 (first + n) / CLIP_CHUNK};
}

ENGINE_CLONES
double clip_squares(const struct clip *c, const real *grad, int64_t first, int64_t n)
{
    struct whole_chunks w = whole_chunks(first, n);
    if (w.begin >= w.end)
        return sum_of_squares(grad + first, n);
    int64_t middle = w.begin * CLIP_CHUNK, rest = w.end * CLIP_CHUNK;
    double sum = sum_of_squares(grad + first, middle - first);
    for (int64_t i = w.begin; i < w.end; i++)
        sum += c->partial[i];
    return sum + sum_of_squares(grad + rest, first + n - rest);
}

int64_t clip_read_again(int64_t first, int64_t n)
{
    struct whole_chunks w = whole_chunks(first, n);
    return w.begin >= w.end ? n : n - (w.end - w.begin) * CLIP_CHUNK;
}

double clip_scale(double norm, double limit)
{
    return limit > 0 && norm > limit ? limit / norm : 1;
}

struct op_cost clip_cost(const struct clip *c)
{
    return (struct op_cost){2 * c->n, c->n * (int64_t)sizeof(real)};
}
