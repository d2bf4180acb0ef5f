/* Names as they stand in traces of PyTorch, and what a reader is told instead. */
#include "analyze/kernel_label.h"
#include "base/mem.h"
#include "cmocka_setup.h"

#include <stdlib.h>
#include <string.h>

static void expect(bool recognised, const char *raw, const char *label)
{
    struct strbuf out;
    strbuf_init(&out);
    bool was = kernel_label(&out, raw);
    assert_string_equal(out.s, label);
    assert_int_equal(was, recognised);
    strbuf_release(&out);
}

static void is_called(const char *raw, const char *label)
{
    expect(true, raw, label);
}

static void elementwise_kernels_are_called_after_their_functor(void **state)
{
    (void)state;
    is_called("void at::native::vectorized_elementwise_kernel<4, "
              "at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int, "
              "at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)",
              "elementwise add f32");
    is_called("void at::native::vectorized_elementwise_kernel<8, "
              "at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
              "at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> "
              ">(int, int)",
              "elementwise mul bf16");
    is_called("void at::native::vectorized_elementwise_kernel<4, "
              "at::native::FillFunctor<bool>, at::detail::Array<char*, 1> >(int)",
              "elementwise fill bool");
    is_called("void at::native::elementwise_kernel_with_index<int, "
              "at::native::arange_cuda_out(c10::Scalar const&, "
              "at::Tensor&)::{lambda()#1}::operator()() const::{lambda(long)#1}>(int)",
              "elementwise arange out i64");
}

static void a_lambda_says_in_which_function_it_stands(void **state)
{
    (void)state;
    is_called(
        "void at::native::elementwise_kernel<128, 2, "
        "at::native::gpu_kernel_impl<at::native::(anonymous "
        "namespace)::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::"
        "operator()() const::{lambda()#14}::operator()() "
        "const::{lambda(float)#1}>(at::TensorIteratorBase&, int "
        "const&)::{lambda(int)#1}>(int, int)",
        "elementwise copy f32");
    is_called("void at::native::elementwise_kernel<128, 2, "
              "at::native::gpu_kernel_impl<at::native::where_kernel_impl(at::"
              "TensorIterator&)::{lambda()#1}::operator()() const::{lambda(bool, float, "
              "float)#1}>(at::TensorIteratorBase&, int const&)::{lambda(int)#1}>(int)",
              "elementwise where f32");
    is_called("void at::native::vectorized_elementwise_kernel<4, "
              "at::native::threshold_kernel_impl<float>(at::TensorIteratorBase&, float, "
              "float)::{lambda(float, float)#1}, at::detail::Array<char*, 3> >(int)",
              "elementwise threshold f32");
}

static void an_index_of_a_lambda_is_no_type_of_data(void **state)
{
    (void)state;
    is_called("void at::native::elementwise_kernel<128, 4, "
              "at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<bool, bool, "
              "bool, at::native::BitwiseAndFunctor<bool> > >(at::TensorIteratorBase&, "
              "int const&)::{lambda(int)#1}>(int)",
              "elementwise bitwise and bool");
    is_called(
        "void at::native::index_elementwise_kernel<128, 4, "
        "at::native::gpu_index_kernel<at::native::index_put_kernel_impl<at::native:"
        ":OpaqueType<4> >(at::TensorIterator&)::{lambda(char*, char*, long)#1}>(at::"
        "TensorIteratorBase&)::{lambda(int)#1}>(long)",
        "index put");
}

static void reductions_and_lists_of_tensors_are_called_after_theirs(void **state)
{
    (void)state;
    is_called("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
              "at::native::func_wrapper_t<float, at::native::sum_functor<float, float, "
              "float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, "
              "unsigned int, float, 4> >(int)",
              "reduce sum f32");
    is_called(
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<bool, "
        "at::native::func_wrapper_t<bool, "
        "at::native::and_kernel_cuda(at::TensorIterator&)::{lambda(bool, bool)#1}>, "
        "unsigned int, bool, 4> >(int)",
        "reduce and bool");
    is_called("void multi_tensor_apply_kernel<TensorListMetadata<4>, "
              "AdamFunctor<float>, float, float>(int, int volatile*)",
              "foreach adam f32");
    is_called("void at::native::(anonymous "
              "namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
              "namespace)::TensorListMetadata<2>, at::native::(anonymous "
              "namespace)::BinaryOpListAlphaFunctor<float, 2, 2, 0>, std::plus<float>, "
              "float>(int)",
              "foreach add f32");
}

