#include "evidence/op_sort.h"

#include <string.h>

/* Names without "aten::" and without the "_" of in-place forms. */
struct sorted_names {
    uint16_t sort;
    const char *names; /* each between two blanks */
};

static const struct sorted_names lists[] = {
    {OP_SORT_VIEW | OP_SORT_PURE,
     " view reshape transpose permute t expand expand_as slice select unsqueeze squeeze "
     "unbind split split_with_sizes chunk unflatten flatten as_strided detach alias "
     "narrow mT T numpy_T movedim swapaxes swapdims _unsafe_view view_as lift_fresh "
     "unfold diagonal adjoint resolve_conj resolve_neg tensor_split unsafe_split "
     "unsafe_chunk _reshape_alias broadcast_to reshape_as lift is_same_size "
     "result_type "},
    {OP_SORT_POINTWISE | OP_SORT_PURE,
     " add sub rsub mul div true_divide pow float_power neg sqrt rsqrt reciprocal exp "
     "exp2 "
     "expm1 log log2 log10 log1p sin cos tan tanh sigmoid erf square abs sign "
     "masked_fill addcmul addcdiv lerp maximum minimum clamp clamp_min clamp_max "
     "floor ceil round trunc remainder fmod floor_divide eq ne lt le gt ge logical_not "
     "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_not bitwise_xor "
     "__and__ __or__ __xor__ isnan isinf isfinite hypot atan2 "},
    {OP_SORT_POINTWISE,
     " where softplus leaky_relu elu selu hardtanh hardswish hardsigmoid "
     "mish celu logit sinc special_erf special_expit threshold glu "},
    {OP_SORT_POINTWISE | OP_SORT_FORWARD, " gelu silu relu relu6 log_sigmoid "},
    {OP_SORT_REDUCTION | OP_SORT_PURE, " mean sum var var_mean std std_mean norm "
                                       "linalg_vector_norm amax amin logsumexp cumsum "},
    {OP_SORT_PRODUCT, " matmul mm bmm baddbmm addmm addbmm addmv mv dot einsum bilinear "
                      "tensordot convolution _convolution _native_multi_head_attention "
                      "_transformer_encoder_layer_fwd "},
    {OP_SORT_PRODUCT | OP_SORT_FORWARD,
     " linear scaled_dot_product_attention conv1d conv2d conv3d conv_transpose1d "
     "conv_transpose2d conv_transpose3d lstm gru rnn_tanh rnn_relu embedding_bag "},
    {OP_SORT_FORWARD,
     " layer_norm batch_norm group_norm instance_norm rms_norm softmax log_softmax "
     "embedding max_pool1d max_pool2d max_pool3d avg_pool2d adaptive_avg_pool2d "
     "cross_entropy_loss "},
    {OP_SORT_FORWARD | OP_SORT_RANDOM, " dropout feature_dropout alpha_dropout "},
    {OP_SORT_FACTORY | OP_SORT_PURE,
     " ones zeros full arange eye linspace logspace ones_like zeros_like full_like "
     "new_ones new_zeros new_full tril_indices triu_indices scalar_tensor meshgrid "
     "cartesian_prod hann_window range "},
    {OP_SORT_RANDOM, " rand randn randint rand_like randn_like randint_like bernoulli "
                     "uniform normal random randperm multinomial native_dropout "
                     "exponential "},
    {OP_SORT_COPY | OP_SORT_PURE, " clone contiguous to _to_copy copy type_as "},
    {OP_SORT_PURE, " tril triu outer ger cat stack repeat repeat_interleave tile fill "
                   "zero index_put index_fill flip roll hstack vstack concat "},
};

uint16_t op_sort_of(const char *name)
{
    static const char space[] = "aten::";
    char key[64];
    if (strncmp(name, space, sizeof space - 1))
        return 0;
    name += sizeof space - 1;
    size_t len = strlen(name);
    if (!len || len + 3 > sizeof key || strchr(name, ' '))
        return 0;
    if (name[len - 1] == '_' && !(len > 1 && name[len - 2] == '_'))
        len--;
    key[0] = ' ';
    memcpy(key + 1, name, len);
    memcpy(key + 1 + len, " ", 2);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strstr(lists[i].names, key))
            return lists[i].sort;
    return 0;
}
