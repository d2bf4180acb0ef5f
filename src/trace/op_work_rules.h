/*
 * The rules of op_list.h, private to op_work*.c: each fills *w for one call, or leaves it
 * all zero where an input that it needs is missing or makes no sense.
 */
#ifndef GAIT_TRACE_OP_WORK_RULES_H
#define GAIT_TRACE_OP_WORK_RULES_H

#include "trace/op_work.h"

/* R(rule, does it look at Concrete Inputs?) */
#define OP_RULE_LIST(R)                                                                  \
    R(matmul, false)                                                                     \
    R(batch_matmul, false)                                                               \
    R(grouped_matmul, false)                                                             \
    R(matrix_vector, false)                                                              \
    R(dot, false)                                                                        \
    R(linear, false)                                                                     \
    R(attention, true)                                                                   \
    R(attention_cudnn, true)                                                             \
    R(convolution, true)                                                                 \
    R(convolution_transposed, false)                                                     \
    R(convolution_either, true)                                                          \
    R(convolution_backward, true)                                                        \
    R(like_first, false)                                                                 \
    R(batch_norm, true)                                                                  \
    R(binary, false)                                                                     \
    R(pointwise1, false)                                                                 \
    R(pointwise2, false)                                                                 \
    R(pointwise3, false)                                                                 \
    R(compare, false)                                                                    \
    R(sum, true)                                                                         \
    R(norm, true)                                                                        \
    R(copy, false)                                                                       \
    R(fill, false)                                                                       \
    R(index_select, true)                                                                \
    R(gather, false)                                                                     \
    R(embedding_backward, true)                                                          \
    R(tensor_list, false)

#define OP_RULE_DECLARE(rule, values)                                                    \
    void op_rule_##rule(struct op_work *w, const struct op_inputs *in, int parameter);
OP_RULE_LIST(OP_RULE_DECLARE)

/* Input i where it is a tensor of this rank (-1: any), else NULL. */
const struct op_input *op_tensor(const struct op_inputs *in, int i, int rank);
/* Adds n numbers of a type; where the type is not known *bytes becomes and stays -1. */
void op_add_bytes(int64_t *bytes, int64_t n, enum op_type type);
/* Adds the tensor inputs from..to that are there. */
void op_add_inputs(int64_t *bytes, const struct op_inputs *in, int from, int to);

#endif
