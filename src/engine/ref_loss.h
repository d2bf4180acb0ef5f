/*
 * Cross-entropy of a softmax over the vocabulary: loss = lse - logit[target], with
 * lse = log sum exp(logits). The backward pass needs lse alone:
 * dlogits = scale (exp(logit - lse) - [v == target]).
 */
#include "engine/number.h"

ENGINE_INLINE real log_sum_exp(const number *logits, int64_t V)
{
    real max = number_get(logits[0]), sum = 0;
#pragma omp simd reduction(max : max)
    for (int64_t v = 1; v < V; v++) {
        real x = number_get(logits[v]);
        max = x > max ? x : max;
    }
#pragma omp simd reduction(+ : sum)
    for (int64_t v = 0; v < V; v++)
        sum += real_exp(number_get(logits[v]) - max);
    return max + real_log(sum);
}

ENGINE_CLONES
static void ref_cross_entropy_forward(real *loss, real *lse, const act *logits,
                                      const int32_t *targets, int64_t M, int64_t V)
{
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < M; m++) {
        const number *row = numbers_of(logits) + m * V;
        lse[m] = log_sum_exp(row, V);
        loss[m] = targets[m] < 0 ? 0 : lse[m] - number_get(row[targets[m]]);
    }
}

ENGINE_CLONES
static void ref_cross_entropy_backward(act *dlogits, const act *logits, const real *lse,
                                       const int32_t *targets, real scale, int64_t M,
                                       int64_t V)
{
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < M; m++) {
        number *d = numbers(dlogits) + m * V;
        const number *x = numbers_of(logits) + m * V;
        real row_scale = targets[m] < 0 ? 0 : scale;
        real of_target =
            targets[m] < 0 ? 0 : real_exp(number_get(x[targets[m]]) - lse[m]) - 1;
#pragma omp simd
        for (int64_t v = 0; v < V; v++)
            d[v] = number_of(row_scale * real_exp(number_get(x[v]) - lse[m]));
        if (targets[m] >= 0)
            d[targets[m]] = number_of(row_scale * of_target);
    }
}
