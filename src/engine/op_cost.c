#include "engine/op_cost.h"

#include "engine/real.h"

enum { REAL_BYTES = sizeof(real), TOKEN_BYTES = sizeof(int32_t) };

static struct op_cost cost(int64_t flop, int64_t reals)
{
    return (struct op_cost){flop, reals * REAL_BYTES};
}

/* The three products of a linear have the same three operands in turn. */
struct op_cost cost_linear(int64_t M, int64_t N, int64_t K, bool accumulate)
{
    return cost(2 * M * N * K, M * K + N * K + M * N + (accumulate ? N * K : 0));
}

struct op_cost cost_embedding_forward(int64_t B, int64_t T, int64_t C)
{
    struct op_cost c = cost(B * T * C, 3 * B * T * C);
    c.bytes += B * T * TOKEN_BYTES;
    return c;
}

/* Reads dout; reads and writes a row of each table for every token. */
struct op_cost cost_embedding_backward(int64_t B, int64_t T, int64_t C)
{
    struct op_cost c = cost(2 * B * T * C, 5 * B * T * C);
    c.bytes += B * T * TOKEN_BYTES;
    return c;
}

/* Sum 1, centred square 3, normalise and scale 4 for each number. */
struct op_cost cost_layernorm_forward(int64_t M, int64_t C)
{
    return cost(8 * M * C, 2 * M * C + 2 * M + 2 * C);
}

struct op_cost cost_layernorm_backward(int64_t M, int64_t C, bool accumulate_dx)
{
    return cost(17 * M * C, (accumulate_dx ? 4 : 3) * M * C + 2 * M + 3 * C);
}

static int64_t causal_pairs(int64_t B, int64_t T, int64_t H)
{
    return B * H * (T * (T + 1) / 2);
}

/* A pair of tokens costs two dot products' worth of 2D, and 5 for scale and softmax. */
struct op_cost cost_attention_forward(int64_t B, int64_t T, int64_t C, int64_t H)
{
    int64_t pairs = causal_pairs(B, T, H), D = C / H;
    return cost(pairs * (4 * D + 5), 4 * B * T * C + pairs);
}

/* dV, dP, dQ and dK: four products of 2D a pair, and 5 for the softmax. */
struct op_cost cost_attention_backward(int64_t B, int64_t T, int64_t C, int64_t H)
{
    int64_t pairs = causal_pairs(B, T, H), D = C / H;
    return cost(pairs * (8 * D + 5), 7 * B * T * C + pairs);
}

struct op_cost cost_gelu_forward(int64_t n)
{
    return cost(9 * n, 2 * n);
}

struct op_cost cost_gelu_backward(int64_t n)
{
    return cost(18 * n, 3 * n);
}

struct op_cost cost_residual_add(int64_t n)
{
    return cost(n, 3 * n);
}

struct op_cost cost_cross_entropy_forward(int64_t M, int64_t V)
{
    struct op_cost c = cost(4 * M * V, M * V + 2 * M);
    c.bytes += M * TOKEN_BYTES;
    return c;
}

struct op_cost cost_cross_entropy_backward(int64_t M, int64_t V)
{
    struct op_cost c = cost(3 * M * V, 2 * M * V + M);
    c.bytes += M * TOKEN_BYTES;
    return c;
}
