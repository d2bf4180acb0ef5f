/*
 * Cross-entropy of a softmax over the vocabulary: loss = lse - logit[target], with
 * lse = log sum exp(logits). The backward pass needs lse alone:
 * dlogits = scale (exp(logit - lse) - [v == target]).
 */
#include "engine/ref_kernels.h"

ENGINE_INLINE real log_sum_exp(const real *logits, int64_t V)
{
    real max = logits[0], sum = 0;
#pragma omp simd reduction(max : max)
    for (int64_t v = 1; v < V; v++)
        max = logits[v] > max ? logits[v] : max;
#pragma omp simd reduction(+ : sum)
    for (int64_t v = 0; v < V; v++)
        sum += real_exp(logits[v] - max);
    return max + real_log(sum);
}

ENGINE_CLONES
void ref_cross_entropy_forward(real *loss, real *lse, const real *logits,
                               const int32_t *targets, int64_t M, int64_t V)
{
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < M; m++) {
        lse[m] = log_sum_exp(logits + m * V, V);
        loss[m] = targets[m] < 0 ? 0 : lse[m] - logits[m * V + targets[m]];
    }
}

ENGINE_CLONES
void ref_cross_entropy_backward(real *dlogits, const real *logits, const real *lse,
                                const int32_t *targets, real scale, int64_t M, int64_t V)
{
#pragma omp parallel for schedule(static)
    for (int64_t m = 0; m < M; m++) {
        real row_scale = targets[m] < 0 ? 0 : scale;
#pragma omp simd
        for (int64_t v = 0; v < V; v++)
            dlogits[m * V + v] = row_scale * real_exp(logits[m * V + v] - lse[m]);
        if (targets[m] >= 0)
            dlogits[m * V + targets[m]] -= scale;
    }
}
