#include "optim/selection.h"

#include <string.h>

void selection_plan(struct selection *s, struct memory_plan *plan, int64_t top_k,
                    const struct param_table *params)
{
    int64_t tensors = (int64_t)params->n, ranked = top_k ? tensors : 0;
    s->k = top_k < tensors ? top_k : tensors;
    memory_plan_add(plan, (void **)&s->mean_square, TENSOR_CLASS_WORKSPACE,
                    "gradients by tensor", ranked, sizeof *s->mean_square);
    memory_plan_add(plan, (void **)&s->heap, TENSOR_CLASS_WORKSPACE, "largest gradients",
                    s->k, sizeof *s->heap);
    memory_plan_add(plan, (void **)&s->chosen, TENSOR_CLASS_WORKSPACE, "chosen tensors",
                    ranked, sizeof *s->chosen);
}

/* A total order: no two tensors are equal, so every rank and run chooses alike. */
static bool is_smaller(const struct selection *s, size_t a, size_t b)
{
    double x = s->mean_square[a], y = s->mean_square[b];
    return x < y || (!(y < x) && a > b);
}

/* Put `tensor` where heap[at] is, or below it among `filled` places. */
static void sift_down(struct selection *s, size_t at, size_t filled, size_t tensor)
{
    for (size_t child; (child = 2 * at + 1) < filled; at = child) {
        if (child + 1 < filled && is_smaller(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (!is_smaller(s, s->heap[child], tensor))
            break;
        s->heap[at] = s->heap[child];
    }
    s->heap[at] = tensor;
}

static void rank_tensors(struct selection *s, size_t tensors)
{
    size_t k = (size_t)s->k;
    for (size_t i = 0; i < k; i++)
        s->heap[i] = i;
    for (size_t i = k / 2; i-- > 0;)
        sift_down(s, i, k, s->heap[i]);
    for (size_t i = k; i < tensors; i++)
        if (is_smaller(s, s->heap[0], i))
            sift_down(s, 0, k, i);
}

void selection_choose(struct selection *s, const struct clip *clip, const real *grad,
                      const struct param_table *params)
{
    if (!s->k)
        return;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < params->n; i++) {
        const struct param *p = &params->param[i];
        s->mean_square[i] = clip_squares(clip, grad, p->offset, p->n) / (double)p->n;
    }
    rank_tensors(s, params->n);
    memset(s->chosen, 0, params->n * sizeof *s->chosen);
    for (int64_t i = 0; i < s->k; i++)
        s->chosen[s->heap[i]] = true;
}

struct op_cost selection_cost(const struct selection *s, const struct param_table *params)
{
    int64_t again = 0;
    for (size_t i = 0; s->k && i < params->n; i++)
        again += clip_read_again(params->param[i].offset, params->param[i].n);
    return (struct op_cost){2 * again, again * (int64_t)sizeof(real)};
}
