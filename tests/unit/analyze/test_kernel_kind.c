/* Names as they stand in real traces. */
#include "cmocka_setup.h"

#include "analyze/kernel_kind.h"

#include <math.h>

#define assert_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))

static void listed_devices_have_their_vendors_figures(void **state)
{
    (void)state;
    const struct device_peak *h100 = device_peak_find("NVIDIA H100 80GB HBM3");
    assert_non_null(h100);
    assert_near(device_peak_flop_per_s(h100, PRECISION_BF16), 989.4e12, 1e9);
    assert_near(device_peak_flop_per_s(h100, PRECISION_F8), 1978.9e12, 1e9);
    assert_near(device_peak_bytes_per_s(h100), 3.35e12, 1e6);
    assert_non_null(device_peak_find("nvidia a100-sxm4-80gb"));
    const struct device_peak *v100 = device_peak_find("Tesla V100-SXM2-32GB");
    assert_near(device_peak_flop_per_s(v100, PRECISION_F16), 125e12, 1e9);
    assert_near(device_peak_flop_per_s(v100, PRECISION_BF16), 0, 0);
    assert_near(device_peak_flop_per_s(v100, PRECISION_F64), 0, 0);
    assert_near(device_peak_flop_per_s(v100, PRECISION_UNKNOWN), 0, 0);
    assert_true(device_peak_find("AMD Instinct MI300X")->source[0]);
}

static void a_device_that_is_not_listed_is_not_guessed(void **state)
{
    (void)state;
    assert_null(device_peak_find(""));
    assert_null(device_peak_find("NVIDIA A100"));
    assert_null(device_peak_find("NVIDIA A100-PG509-200"));
    assert_null(device_peak_find("NVIDIA A100-SXM4-80GB MIG 1g.10gb"));
    assert_null(device_peak_find("AMD Radeon Graphics"));
}

static void kernels_tell_their_units(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum kernel_units units;
        enum precision precision;
    } k[] = {
        {"void "
         "cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_nn_align1>",
         KERNEL_UNITS_MATRIX, PRECISION_BF16},
        {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_tn_align1>",
         KERNEL_UNITS_MATRIX, PRECISION_TF32},
        {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64",
         KERNEL_UNITS_MATRIX, PRECISION_BF16},
        {"volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_nn", KERNEL_UNITS_MATRIX,
         PRECISION_F16},
        {"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_nn",
         KERNEL_UNITS_MATRIX, PRECISION_F16},
        {"nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTT", KERNEL_UNITS_MATRIX,
         PRECISION_UNKNOWN},
        {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x256x32_MI16x16x1_SN",
         KERNEL_UNITS_MATRIX, PRECISION_BF16},
        {"ampere_sgemm_128x64_nn", KERNEL_UNITS_PLAIN, PRECISION_F32},
        {"volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1",
         KERNEL_UNITS_PLAIN, PRECISION_F32},
        {"cutlass_80_simt_sgemm_64x64_8x5_nn_align1", KERNEL_UNITS_PLAIN, PRECISION_F32},
        {"gemmk1_kernel<int, float>", KERNEL_UNITS_UNKNOWN, PRECISION_UNKNOWN},
        {"void cublasLt::splitKreduce_kernel<32, 16, int, float>", KERNEL_UNITS_NONE,
         PRECISION_UNKNOWN},
        {"void at::native::vectorized_elementwise_kernel<4, at::native::bf16>",
         KERNEL_UNITS_NONE, PRECISION_UNKNOWN},
        {"triton_poi_fused_addmm_gelu_view_15", KERNEL_UNITS_NONE, PRECISION_UNKNOWN},
        {"", KERNEL_UNITS_NONE, PRECISION_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
        if (kernel_units_of(k[i].name) != k[i].units ||
            kernel_precision_of(k[i].name) != k[i].precision)
            fail_msg("%s: units %d, precision %d", k[i].name, kernel_units_of(k[i].name),
                     kernel_precision_of(k[i].name));
    }
}

static void attention_is_told_by_operators_and_kernels(void **state)
{
    (void)state;
    assert_int_equal(op_attention_kind("aten::_flash_attention_forward"),
                     ATTENTION_KIND_FLASH);
    assert_int_equal(op_attention_kind("aten::_efficient_attention_backward"),
                     ATTENTION_KIND_EFFICIENT);
    assert_int_equal(op_attention_kind("aten::_scaled_dot_product_cudnn_attention"),
                     ATTENTION_KIND_CUDNN);
    assert_int_equal(op_attention_kind("aten::scaled_dot_product_attention"), -1);
    assert_int_equal(op_attention_kind("aten::_scaled_dot_product_flash_attention"), -1);
    assert_int_equal(kernel_attention_kind("void pytorch_flash::flash_fwd_kernel<x>"),
                     ATTENTION_KIND_FLASH);
    assert_int_equal(kernel_attention_kind("fmha_cutlassF_bf16_aligned_64x64_rf_sm80"),
                     ATTENTION_KIND_EFFICIENT);
    assert_int_equal(
        kernel_attention_kind("cudnn_generated_fort_native_sdpa_sm90_flash_fprop"),
        ATTENTION_KIND_CUDNN);
    assert_int_equal(kernel_attention_kind("ampere_sgemm_128x64_nn"), -1);
}

static void copies_are_told_by_their_names(void **state)
{
    (void)state;
    assert_int_equal(copy_kind_of("Memcpy HtoD (Pageable -> Device)"),
                     COPY_KIND_PAGEABLE_TO_DEVICE);
    assert_int_equal(copy_kind_of("Memcpy HtoD (Pinned -> Device)"),
                     COPY_KIND_PINNED_TO_DEVICE);
    assert_int_equal(copy_kind_of("Memcpy HtoD (Host -> Device)"),
                     COPY_KIND_HOST_TO_DEVICE);
    assert_int_equal(copy_kind_of("Memcpy DtoH (Device -> Pageable)"),
                     COPY_KIND_DEVICE_TO_PAGEABLE);
    assert_int_equal(copy_kind_of("Memcpy DtoH (Device -> Pinned)"),
                     COPY_KIND_DEVICE_TO_PINNED);
    assert_int_equal(copy_kind_of("Memcpy DtoD (Device -> Device)"),
                     COPY_KIND_DEVICE_TO_DEVICE);
    assert_int_equal(copy_kind_of("CopyHostToDevice"), COPY_KIND_HOST_TO_DEVICE);
    assert_int_equal(copy_kind_of("dma_request"), COPY_KIND_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listed_devices_have_their_vendors_figures),
        cmocka_unit_test(a_device_that_is_not_listed_is_not_guessed),
        cmocka_unit_test(kernels_tell_their_units),
        cmocka_unit_test(attention_is_told_by_operators_and_kernels),
        cmocka_unit_test(copies_are_told_by_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
