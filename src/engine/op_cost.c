#include "engine/op_cost.h"

enum { REAL_BYTES = sizeof(real), TOKEN_BYTES = sizeof(int32_t) };

static struct op_cost cost(int64_t flop, int64_t acts, size_t act_bytes, int64_t reals)
{
    return (struct op_cost){flop, acts * (int64_t)act_bytes + reals * REAL_BYTES};
}

/* The three products of a linear have the same three operands in turn; the gradient of
 * the weights is in real. */
struct op_cost cost_linear(const struct linear *l, enum linear_product product,
                           bool accumulate, size_t act_bytes)
{
    int64_t M = l->M, N = l->N, K = l->K, flop = 2 * M * N * K;
    if (product == LINEAR_BACKWARD_WEIGHT)
        return cost(flop, M * K + M * N, act_bytes, (accumulate ? 2 : 1) * N * K);
    return cost(flop, M * K + N * K + M * N, act_bytes, 0);
}

struct op_cost cost_bias_backward(int64_t M, int64_t N, size_t act_bytes)
{
    return cost(M * N, M * N, act_bytes, N);
}

/* Forward reads a row of each table and writes one; backward reads one and adds to a row
 * of each table. */
struct op_cost cost_embedding(int64_t B, int64_t T, int64_t C, bool positions,
                              bool backward)
{
    int64_t n = B * T * C, tables = positions ? 2 : 1;
    struct op_cost c = cost((backward ? tables : tables - 1) * n, 0, 0,
                            (backward ? 2 * tables + 1 : tables + 1) * n);
    c.bytes += B * T * TOKEN_BYTES;
    return c;
}

/* Sum 1 and centred square 3 (RMSNorm: square 2), normalise and scale 4. */
struct op_cost cost_norm_forward(const struct norm *n, size_t act_bytes)
{
    int64_t MC = n->M * n->C;
    return cost((n->rms ? 5 : 8) * MC, 2 * MC, act_bytes, MC + n->M + 2 * n->C);
}

struct op_cost cost_norm_apply(const struct norm *n, size_t act_bytes)
{
    int64_t MC = n->M * n->C;
    return cost(2 * MC, 2 * MC, act_bytes, 2 * n->C);
}

struct op_cost cost_norm_backward(const struct norm *n, size_t act_bytes)
{
    int64_t MC = n->M * n->C;
    return cost(13 * MC, 2 * MC, act_bytes, 2 * MC + n->M + 3 * n->C);
}

struct op_cost cost_rope(const struct attention *a, size_t act_bytes)
{
    int64_t n = a->B * a->T * (a->H + a->G) * a->D;
    return cost(3 * n, 2 * n, act_bytes, a->T * a->D);
}

static int64_t causal_pairs(const struct attention *a)
{
    return a->B * a->H * (a->T * (a->T + 1) / 2);
}

/* A pair of tokens costs two dot products' worth of 2D, and 5 for scale and softmax. */
struct op_cost cost_attention_forward(const struct attention *a, bool keeps,
                                      size_t act_bytes)
{
    int64_t pairs = causal_pairs(a), M = a->B * a->T;
    return cost(pairs * (4 * a->D + 5),
                M * (attention_row(a) + a->H * a->D) + (keeps ? pairs : 0), act_bytes,
                M * a->H);
}

/* dV, dP, dQ and dK: four products of 2D a pair, and 5 for the softmax; where the matrix
 * was not kept, its product once more. */
struct op_cost cost_attention_backward(const struct attention *a, bool keeps,
                                       size_t act_bytes)
{
    int64_t pairs = causal_pairs(a), M = a->B * a->T;
    return cost(pairs * ((keeps ? 8 : 10) * a->D + 5),
                M * (2 * attention_row(a) + 2 * a->H * a->D) + (keeps ? pairs : 0),
                act_bytes, M * a->H);
}

/* Backward computes the output once more. */
struct op_cost cost_gelu(int64_t n, bool backward, size_t act_bytes)
{
    return cost((backward ? 19 : 9) * n, (backward ? 4 : 2) * n, act_bytes, 0);
}

/* n numbers of output; gate and up are read, or written too. */
struct op_cost cost_swiglu(int64_t n, bool backward, size_t act_bytes)
{
    return cost((backward ? 12 : 5) * n, (backward ? 6 : 3) * n, act_bytes, 0);
}

struct op_cost cost_residual(int64_t n, bool backward, size_t act_bytes)
{
    return cost(backward ? 0 : n, n, act_bytes, backward ? n : 2 * n);
}

struct op_cost cost_cross_entropy(int64_t M, int64_t V, bool backward, size_t act_bytes)
{
    struct op_cost c = cost((backward ? 3 : 4) * M * V, (backward ? 2 : 1) * M * V,
                            act_bytes, backward ? M : 2 * M);
    c.bytes += M * TOKEN_BYTES;
    return c;
}
