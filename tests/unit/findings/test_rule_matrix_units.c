#include "asked.h"

/* Steps of 1,000 us: 8 kernels of 120 us in a row, for which the host waits. */
static void write_steps(struct timeline *t, const char *device, const char *kernel)
{
    timeline_init(t, device);
    for (int k = 0; k < 5; k++) {
        double at_us = 1000.0 * k;
        timeline_step(t, k, at_us, 1000);
        for (int i = 0; i < 8; i++)
            timeline_launch(t, "cudaLaunchKernel", at_us + 10 + 12 * i, 8, kernel,
                            at_us + 20 + 122 * i, 120, 0);
        timeline_call(t, "cudaDeviceSynchronize", at_us + 120, 876);
    }
}

static const char f32_kernel[] = "ampere_sgemm_128x64_nn";

static void f32_products_on_a_device_with_matrix_units_are_told(void **state)
{
    struct timeline t;
    write_steps(&t, "NVIDIA A100-SXM4-80GB", f32_kernel);
    struct asked a = ask(&t);
    const struct finding *x = must_tell(&a, "tensor-cores-unused");
    assert_string_equal(x->where, "gemm f32 128×64 (cuBLAS)");
    assert_non_null(strstr(x->evidence, "156 TFLOP/s instead of 19.5"));
    assert_true(x->gain_low_ns <= 0); /* it may be bound by memory */
    assert_true(x->gain_high_ns > x->gain_ns && x->gain_high_ns <= 960e3);
    assert_true(x->price == PRICE_MODELLED && *x->missing);
    asked_release(&a);
    (void)state;
}

static void products_that_use_the_units_are_left_alone(void **state)
{
    struct timeline t;
    write_steps(&t, "NVIDIA A100-SXM4-80GB", "ampere_tf32_s1688gemm_128x64_nn");
    struct asked a = ask(&t);
    assert_null(told(&a, "tensor-cores-unused"));
    asked_release(&a);
    (void)state;
}

static void devices_without_listed_units_for_f32_are_left_alone(void **state)
{
    static const char *const devices[] = {"Tesla V100-SXM2-16GB", "Example GPU"};
    for (size_t i = 0; i < 2; i++) {
        struct timeline t;
        write_steps(&t, devices[i], f32_kernel);
        struct asked a = ask(&t);
        assert_null(told(&a, "tensor-cores-unused"));
        asked_release(&a);
    }
    (void)state;
}

/* --- precision-f32, told by the names of kernels --- */

static void f32_kernels_are_told_without_shapes(void **state)
{
    struct timeline t;
    write_steps(&t, "Tesla V100-SXM2-16GB", "volta_sgemm_64x64_nt");
    struct asked a = ask(&t);
    const struct finding *x = must_tell(&a, "precision-f32");
    assert_non_null(strstr(x->evidence, "100 % of the kernel time of products"));
    assert_non_null(strstr(finding_fix(x)->torch, "torch.float16")); /* no bfloat16 */
    assert_true(x->price == PRICE_MODELLED && x->gain_ns > 0);
    asked_release(&a);
    (void)state;
}

static void kernels_in_lower_precision_are_left_alone(void **state)
{
    struct timeline t;
    write_steps(&t, "Tesla V100-SXM2-16GB", "volta_fp16_s884gemm_fp16_64x64_nt");
    struct asked a = ask(&t);
    assert_true(findings_silent(a.findings, rule_named("precision-f32")));
    asked_release(&a);
    (void)state;
}

static void was_not_asked(const char *device, const char *kernel, const char *rule)
{
    struct timeline t;
    write_steps(&t, device, kernel);
    struct asked a = ask(&t);
    assert_null(told(&a, rule));
    assert_false(findings_silent(a.findings, rule_named(rule)));
    asked_release(&a);
}

static void what_cannot_be_known_is_not_asked(void **state)
{
    was_not_asked("Example GPU", f32_kernel, "precision-f32");
    was_not_asked("Example GPU", f32_kernel, "tensor-cores-unused");
    was_not_asked("Tesla V100-SXM2-16GB", "some_gemm", "precision-f32");
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_products_on_a_device_with_matrix_units_are_told),
        cmocka_unit_test(products_that_use_the_units_are_left_alone),
        cmocka_unit_test(devices_without_listed_units_for_f32_are_left_alone),
        cmocka_unit_test(f32_kernels_are_told_without_shapes),
        cmocka_unit_test(kernels_in_lower_precision_are_left_alone),
        cmocka_unit_test(what_cannot_be_known_is_not_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
