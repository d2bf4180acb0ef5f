/*
 * Operators whose work can be counted from what a trace says of a call, each written down
 * once: E("name", FAMILY, rule, parameter of the rule). The rules are functions in
 * src/trace/op_work_*.c; families are what an analysis groups by (op_family.h).
 *
 * Only operators that do the work themselves are here. An operator that calls another
 * one of this list (aten::linear calls aten::addmm, aten::conv2d ends in
 * aten::cudnn_convolution, aten::zero_ in aten::fill_) is left out, so that nothing
 * counts twice; tests/oracle/flops_agree.py checks it on whole traces.
 *
 * To add one: a line here; a new rule also in op_work_rules.h. docs/op-work.md says what
 * is counted.
 */
#ifndef GAIT_RUN_OP_LIST_H
#define GAIT_RUN_OP_LIST_H

#define OP_FAMILY_LIST(E)                                                                \
    E(NONE, "other")                                                                     \
    E(MATMUL, "matmul")                                                                  \
    E(ATTENTION, "attention")                                                            \
    E(CONVOLUTION, "convolution")                                                        \
    E(NORM, "normalisation")                                                             \
    E(SOFTMAX, "softmax")                                                                \
    E(POINTWISE, "elementwise")                                                          \
    E(REDUCTION, "reduction")                                                            \
    E(COPY, "copy and fill")                                                             \
    E(LOOKUP, "embedding")                                                               \
    E(OPTIMIZER, "optimizer")

/* matmul, batch_matmul: which input is the first factor. */
#define OP_LIST_MATMUL(E)                                                                \
    E("aten::mm", MATMUL, matmul, 0)                                                     \
    E("aten::addmm", MATMUL, matmul, 1)                                                  \
    E("aten::addmm_", MATMUL, matmul, 1)                                                 \
    E("aten::_addmm_activation", MATMUL, matmul, 1)                                      \
    E("aten::_int_mm", MATMUL, matmul, 0)                                                \
    E("aten::_scaled_mm", MATMUL, matmul, 0)                                             \
    E("aten::bmm", MATMUL, batch_matmul, 0)                                              \
    E("aten::baddbmm", MATMUL, batch_matmul, 1)                                          \
    E("aten::baddbmm_", MATMUL, batch_matmul, 1)                                         \
    E("aten::_grouped_mm", MATMUL, grouped_matmul, 0)                                    \
    E("aten::_scaled_grouped_mm", MATMUL, grouped_matmul, 0)                             \
    E("aten::addmv", MATMUL, matrix_vector, 1)                                           \
    E("aten::addmv_", MATMUL, matrix_vector, 1)                                          \
    E("aten::dot", MATMUL, dot, 0)                                                       \
    E("mkldnn::_linear_pointwise", MATMUL, linear, 0)

/* Where the query stands, is it (B, H, T, D) or (B, T, H, D), where it is said to be
 * causal, where a window begins (0: nowhere), and is it the backward pass? */
#define OP_ATTENTION(query, heads_first, causal, window, backward)                       \
    ((query) | (heads_first) << 4 | (causal) << 5 | (window) << 10 | (backward) << 15)
