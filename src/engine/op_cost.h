/*
 * What an op must do, counted from its shapes: arithmetic operations (a fused
 * multiply-add is two, an exponential or a division is one) and bytes (each operand
 * once: what a machine with a perfect cache would move). Modelled, never measured.
 * act_bytes is the size of a number of the engine's activations.
 */
#ifndef GAIT_ENGINE_OP_COST_H
#define GAIT_ENGINE_OP_COST_H

#include "engine/ops.h"

struct op_cost {
    int64_t flop, bytes;
};

enum linear_product { LINEAR_FORWARD, LINEAR_BACKWARD_INPUT, LINEAR_BACKWARD_WEIGHT };

struct op_cost cost_linear(const struct linear *l, enum linear_product product,
                           bool accumulate, size_t act_bytes);
struct op_cost cost_bias_backward(int64_t M, int64_t N, size_t act_bytes);
struct op_cost cost_embedding(int64_t B, int64_t T, int64_t C, bool positions,
                              bool backward);
struct op_cost cost_norm_forward(const struct norm *n, size_t act_bytes);
struct op_cost cost_norm_apply(const struct norm *n, size_t act_bytes);
struct op_cost cost_norm_backward(const struct norm *n, size_t act_bytes);
struct op_cost cost_rope(const struct attention *a, size_t act_bytes);
struct op_cost cost_attention_forward(const struct attention *a, bool keeps,
                                      size_t act_bytes);
struct op_cost cost_attention_backward(const struct attention *a, bool keeps,
                                       size_t act_bytes);
struct op_cost cost_gelu(int64_t n, bool backward, size_t act_bytes);
struct op_cost cost_swiglu(int64_t n, bool backward, size_t act_bytes);
struct op_cost cost_residual(int64_t n, bool backward, size_t act_bytes);
struct op_cost cost_cross_entropy(int64_t M, int64_t V, bool backward, size_t act_bytes);

#endif