static void products_say_their_type_tile_and_library(void **state)
{
    (void)state;
    is_called("ampere_sgemm_128x64_nn", "gemm f32 128×64 (cuBLAS)");
    is_called("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_"
              "warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
              "gemm bf16 128×128 (cuBLAS)");
    is_called(
        "void cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_nn_"
        "align1>(cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_nn_align1::Params)",
        "gemm bf16 128×128 (CUTLASS)");
    is_called("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x256x32_MI16x16x1_SN",
              "gemm bf16 128×256 (hipBLASLt)");
    is_called("Cijk_Ailk_Bljk_SB_MT64x64x16_SE_K1", "gemm 64×64 (Tensile)");
    is_called("nvjet_tst_128x64_64x7_1x2_h_bz_bias_TNT", "gemm 128×64 (cuBLAS)");
    is_called("void gemmSN_TN_kernel<float, 128, 16, 2, 4, 8, 9, false, "
              "cublasGemvTensorStridedBatched<float const>, "
              "cublasGemvTensorStridedBatched<float> >(cublasGemmSmallNParams<float>)",
              "gemm f32");
    is_called("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, "
              "__nv_bfloat16, __nv_bfloat16, float, false>(int)",
              "gemv bf16");
    is_called("void cublasLt::splitKreduce_kernel<32, 16, int, __nv_bfloat16, "
              "__nv_bfloat16, float>(int)",
              "gemm split-K reduce bf16 (cuBLAS)");
}

static void convolutions_say_their_direction(void **state)
{
    (void)state;
    is_called("cudnn_volta_scudnn_128x64_relu_small_nn_v1", "conv f32 128×64 (cuDNN)");
    is_called("void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int)",
              "conv input gradient f32 (cuDNN)");
    is_called("igemm_wrw_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x16_wt32x32x8_ws1x1_wr2x2",
              "conv weight gradient bf16 128×128 (MIOpen)");
    is_called("sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_"
              "tilesize64x128x32_stage5_warpsize2x2x1_g1_tensor16x8x8_execute_kernel_"
              "cudnn_infer",
              "conv forward tf32 64×128 (cuDNN)");
}

static void attention_says_its_kind_and_direction(void **state)
{
    (void)state;
    is_called("void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_"
              "traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t, int>, false>"
              "(pytorch_flash::Flash_fwd_params)",
              "flash attention forward bf16");
    is_called("void pytorch_flash::flash_bwd_dot_do_o_kernel<true, "
              "cutlass::half_t>(pytorch_flash::Flash_bwd_params)",
              "flash attention backward preprocess f16");
    is_called("attn_fwd", "flash attention forward");
    is_called("fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::Params)",
              "memory-efficient attention forward bf16 (CUTLASS)");
}

static void fused_kernels_list_what_computes(void **state)
{
    (void)state;
    is_called("triton_poi_fused_add_mul_3", "fused add mul (Triton, pointwise)");
    is_called("triton_red_fused__unsafe_view_add_mean_mul_pow_rsqrt_12",
              "fused add mean mul pow rsqrt (Triton, reduction)");
    is_called("triton_poi_fused_transpose_view_3",
              "fused transpose view (Triton, pointwise)");
    is_called("triton_per_fused_layer_norm_tanh_0_0d1d2d3d4d",
              "fused layer norm tanh (Triton, reduction)");
    is_called("triton_poi_fused__to_copy_add_cat_div_mean_mul_neg_stack_sub_unbind_0",
              "fused to copy add cat div mean mul neg +2 (Triton, pointwise)");
}

static void collectives_say_what_is_reduced(void **state)
{
    (void)state;
    is_called("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
              "all-reduce sum f32 (NCCL)");
    is_called("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",
              "all-reduce sum f32 (NCCL)");
    is_called("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(int)",
              "reduce-scatter sum bf16 (NCCL)");
    /* The operation and the type in these names mean nothing. */
    is_called("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)",
              "send/receive (NCCL)");
    is_called("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)",
              "collective (NCCL)");
}

static void copies_say_from_where_to_where(void **state)
{
    (void)state;
    is_called("Memcpy HtoD (Pageable -> Device)", "copy host to device, pageable");
    is_called("Memcpy DtoH (Device -> Pinned)", "copy device to host, pinned");
    is_called("Memcpy DtoD (Device -> Device)", "copy device to device");
    is_called("Memset (Device)", "memset device");
    is_called("Memset", "memset");
    expect(false, "Memcpy", "Memcpy");
}

static void others_are_told_by_the_words_of_their_names(void **state)
{
    (void)state;
    is_called("void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, "
              "unsigned int, 2, 128, 1>(float*)",
              "cat f32");
    is_called("void at::native::(anonymous namespace)::max_pool_backward_nchw<float, "
              "float>(float const*, long const*)",
              "max pool backward nchw f32");
    is_called("void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, "
              "c10::BFloat16, float, c10::BFloat16, at::native::(anonymous "
              "namespace)::LogSoftMaxForwardEpilogue>(int)",
              "log softmax forward bf16");
    is_called("void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, "
              "true>(cudnnTensorStruct)",
              "batch norm forward tr 1c11 nchw f32 (cuDNN)");
    is_called("MIOpenBatchNormBwdSpatial", "batch norm backward spatial (MIOpen)");
    is_called("void cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<long, "
              "float, int>::Policy800, false, long, float, int, int>(int*)",
              "radix sort onesweep i64 (CUB)");
    is_called(
        "void rocprim::ROCPRIM_400200_NS::detail::trampoline_kernel<rocprim::"
        "ROCPRIM_400200_NS::detail::wrapped_scan_config<rocprim::ROCPRIM_400200_NS::"
        "default_config, long>, (rocprim::target_arch)942>(int)",
        "scan i64 (rocPRIM)");
    is_called("void vllm::rms_norm_kernel<c10::BFloat16, 8, 2>(c10::BFloat16*)",
              "RMS norm bf16 (vLLM)");
    /* 16 bytes at once, by indices of 64 bits */
    is_called("void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*)",
              "gather");
}

