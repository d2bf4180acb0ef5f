/*
 * Cross-entropy of a softmax over the vocabulary: loss = lse - logit[target], with
 * lse = log sum exp(logits), and dlogits = scale (exp(logit) / sum - [v == target]).
 *
 * The forward pass leaves what makes probabilities of a row: its largest logit and 1 over
 * its sum. The log of the sum, rounded to f32 at its size of about 10, would be off by a
 * part in two million, and all of a row's probabilities with it. Sums over a large
 * vocabulary are double over short f32 ones.
 */
#include "engine/number.h"

/* What makes probabilities of a row: exp(x - max) / sum. */
struct row_softmax {
    real max;
    double sum;
};

enum { LOSS_CHUNK = 256 };

ENGINE_INLINE struct row_softmax row_softmax(const number *logits, int64_t V)
{
    struct row_softmax r = {number_get(logits[0]), 0};
    real max = r.max;
#pragma omp simd reduction(max : max)
    for (int64_t v = 1; v < V; v++) {
        real x = number_get(logits[v]);
        max = x > max ? x : max;
    }
    r.max = max;
    for (int64_t first = 0; first < V; first += LOSS_CHUNK) {
        int64_t end = first + LOSS_CHUNK < V ? first + LOSS_CHUNK : V;
        real sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t v = first; v < end; v++)
            sum += real_exp(number_get(logits[v]) - max);
        r.sum += (double)sum;
    }
    return r;
}

ENGINE_CLONES
static void ref_cross_entropy_forward(real *loss, real *softmax, const act *logits,
                                      const int32_t *targets, int64_t M, int64_t V)
{
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < M; m++) {
        const number *row = numbers_of(logits) + m * V;
        struct row_softmax r = row_softmax(row, V);
        double log_sum = log(r.sum), top = (double)r.max;
        softmax[2 * m] = r.max;
        softmax[2 * m + 1] = (real)(1 / r.sum);
        loss[m] = targets[m] < 0
                      ? 0
                      : (real)(top - (double)number_get(row[targets[m]]) + log_sum);
    }
}

ENGINE_CLONES
static void ref_cross_entropy_backward(act *dlogits, const act *logits,
                                       const real *softmax, const int32_t *targets,
                                       real scale, int64_t M, int64_t V)
{
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < M; m++) {
        number *d = numbers(dlogits) + m * V;
        const number *x = numbers_of(logits) + m * V;
        const real max = softmax[2 * m], inverse = softmax[2 * m + 1];
        const real row_scale = targets[m] < 0 ? 0 : scale;
        real factor = row_scale * inverse;
        real of_target =
            targets[m] < 0 ? 0 : real_exp(number_get(x[targets[m]]) - max) * inverse - 1;
#pragma omp simd
        for (int64_t v = 0; v < V; v++)
            d[v] = number_of(factor * real_exp(number_get(x[v]) - max));
        if (targets[m] >= 0)
            d[targets[m]] = number_of(row_scale * of_target);
    }
}
