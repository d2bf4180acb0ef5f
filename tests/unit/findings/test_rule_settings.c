/* process-settings: what debugging left on, with a price where one was measured. */
#include "job_run.h"

#include <math.h>

/* As `gait record` leaves it. */
static void begin_recorded(struct job_run *j)
{
    job_begin(j, RUN_SOURCE_KINETO);
    job_healthy(j);
    for (int i = 1; i <= 8; i++)
        job_timing(j, TIMING_KIND_STEP, i, STEP_US);
}

static void turned_off_a_model_is_a_fifth_faster(struct job_run *j)
{
    for (int32_t turn = 0; turn < 4; turn++)
        replacements_add(&j->run.replacements,
                         (struct replacement){.rule = job_name(j, "process-settings"),
                                              .subject = job_name(j, "Net"),
                                              .how = job_name(j, "no anomaly detection"),
                                              .round = turn,
                                              .now_ns = 90000000,
                                              .instead_ns = 72000000});
}

static void a_setting_is_told_without_a_price(void **state)
{
    struct job_run j;
    (void)state;
    begin_recorded(&j);
    job_fact(&j, "record.deterministic_algorithms", 1);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "process-settings");
    assert_true(x->unpriced && finding_holds_unknown(x));
    assert_string_equal(x->where, "deterministic algorithms");
    assert_non_null(strstr(finding_fix(x)->torch, "use_deterministic_algorithms(False)"));
    assert_true(f.findings->together_gain_ns == 0);
    job_done(&j, &f);
}

static void anomaly_detection_has_the_price_that_was_measured(void **state)
{
    struct job_run j;
    (void)state;
    begin_recorded(&j);
    job_fact(&j, "record.anomaly_detection", 1);
    turned_off_a_model_is_a_fifth_faster(&j);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "process-settings");
    assert_int_equal(x->price, PRICE_MEASURED);
    assert_false(x->unpriced);
    /* of the backward pass of 58 ms: no number of autograd's says that the forward
     * operator is trained */
    assert_gain_us(x, 11600);
    assert_float_equal(x->holds_ns, x->gain_ns, 0.01 * x->gain_ns);
    job_done(&j, &f);
}

static void not_measured_it_is_told_all_the_same(void **state)
{
    struct job_run j;
    (void)state;
    begin_recorded(&j);
    job_fact(&j, "record.anomaly_detection", 1);
    job_fact(&j, "record.trace_function", 1);
    struct job_found f = job_find(&j);
    assert_int_equal(f.findings->n, 2);
    assert_true(f.findings->finding[0].unpriced && f.findings->finding[1].unpriced);
    job_done(&j, &f);
}

static void what_is_off_is_not_told(void **state)
{
    struct job_run j;
    (void)state;
    begin_recorded(&j);
    job_fact(&j, "record.anomaly_detection", 0);
    job_fact(&j, "record.cudnn_benchmark", 1);
    struct job_found f = job_find(&j);
    job_expect_silence(&f);
    job_done(&j, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setting_is_told_without_a_price),
        cmocka_unit_test(anomaly_detection_has_the_price_that_was_measured),
        cmocka_unit_test(not_measured_it_is_told_all_the_same),
        cmocka_unit_test(what_is_off_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
