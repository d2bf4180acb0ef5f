/* Kernels of one table: each is called otherwise than the others. */
#include "analyze/kernel_labels.h"
#include "base/mem.h"
#include "cmocka_setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void no_two_alike(const char *const *raw, size_t n)
{
    struct kernel_labels l;
    kernel_labels_init(&l, raw, n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(l.label[i], l.label[k]);
    kernel_labels_release(&l);
}

static void expect_labels(const char *const *raw, const char *const *label, size_t n)
{
    struct kernel_labels l;
    kernel_labels_init(&l, raw, n);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(l.label[i], label[i]);
    kernel_labels_release(&l);
}

static void a_label_of_one_kernel_stays_short(void **state)
{
    (void)state;
    const char *const raw[] = {"ampere_sgemm_128x64_nn", "ampere_sgemm_64x64_nn"};
    const char *const label[] = {"gemm f32 128×64 (cuBLAS)", "gemm f32 64×64 (cuBLAS)"};
    expect_labels(raw, label, 2);
}

static void kernels_that_do_the_same_are_told_apart_by_what_differs(void **state)
{
    (void)state;
    const char *const raw[] = {
        "ampere_sgemm_128x64_nn",
        "ampere_sgemm_128x64_nt",
        "volta_sgemm_128x64_nn",
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<"
        "float>, at::detail::Array<char*, 3> >(int)",
        "void at::native::vectorized_elementwise_kernel<2, at::native::CUDAFunctor_add<"
        "float>, at::detail::Array<char*, 3> >(int)",
        "void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int)",
        "void cudnn::detail::dgrad_engine<float, 128, 6, 7, 3, 3, 5, false>(int)",
    };
    const char *const label[] = {
        "gemm f32 128×64 (cuBLAS)",
        "gemm f32 128×64 (cuBLAS) · nt",
        "gemm f32 128×64 (cuBLAS) · volta",
        "elementwise add f32 · vectorized 4",
        "elementwise add f32 · vectorized 2",
        "conv input gradient f32 (cuDNN) · engine 512",
        "conv input gradient f32 (cuDNN) · engine 128",
    };
    expect_labels(raw, label, sizeof raw / sizeof *raw);
}

static void what_no_word_tells_apart_is_numbered(void **state)
{
    (void)state;
    const char *const raw[] = {"zap<+>(int)", "zap<->(int)", "zap(int)"};
    const char *const label[] = {"zap #2", "zap #3", "zap"};
    expect_labels(raw, label, 3);
}

static void a_name_that_looks_like_a_label_does_not_take_it(void **state)
{
    (void)state;
    const char *const raw[] = {
        "zap<+>", "zap<->", "zap", "zap #2", "zap · b", "zap<b>", "gemm f32", "",
    };
    no_two_alike(raw, sizeof raw / sizeof *raw);
}

/* As many as a hostile trace may hold, all of one label and without a word of their own.
 */
static void many_kernels_of_one_label_cost_little(void **state)
{
    (void)state;
    enum { MANY = 20000, BYTES = 40 };
    char *text = mem_zalloc(MANY, BYTES);
    const char **raw = mem_zalloc(MANY, sizeof *raw);
    for (int i = 0; i < MANY; i++) {
        char *name = text + (size_t)i * BYTES;
        size_t n = (size_t)snprintf(name, BYTES, "zap<");
        for (int bit = 0; bit < 16; bit++)
            name[n++] = i >> bit & 1 ? '+' : '-';
        raw[i] = name;
    }
    struct kernel_labels l;
    kernel_labels_init(&l, raw, MANY);
    assert_int_equal(l.n, MANY);
    assert_string_not_equal(l.label[0], l.label[MANY - 1]);
    kernel_labels_release(&l);
    mem_free(raw);
    mem_free(text);
}

static void labels_do_not_depend_on_the_order(void **state)
{
    (void)state;
    const char *const raw[] = {"zap<+>(int)", "volta_sgemm_64x64_nt", "zap<->(int)",
                               "volta_sgemm_64x64_nn", "zap(int)"};
    const char *reversed[5];
    for (size_t i = 0; i < 5; i++)
        reversed[i] = raw[4 - i];
    struct kernel_labels a, b;
    kernel_labels_init(&a, raw, 5);
    kernel_labels_init(&b, reversed, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(a.label[i], b.label[4 - i]);
    kernel_labels_release(&a);
    kernel_labels_release(&b);
}

static void collectives_of_amd_devices_are_rccls(void **state)
{
    (void)state;
    static const char *const device[] = {"AMD Instinct MI300X", "NVIDIA A100"};
    static const char *const label[] = {"all-reduce sum f32 (RCCL)",
                                        "all-reduce sum f32 (NCCL)"};
    for (int i = 0; i < 2; i++) {
        struct run run;
        struct kernel_labels l;
        run_init(&run);
        ranks_add(&run.ranks,
                  (struct rank){.device = names_add_z(&run.names, device[i])});
        name_id name =
            names_add_z(&run.names, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)");
        ops_add(&run.ops, (struct op){.place = LANE_KIND_DEVICE,
                                      .kind = SPAN_KIND_COLLECTIVE,
                                      .name = name});
        kernel_labels_of_run(&l, &run);
        assert_string_equal(l.of_name[name], label[i]);
        kernel_labels_release(&l);
        run_release(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_label_of_one_kernel_stays_short),
        cmocka_unit_test(kernels_that_do_the_same_are_told_apart_by_what_differs),
        cmocka_unit_test(what_no_word_tells_apart_is_numbered),
        cmocka_unit_test(a_name_that_looks_like_a_label_does_not_take_it),
        cmocka_unit_test(many_kernels_of_one_label_cost_little),
        cmocka_unit_test(labels_do_not_depend_on_the_order),
        cmocka_unit_test(collectives_of_amd_devices_are_rccls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
