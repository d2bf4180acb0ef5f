/* Each part of a step that is not small has a sentence, and all parts make the step. */
#include "unit/findings/job_run.h"

#include "analyze/kernel_family.h"

#include <math.h>

static const struct account_part *part_with(const struct account *a, const char *text)
{
    for (size_t i = 0; i < a->n; i++)
        if (strstr(a->part[i].what, text))
            return &a->part[i];
    fail_msg("no part of %zu says \"%s\"", a->n, text);
    return NULL;
}

static void assert_makes_the_step(const struct account *a)
{
    double ns = a->small_ns;
    for (size_t i = 0; i < a->n; i++)
        ns += a->part[i].ns;
    assert_true(fabs(ns - a->step_ns) < 1e-6 * a->step_ns);
}

static void a_job_on_the_host_is_told_by_its_calls(void **state)
{
    (void)state;
    struct job_run j;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_op(&j, "aten::linear", 0, 40000);
    job_op(&j, "aten::addmm", 1000, 38000); /* inside it */
    job_mark(&j, "outlives what opens it", 41000, 30000);
    job_op(&j, "opens it", 40000, 2000);
    job_op(&j, "aten::relu", 50000, 10000);
    job_op(&j, "too small for a sentence", 90000, 4000);
    struct job_found f = job_find(&j);
    const struct account *a = &f.findings->account;
    assert_true(fabs(part_with(a, "runs aten::addmm")->ns - 38e6) < 1);
    assert_true(fabs(part_with(a, "is in outlives what opens it")->ns - 20e6) < 1e6 + 1);
    assert_true(fabs(part_with(a, "runs aten::relu")->ns - 10e6) < 1);
    const struct account_part *unsaid = part_with(a, "nothing recorded on the host");
    assert_int_equal(unsaid->kind, ACCOUNT_UNEXPLAINED);
    assert_true(fabs(unsaid->ns - 25e6) < 1e6 + 1);
    assert_true(a->unexplained_ns == unsaid->ns);
    for (size_t i = 1; i < a->n; i++)
        assert_true(a->part[i - 1].ns >= a->part[i].ns);
    job_done(&j, &f);
}

static void parts_make_the_step(void **state)
{
    (void)state;
    struct job_run j;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    struct job_found f = job_find(&j);
    assert_makes_the_step(&f.findings->account);
    job_done(&j, &f);
}

/* Spans that each outlive the one before: as many turns as there are would take minutes.
 */
static void spans_that_overlap_all_others_do_not_hang(void **state)
{
    (void)state;
    struct job_run j;
    job_begin(&j, RUN_SOURCE_KINETO);
    for (int i = 0; i < 40000; i++)
        job_span(&j, 0, j.lane[0], SPAN_KIND_OP, "one of them", 0, i, 50000 + i);
    struct job_found f = job_find(&j);
    assert_true(f.findings->account.n > 0);
    job_done(&j, &f);
}

static void kernels_have_families(void **state)
{
    (void)state;
    static const struct {
        const char *label;
        enum kernel_family family;
    } known[] = {
        {"gemm bf16 128×128 (cuBLAS)", KERNEL_FAMILY_PRODUCT},
        {"conv f32 128×64 (cuDNN) · stridedB", KERNEL_FAMILY_PRODUCT},
        {"flash attention forward bf16", KERNEL_FAMILY_ATTENTION},
        {"softmax forward bf16", KERNEL_FAMILY_NORM},
        {"batch norm backward bf16", KERNEL_FAMILY_NORM},
        {"elementwise copy bf16", KERNEL_FAMILY_MOVE},
        {"elementwise mul bf16", KERNEL_FAMILY_ELEMENTWISE},
        {"foreach adamw", KERNEL_FAMILY_OPTIMIZER},
        {"reduce sum f32", KERNEL_FAMILY_REDUCE},
        {"cat", KERNEL_FAMILY_MOVE},
        {"max pool backward nchw", KERNEL_FAMILY_REDUCE},
        {"random normal f32", KERNEL_FAMILY_ELEMENTWISE},
        {"elementwise mul bf16 · transpose 11", KERNEL_FAMILY_ELEMENTWISE},
        {"fused to copy add addmm mean (Triton, reduction)", KERNEL_FAMILY_REDUCE},
        {"fused to copy mul (Triton, pointwise)", KERNEL_FAMILY_ELEMENTWISE},
        {"pe_exe", KERNEL_FAMILY_OTHER},
        {"", KERNEL_FAMILY_OTHER},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(kernel_family_of(known[i].label), known[i].family);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_on_the_host_is_told_by_its_calls),
        cmocka_unit_test(parts_make_the_step),
        cmocka_unit_test(spans_that_overlap_all_others_do_not_hang),
        cmocka_unit_test(kernels_have_families),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