#define OP_LIST_ATTENTION(E)                                                             \
    E("aten::_flash_attention_forward", ATTENTION, attention,                            \
      OP_ATTENTION(0, 0, 8, 11, 0))                                                      \
    E("aten::_flash_attention_backward", ATTENTION, attention,                           \
      OP_ATTENTION(1, 0, 11, 15, 1))                                                     \
    E("aten::_efficient_attention_forward", ATTENTION, attention,                        \
      OP_ATTENTION(0, 0, 9, 13, 0))                                                      \
    E("aten::_efficient_attention_backward", ATTENTION, attention,                       \
      OP_ATTENTION(1, 0, 14, 18, 1))                                                     \
    E("aten::_scaled_dot_product_flash_attention_for_cpu", ATTENTION, attention,         \
      OP_ATTENTION(0, 1, 4, 0, 0))                                                       \
    E("aten::_scaled_dot_product_flash_attention_for_cpu_backward", ATTENTION,           \
      attention, OP_ATTENTION(1, 1, 7, 0, 1))                                            \
    E("aten::_scaled_dot_product_cudnn_attention", ATTENTION, attention_cudnn,           \
      OP_ATTENTION(0, 1, 6, 0, 0))                                                       \
    E("aten::_scaled_dot_product_cudnn_attention_backward", ATTENTION, attention,        \
      OP_ATTENTION(1, 1, 14, 0, 1))                                                      \
    E("aten::_scaled_dot_product_fused_attention_overrideable", ATTENTION, attention,    \
      OP_ATTENTION(0, 1, 5, 0, 0))                                                       \
    E("aten::_scaled_dot_product_fused_attention_overrideable_backward", ATTENTION,      \
      attention, OP_ATTENTION(1, 1, 13, 0, 1))                                           \
    E("flash_attn::_flash_attn_forward", ATTENTION, attention,                           \
      OP_ATTENTION(0, 0, 5, 6, 0))                                                       \
    E("flash_attn::_flash_attn_backward", ATTENTION, attention,                          \
      OP_ATTENTION(1, 0, 11, 12, 1))

/* Where stride, padding and dilation stand (0: nowhere, 1 is meant). Those that may be
 * transposed say so behind the dilation. */
#define OP_CONVOLUTION(stride, padding, dilation)                                        \
    ((stride) | (padding) << 4 | (dilation) << 8)
#define OP_LIST_CONVOLUTION(E)                                                           \
    E("aten::cudnn_convolution", CONVOLUTION, convolution, OP_CONVOLUTION(3, 2, 4))      \
    E("aten::cudnn_convolution_relu", CONVOLUTION, convolution, OP_CONVOLUTION(3, 4, 5)) \
    E("aten::cudnn_convolution_add_relu", CONVOLUTION, convolution,                      \
      OP_CONVOLUTION(5, 6, 7))                                                           \
    E("aten::miopen_convolution", CONVOLUTION, convolution, OP_CONVOLUTION(4, 3, 5))     \
    E("aten::miopen_depthwise_convolution", CONVOLUTION, convolution,                    \
      OP_CONVOLUTION(4, 3, 5))                                                           \
    E("aten::miopen_convolution_relu", CONVOLUTION, convolution,                         \
      OP_CONVOLUTION(3, 4, 5))                                                           \
    E("aten::mkldnn_convolution", CONVOLUTION, convolution, OP_CONVOLUTION(4, 3, 5))     \
    E("aten::_conv_depthwise2d", CONVOLUTION, convolution, OP_CONVOLUTION(4, 5, 6))      \
    E("aten::conv_depthwise3d", CONVOLUTION, convolution, OP_CONVOLUTION(4, 5, 6))       \
    E("aten::_slow_conv2d_forward", CONVOLUTION, convolution, OP_CONVOLUTION(4, 5, 0))   \
    E("aten::slow_conv3d_forward", CONVOLUTION, convolution, OP_CONVOLUTION(4, 5, 0))    \
    E("aten::slow_conv_dilated2d", CONVOLUTION, convolution, OP_CONVOLUTION(4, 5, 6))    \
    E("aten::convolution_overrideable", CONVOLUTION, convolution_either,                 \
      OP_CONVOLUTION(3, 4, 5))                                                           \
    E("aten::cudnn_convolution_transpose", CONVOLUTION, convolution_transposed, 0)       \
    E("aten::miopen_convolution_transpose", CONVOLUTION, convolution_transposed, 0)      \
    E("aten::slow_conv_transpose2d", CONVOLUTION, convolution_transposed, 0)             \
    E("aten::slow_conv_transpose3d", CONVOLUTION, convolution_transposed, 0)             \
    E("aten::convolution_backward", CONVOLUTION, convolution_backward, 0)                \
    E("aten::convolution_backward_overrideable", CONVOLUTION, convolution_backward, 0)