static void mangled_names_are_read_too(void **state)
{
    (void)state;
    is_called("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64ELi8ELb0ELb0ELb1ELi1EEEv"
              "PT0_PT_PfS4_S4_S4_diiiiiiib",
              "add RMS norm quant bf16 (AITER)");
    is_called("_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_RKS3_"
              "EXadL_Z4siluIS2_ES3_S5_EEEEvPS3_PS4_i",
              "act and mul bf16 (SGLang)");
    /* "t": 16 bits of which nothing is said; the float behind it is what sums up */
    is_called("_ZN2ck16tensor_operation6device12_GLOBAL__N_149kernel_grouped_conv_fwd_"
              "multiple_abd_xdl_cshuffleINS_34GridwiseGemmMultipleD_xdl_cshuffleItttftNS_"
              "5TupleIJEEEtNS0_12element_wise11PassThroughES8_S8_Li1ELi256E",
              "conv forward (CK)");
}

static void what_is_not_recognised_keeps_its_own_name(void **state)
{
    (void)state;
    expect(false, "void my_project::(anonymous namespace)::zap<float, 4>(float*)", "zap");
    expect(false, "sage_fwd", "sage_fwd");
    expect(false, "step 12 of my loop", "step 12 of my loop");
    expect(false, "frobnicate(int) [clone .kd]", "frobnicate");
    expect(false, "", "");
}

/* --- hostile names --- */

static void takes(const char *raw)
{
    struct strbuf out;
    strbuf_init(&out);
    kernel_label(&out, raw);
    assert_true(out.len > 0);
    assert_true(out.len < 4096);
    strbuf_release(&out);
}

static void unbalanced_and_odd_names_are_names(void **state)
{
    (void)state;
    static const char *const odd[] = {
        "<",
        ">",
        ">>>>",
        "((((",
        "void ",
        "a::",
        "::",
        "void <>(",
        "{lambda(",
        "_Z",
        "_ZN",
        "_ZN99999999999999999999a",
        "_ZN3fooI",
        "_ZN3fooILi",
        "\xff\xfe<\x80>",
        "vectorized_elementwise_kernel<",
        "vectorized_elementwise_kernel<4, BinaryFunctor<",
        "ncclDevKernel_",
        "ncclDevKernel_AllReduce_",
        "triton_poi_",
        "triton_poi_fused",
        "Memset (",
        "x -> y",
        "128x128x",
        "gemm_99999999x99999999",
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        takes(odd[i]);
}

/* Twice the limit of what is read, and far beyond: the cost must not grow. */
static void long_names_are_read_from_their_beginning(void **state)
{
    (void)state;
    static const char *const piece[] = {
        "<", "(", "a::", "f<int, ", "gemm", "_ZN1a", "x1", "\xc3", "{lambda(", "128x",
    };
    enum { LONG_BYTES = 4000000 };
    char *name = mem_alloc(LONG_BYTES + 16);
    for (size_t i = 0; i < sizeof piece / sizeof *piece; i++) {
        size_t n = 0, len = strlen(piece[i]);
        for (; n < LONG_BYTES; n += len)
            memcpy(name + n, piece[i], len);
        name[n] = '\0';
        takes(name);
    }
    mem_free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elementwise_kernels_are_called_after_their_functor),
        cmocka_unit_test(a_lambda_says_in_which_function_it_stands),
        cmocka_unit_test(an_index_of_a_lambda_is_no_type_of_data),
        cmocka_unit_test(reductions_and_lists_of_tensors_are_called_after_theirs),
        cmocka_unit_test(products_say_their_type_tile_and_library),
        cmocka_unit_test(convolutions_say_their_direction),
        cmocka_unit_test(attention_says_its_kind_and_direction),
        cmocka_unit_test(fused_kernels_list_what_computes),
        cmocka_unit_test(collectives_say_what_is_reduced),
        cmocka_unit_test(copies_say_from_where_to_where),
        cmocka_unit_test(others_are_told_by_the_words_of_their_names),
        cmocka_unit_test(mangled_names_are_read_too),
        cmocka_unit_test(what_is_not_recognised_keeps_its_own_name),
        cmocka_unit_test(unbalanced_and_odd_names_are_names),
        cmocka_unit_test(long_names_are_read_from_their_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
