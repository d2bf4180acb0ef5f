/*
 * The operators of Gait's own trainer: E("begin of the name", FAMILY, PART). What stands
 * behind the dot of a name says which way it goes ("qkv.backward_input").
 *
 * FAMILY is of op_list.h; PART is the part of the model (analyze/model_parts.h).
 */
#ifndef GAIT_RUN_TRAINER_OPS_H
#define GAIT_RUN_TRAINER_OPS_H

#define TRAINER_OP_LIST(E)                                                               \
    E("embedding", LOOKUP, EMBEDDING)                                                    \
    E("layernorm", NORM, NORM)                                                           \
    E("rmsnorm", NORM, NORM)                                                             \
    E("qkv", MATMUL, ATTENTION)                                                          \
    E("rope", POINTWISE, ATTENTION)                                                      \
    E("attention", ATTENTION, ATTENTION)                                                 \
    E("attention_output", MATMUL, ATTENTION)                                             \
    E("mlp_up", MATMUL, MLP)                                                             \
    E("mlp_down", MATMUL, MLP)                                                           \
    E("gelu", POINTWISE, MLP)                                                            \
    E("swiglu", POINTWISE, MLP)                                                          \
    E("residual", POINTWISE, REST)                                                       \
    E("bias", REDUCTION, REST)                                                           \
    E("head", MATMUL, HEAD)                                                              \
    E("cross_entropy", SOFTMAX, HEAD)                                                    \
    E("gradient", REDUCTION, OPTIMIZER)                                                  \
    E("adamw", OPTIMIZER, OPTIMIZER)                                                     \
    E("sgd", OPTIMIZER, OPTIMIZER)

#endif
