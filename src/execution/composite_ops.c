/*
 * Operators that PyTorch makes of others (kernels of CompositeImplicitAutograd, PyTorch
 * 2.13): where such a call is seen to call others, these are the work. "name" stands for
 * all its overloads, "name.overload" for one, "name." for the one without a name.
 */
#include "execution/composite_ops.h"

#include <stdio.h>
#include <string.h>

static const char composite[] =
    "__and__ __iand__ __ior__ __ixor__ __or__ __xor__ _add_batch_dim "
    "_autocast_to_full_precision _autocast_to_reduced_precision "
    "_batch_norm_impl_index _batch_norm_impl_index_backward _cast_Byte _cast_Char "
    "_cast_Double _cast_Float _cast_Half _cast_Int _cast_Long _cast_Short "
    "_convolution.deprecated _convolution_double_backward _convolution_mode "
    "_dim_arange _embedding_bag_sparse_backward _fused_rms_norm "
    "_gather_sparse_backward _lu_with_info _pack_padded_sequence_backward "
    "_pad_circular _pad_enum _pad_packed_sequence _remove_batch_dim "
    "_reshape_from_tensor _rowwise_prune _scaled_dot_product_attention_math "
    "_shape_as_tensor _sparse_bsc_tensor_unsafe _sparse_bsr_tensor_unsafe "
    "_sparse_compressed_tensor_unsafe _sparse_coo_tensor_unsafe "
    "_sparse_csc_tensor_unsafe _sparse_csr_tensor_unsafe _sparse_log_softmax.int "
    "_sparse_mm _sparse_softmax.int _sparse_sum. _sparse_sum.dim_dtype "
    "_sparse_sum.dtype _thnn_differentiable_gru_cell_backward "
    "_thnn_differentiable_lstm_cell_backward _thnn_fused_lstm_cell_backward _to_cpu "
    "_upsample_bicubic2d_aa.vec _upsample_bilinear2d_aa.vec "
    "_upsample_lanczos2d_aa.vec _upsample_nearest_exact1d.vec "
    "_upsample_nearest_exact2d.vec _upsample_nearest_exact3d.vec _weight_norm "
    "_weight_norm_differentiable_backward absolute absolute_ adaptive_avg_pool1d "
    "adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adjoint "
    "affine_grid_generator_backward alpha_dropout alpha_dropout_ arccos arccos_ "
    "arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 arctan2_ arctan_ "
    "arctanh arctanh_ argsort argwhere atleast_1d atleast_2d atleast_3d avg_pool1d "
    "batch_norm bilinear broadcast_tensors broadcast_to cartesian_prod cdist "
    "chain_matmul chalf chunk clip clip_ coalesce column_stack combinations concat "
    "concatenate conj conj_physical contiguous conv1d conv2d conv3d conv_tbc_backward "
    "conv_transpose1d conv_transpose2d conv_transpose3d corrcoef "
    "cosine_embedding_loss cosine_similarity cov cross cross_entropy_loss ctc_loss "
    "cudnn_is_acceptable cummaxmin_backward cumprod_backward cumulative_trapezoid det "
    "diag diagflat diff divide divide_ dropout dropout_ dsplit dstack einsum. "
    "embedding_backward embedding_bag embedding_sparse_backward expand_as "
    "feature_alpha_dropout feature_alpha_dropout_ feature_dropout feature_dropout_ "
    "fft_fft fft_fft2 fft_fftn fft_fftshift fft_hfft fft_hfft2 fft_hfftn fft_ifft "
    "fft_ifft2 fft_ifftn fft_ifftshift fft_ihfft fft_ihfft2 fft_ihfftn fft_irfft "
    "fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftn fill_diagonal_ fix fix_ "
    "flatten flatten_dense_tensors fliplr flipud float_power float_power_ "
    "frobenius_norm gather_backward ger gradient greater greater_ greater_equal "
    "greater_equal_ grid_sampler group_norm gru gru_cell hinge_embedding_loss "
    "histogramdd hsplit hstack imag index_select_backward "
    "infinitely_differentiable_gelu_backward inner instance_norm inverse isclose "
    "isfinite isreal istft item kl_div kron l1_loss layer_norm less less_ less_equal "
    "less_equal_ linalg_cholesky linalg_cond linalg_det linalg_diagonal linalg_eigh "
    "linalg_eigvals linalg_eigvalsh linalg_inv linalg_ldl_factor linalg_lu_factor "
    "linalg_matmul linalg_matrix_norm linalg_matrix_power linalg_matrix_rank "
    "linalg_multi_dot linalg_norm linalg_pinv. linalg_pinv.atol_rtol_float "
    "linalg_pinv.rcond_tensor linalg_slogdet linalg_solve linalg_solve_ex linalg_svd "
    "linalg_svdvals linalg_tensorinv linalg_tensorsolve linalg_vander linalg_vecdot "
    "linear log_sigmoid log_softmax logdet lstm lstm_cell lu_solve mH. mT. "
    "margin_ranking_loss masked_select_backward matmul matrix_H. matrix_exp "
    "matrix_exp_backward matrix_power max.other max_pool1d max_pool1d_with_indices "
    "max_pool2d max_pool3d meshgrid min.other mish_backward moveaxis movedim msort "
    "multilabel_margin_loss multiply multiply_ nanmean nanquantile narrow "
    "native_channel_shuffle negative negative_ nested_to_padded_tensor nll_loss "
    "nll_loss2d nll_loss_nd nonzero_numpy norm_except_dim not_equal not_equal_ "
    "nuclear_norm numpy_T. one_hot orgqr outer pad pad_sequence pairwise_distance "
    "pdist pin_memory pinverse poisson_nll_loss positive prelu qr quantile ravel real "
    "relu6 relu6_ repeat_interleave.self_Tensor repeat_interleave.self_int reshape "
    "reshape_as resolve_conj resolve_neg rms_norm rnn_relu rnn_relu_cell rnn_tanh "
    "rnn_tanh_cell row_stack rrelu rrelu_ scaled_dot_product_attention selu selu_ "
    "set_.source_Tensor_storage_offset silu_backward. size.int slogdet slow_conv3d "
    "smm softmax sparse_bsc_tensor sparse_bsr_tensor sparse_coo_tensor "
    "sparse_csc_tensor sparse_csr_tensor special_digamma special_erf special_erfc "
    "special_erfinv special_exp2 special_expit special_expm1 special_gammainc "
    "special_gammaincc special_gammaln special_i0 special_log1p special_log_softmax "
    "special_logit special_logsumexp special_multigammaln special_ndtr "
    "special_polygamma special_psi special_round special_sinc special_softmax "
    "special_xlogy split.sizes square square_ sspaddmm std. std.dim std_mean. "
    "std_mean.dim stft stride.int subtract subtract_ sum_to_size svd swapaxes "
    "swapaxes_ swapdims swapdims_ take_along_dim tensor_split tensordot thnn_conv2d "
    "tile to.device to.dtype to.dtype_layout to.other to_dense to_dense_backward "
    "to_mkldnn_backward to_sparse to_sparse_bsc to_sparse_bsr to_sparse_csc "
    "to_sparse_csr trace_backward trapezoid trapz triplet_margin_loss true_divide "
    "true_divide_ type_as unflatten unflatten_dense_tensors unsafe_chunk "
    "upsample_bicubic2d.vec upsample_bilinear2d.vec upsample_linear1d.vec "
    "upsample_nearest1d.vec upsample_nearest2d.vec upsample_nearest3d.vec "
    "upsample_trilinear3d.vec value_selecting_reduction_backward vander var. var.dim "
    "var_mean. var_mean.dim view_as vsplit vstack where. where.Scalar "
    "where.ScalarOther where.ScalarSelf ";

/* Is the word one of the list, which has a space behind each? */
static bool is_listed(const char *word, size_t len)
{
    for (const char *at = composite; *at;) {
        size_t n = strcspn(at, " ");
        if (n == len && !memcmp(at, word, len))
            return true;
        at += n + 1;
    }
    return false;
}

bool is_composite_op(const char *name)
{
    static const char space[] = "aten::";
    if (strncmp(name, space, strlen(space)) != 0)
        return false;
    name += strlen(space);
    size_t len = strlen(name), plain = strcspn(name, ".");
    char unnamed[64];
    if (is_listed(name, plain) || (plain < len && is_listed(name, len)))
        return true;
    return plain == len &&
           snprintf(unnamed, sizeof unnamed, "%s.", name) == (int)len + 1 &&
           is_listed(unnamed, len + 1);
}