/* like_first: operations an element of the first input, whose size the output has. */
#define OP_LIST_NORM(E)                                                                  \
    E("aten::native_layer_norm", NORM, like_first, 8)                                    \
    E("aten::native_layer_norm_backward", NORM, like_first, 13)                          \
    E("aten::_fused_rms_norm", NORM, like_first, 5)                                      \
    E("aten::_fused_rms_norm_backward", NORM, like_first, 13)                            \
    E("aten::native_batch_norm", NORM, batch_norm, 5)                                    \
    E("aten::cudnn_batch_norm", NORM, batch_norm, 5)                                     \
    E("aten::miopen_batch_norm", NORM, batch_norm, 5)                                    \
    E("aten::native_batch_norm_backward", NORM, like_first, 13)                          \
    E("aten::cudnn_batch_norm_backward", NORM, like_first, 13)                           \
    E("aten::miopen_batch_norm_backward", NORM, like_first, 13)                          \
    E("aten::native_group_norm", NORM, like_first, 8)                                    \
    E("aten::native_group_norm_backward", NORM, like_first, 13)                          \
    E("aten::_softmax", SOFTMAX, like_first, 5)                                          \
    E("aten::_log_softmax", SOFTMAX, like_first, 5)                                      \
    E("aten::_softmax_backward_data", SOFTMAX, like_first, 4)                            \
    E("aten::_log_softmax_backward_data", SOFTMAX, like_first, 4)

/* Operations an element of the output, 0 where it does no arithmetic. binary: leaves out
 * calls whose second input is a plain number, because they call themselves with it as a
 * tensor; pointwise2: does not. compare: the output is of one byte each. */
#define OP_LIST_POINTWISE(E)                                                             \
    E("aten::add", POINTWISE, binary, 1)                                                 \
    E("aten::add_", POINTWISE, binary, 1)                                                \
    E("aten::sub", POINTWISE, binary, 1)                                                 \
    E("aten::sub_", POINTWISE, binary, 1)                                                \
    E("aten::mul", POINTWISE, binary, 1)                                                 \
    E("aten::mul_", POINTWISE, binary, 1)                                                \
    E("aten::div", POINTWISE, binary, 1)                                                 \
    E("aten::div_", POINTWISE, binary, 1)                                                \
    E("aten::maximum", POINTWISE, binary, 0)                                             \
    E("aten::minimum", POINTWISE, binary, 0)                                             \
    E("aten::pow", POINTWISE, pointwise2, 1)                                             \
    E("aten::neg", POINTWISE, pointwise1, 1)                                             \
    E("aten::neg_", POINTWISE, pointwise1, 1)                                            \
    E("aten::sqrt", POINTWISE, pointwise1, 1)                                            \
    E("aten::sqrt_", POINTWISE, pointwise1, 1)                                           \
    E("aten::rsqrt", POINTWISE, pointwise1, 2)                                           \
    E("aten::reciprocal", POINTWISE, pointwise1, 1)                                      \
    E("aten::exp", POINTWISE, pointwise1, 1)                                             \
    E("aten::log", POINTWISE, pointwise1, 1)                                             \
    E("aten::sin", POINTWISE, pointwise1, 1)                                             \
    E("aten::cos", POINTWISE, pointwise1, 1)                                             \
    E("aten::tanh", POINTWISE, pointwise1, 1)                                            \
    E("aten::sigmoid", POINTWISE, pointwise1, 3)                                         \
    E("aten::gelu", POINTWISE, pointwise1, 9)                                            \
    E("aten::silu", POINTWISE, pointwise1, 4)                                            \
    E("aten::silu_", POINTWISE, pointwise1, 4)                                           \
    E("aten::clamp_min", POINTWISE, pointwise1, 0)                                       \
    E("aten::clamp_min_", POINTWISE, pointwise1, 0)                                      \
    E("aten::hardtanh", POINTWISE, pointwise1, 0)                                        \
    E("aten::leaky_relu", POINTWISE, pointwise1, 1)                                      \
    E("aten::gelu_backward", POINTWISE, pointwise2, 18)                                  \
    E("aten::silu_backward", POINTWISE, pointwise2, 7)                                   \
    E("aten::sigmoid_backward", POINTWISE, pointwise2, 3)                                \
    E("aten::tanh_backward", POINTWISE, pointwise2, 3)                                   \
    E("aten::threshold_backward", POINTWISE, pointwise2, 0)                              \
    E("aten::masked_fill_", POINTWISE, pointwise2, 0)                                    \
    E("aten::addcmul", POINTWISE, pointwise3, 3)                                         \
    E("aten::addcmul_", POINTWISE, pointwise3, 3)                                        \
    E("aten::addcdiv", POINTWISE, pointwise3, 3)                                         \
    E("aten::addcdiv_", POINTWISE, pointwise3, 3)                                        \
    E("aten::lerp_", POINTWISE, pointwise3, 3)                                           \
    E("aten::eq", POINTWISE, compare, 0)                                                 \
    E("aten::ne", POINTWISE, compare, 0)                                                 \
    E("aten::lt", POINTWISE, compare, 0)                                                 \
    E("aten::le", POINTWISE, compare, 0)                                                 \
    E("aten::gt", POINTWISE, compare, 0)                                                 \
    E("aten::ge", POINTWISE, compare, 0)                                                 \
    E("aten::sum", REDUCTION, sum, 1)                                                    \
    E("aten::linalg_vector_norm", REDUCTION, norm, 2)                                    \
    E("aten::copy_", COPY, copy, 0)                                                      \
    E("aten::fill_", COPY, fill, 0)                                                      \
    E("aten::index_select", LOOKUP, index_select, 0)                                     \
    E("aten::gather", LOOKUP, gather, 0)                                                 \
    E("aten::embedding_dense_backward", LOOKUP, embedding_backward, 0)

