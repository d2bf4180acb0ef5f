/*
 * What an op must do, counted from its shapes: arithmetic operations (a fused
 * multiply-add is two, an exponential or a division is one) and bytes (each operand
 * once: what a machine with a perfect cache would move). Modelled, never measured.
 */
#ifndef GAIT_ENGINE_OP_COST_H
#define GAIT_ENGINE_OP_COST_H

#include <stdbool.h>
#include <stdint.h>

struct op_cost {
    int64_t flop, bytes;
};

struct op_cost cost_linear(int64_t M, int64_t N, int64_t K, bool accumulate);
struct op_cost cost_embedding_forward(int64_t B, int64_t T, int64_t C);
struct op_cost cost_embedding_backward(int64_t B, int64_t T, int64_t C);
struct op_cost cost_layernorm_forward(int64_t M, int64_t C);
struct op_cost cost_layernorm_backward(int64_t M, int64_t C, bool accumulate_dx);
struct op_cost cost_attention_forward(int64_t B, int64_t T, int64_t C, int64_t H);
struct op_cost cost_attention_backward(int64_t B, int64_t T, int64_t C, int64_t H);
struct op_cost cost_gelu_forward(int64_t n);
struct op_cost cost_gelu_backward(int64_t n);
struct op_cost cost_residual_add(int64_t n);
struct op_cost cost_cross_entropy_forward(int64_t M, int64_t V);
struct op_cost cost_cross_entropy_backward(int64_t M, int64_t V);

#endif
