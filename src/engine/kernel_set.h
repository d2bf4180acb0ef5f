/*
 * All kernels for one number type, as a table. reference.c and reference_bf16.c include
 * this file, each after saying which type it wants, and export nothing but the tables.
 */
#include "engine/ref_attention.h"
#include "engine/ref_cached.h"
#include "engine/ref_embedding.h"
#include "engine/ref_linear.h"
#include "engine/ref_loss.h"
#include "engine/ref_norm.h"
#include "engine/ref_pointwise.h"
#include "engine/ref_rope.h"
#include "engine/tiled_attention.h"
#include "engine/tiled_attention_backward.h"

#define KERNEL_SET(attention_name)                                                       \
    .linear_open = ref_linear_open, .linear_close = ref_linear_close,                    \
    .linear_forward = ref_linear_forward,                                                \
    .linear_backward_input = ref_linear_backward_input,                                  \
    .linear_backward_weight = ref_linear_backward_weight,                                \
    .bias_backward = ref_bias_backward, .embedding_forward = ref_embedding_forward,      \
    .embedding_backward = ref_embedding_backward, .norm_forward = ref_norm_forward,      \
    .norm_apply = ref_norm_apply, .norm_backward = ref_norm_backward, .rope = ref_rope,  \
    .attention = {.scratch_bytes = attention_name##_scratch_bytes,                       \
                  .kept = attention_name##_kept,                                         \
                  .forward = attention_name##_forward,                                   \
                  .backward = attention_name##_backward},                                \
    .attention_cached = ref_attention_cached, .gelu_forward = ref_gelu_forward,          \
    .gelu_backward = ref_gelu_backward, .swiglu_forward = ref_swiglu_forward,            \
    .swiglu_backward = ref_swiglu_backward, .residual_add = ref_residual_add,            \
    .residual_backward = ref_residual_backward, .dropout_stream = ref_dropout_stream,    \
    .cross_entropy_forward = ref_cross_entropy_forward,                                  \
    .cross_entropy_backward = ref_cross_entropy_backward,                                \
    .act_to_real = ref_act_to_real, .act_from_real = ref_act_from_real