/* Operations an element of all tensors of the first list. */
#define OP_LIST_OPTIMIZER(E)                                                             \
    E("aten::_foreach_add", OPTIMIZER, tensor_list, 1)                                   \
    E("aten::_foreach_add_", OPTIMIZER, tensor_list, 1)                                  \
    E("aten::_foreach_sub", OPTIMIZER, tensor_list, 1)                                   \
    E("aten::_foreach_sub_", OPTIMIZER, tensor_list, 1)                                  \
    E("aten::_foreach_mul", OPTIMIZER, tensor_list, 1)                                   \
    E("aten::_foreach_mul_", OPTIMIZER, tensor_list, 1)                                  \
    E("aten::_foreach_div", OPTIMIZER, tensor_list, 1)                                   \
    E("aten::_foreach_div_", OPTIMIZER, tensor_list, 1)                                  \
    E("aten::_foreach_neg", OPTIMIZER, tensor_list, 1)                                   \
    E("aten::_foreach_neg_", OPTIMIZER, tensor_list, 1)                                  \
    E("aten::_foreach_sqrt", OPTIMIZER, tensor_list, 1)                                  \
    E("aten::_foreach_sqrt_", OPTIMIZER, tensor_list, 1)                                 \
    E("aten::_foreach_reciprocal_", OPTIMIZER, tensor_list, 1)                           \
    E("aten::_foreach_addcmul_", OPTIMIZER, tensor_list, 3)                              \
    E("aten::_foreach_addcdiv_", OPTIMIZER, tensor_list, 3)                              \
    E("aten::_foreach_lerp_", OPTIMIZER, tensor_list, 3)                                 \
    E("aten::_foreach_norm", OPTIMIZER, tensor_list, 2)                                  \
    E("aten::_fused_adam_", OPTIMIZER, tensor_list, 14)                                  \
    E("aten::_fused_adamw_", OPTIMIZER, tensor_list, 14)

#define OP_LIST(E)                                                                       \
    OP_LIST_MATMUL(E)                                                                    \
    OP_LIST_ATTENTION(E)                                                                 \
    OP_LIST_CONVOLUTION(E)                                                               \
    OP_LIST_NORM(E)                                                                      \
    OP_LIST_POINTWISE(E)                                                                 \
    OP_LIST_OPTIMIZER(E)

#endif
