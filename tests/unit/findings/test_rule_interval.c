#include "job_run.h"

#include <math.h>

/* Steps 1 to n of 100 ms; every `every`th has `what` of 50 ms beyond them. */
static void add_series(struct job_run *j, enum timing_kind what, int n, int every,
                       int missing_from, int missing_to)
{
    for (int i = 1; i <= n; i++) {
        if (i >= missing_from && i < missing_to)
            continue;
        bool hit = i % every == 0;
        job_timing(j, TIMING_KIND_STEP, i, hit ? 150000 : 100000);
        if (hit)
            job_timing(j, what, i, 50000);
    }
}

static void check_interval(enum timing_kind what, const char *rule)
{
    struct job_run j;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    add_series(&j, what, 60, 5, 0, 0);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, rule);
    /* 50 ms every 5 steps, then every 50 */
    assert_gain_us(x, 9000);
    assert_int_equal(x->price, PRICE_INTERVAL);
    assert_true(x->gain_low_ns < 9e6 && x->gain_high_ns > 9e6);
    job_done(&j, &f);
}

static void evaluation_every_five_steps_is_told(void **state)
{
    (void)state;
    check_interval(TIMING_KIND_EVALUATE, "evaluation-often");
}

static void saving_every_five_steps_is_told(void **state)
{
    (void)state;
    check_interval(TIMING_KIND_SAVE, "checkpoint-often");
}

static void epochs_whose_workers_start_anew_are_told(void **state)
{
    (void)state;
    for (int every = 1; every <= 5; every += 4) {
        struct job_run j;
        job_begin(&j, RUN_SOURCE_KINETO);
        job_healthy(&j);
        add_series(&j, TIMING_KIND_EPOCH, 60, every, 0, 0);
        struct job_found f = job_find(&j);
        if (every == 1) { /* a part of each step: something else tells of it */
            assert_null(job_finding(&f, "prefetch-short"));
        } else {
            const struct finding *x = job_expect(&f, "prefetch-short");
            assert_gain_us(x, 10000);
            assert_int_equal(x->price, PRICE_INTERVAL);
            assert_ptr_equal(finding_fix(x), rule_other_fix(x->rule));
        }
        job_done(&j, &f);
    }
}

/* A GAN, acting and learning in turns: two of three steps have it. */
static void evaluation_in_most_steps_is_a_part_of_them(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    for (int i = 1; i <= 60; i++) {
        job_timing(&j, TIMING_KIND_STEP, i, i % 3 ? 150000 : 100000);
        if (i % 3)
            job_timing(&j, TIMING_KIND_EVALUATE, i, 50000);
    }
    struct job_found f = job_find(&j);
    assert_null(job_finding(&f, "evaluation-often"));
    assert_true(f.findings->step_ns == 150e6);
    job_done(&j, &f);
}

static void a_collection_every_five_steps_is_told(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    add_series(&j, TIMING_KIND_GARBAGE, 60, 5, 0, 0);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "garbage-collector");
    assert_gain_us(x, 10000); /* 50 ms every 5 steps, then none */
    assert_true(fabs(f.findings->step_ns - 110e6) < 1);
    job_done(&j, &f);
}

static void a_collection_in_each_step_is_part_of_it(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    add_series(&j, TIMING_KIND_GARBAGE, 20, 1, 0, 0);
    struct job_found f = job_find(&j);
    assert_gain_us(job_expect(&f, "garbage-collector"), 50000);
    assert_true(fabs(f.findings->step_ns - 150e6) < 1);
    job_done(&j, &f);
}

static void no_step_gains_more_than_it_takes(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    for (int i = 1; i <= 20; i++) {
        job_timing(&j, TIMING_KIND_STEP, i, 100000);
        job_timing(&j, TIMING_KIND_GARBAGE, i,
                   2000000); /* longer than the step it is timed in */
    }
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "garbage-collector");
    assert_true(x->gain_ns > 0 && x->gain_ns <= f.findings->step_ns);
    assert_true(x->ceiling_ns <= f.findings->step_ns);
    assert_true(x->gain_low_ns <= x->gain_ns && x->gain_ns <= x->gain_high_ns);
    job_done(&j, &f);
}

static void a_hole_in_the_series_does_not_change_the_interval(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    add_series(&j, TIMING_KIND_EVALUATE, 60, 5, 13, 38);
    struct job_found f = job_find(&j);
    assert_gain_us(job_expect(&f, "evaluation-often"), 9000);
    job_done(&j, &f);
}

static void evaluation_every_hundred_steps_is_fine(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    add_series(&j, TIMING_KIND_EVALUATE, 400, 100, 0, 0);
    struct job_found f = job_find(&j);
    job_expect_silence(&f);
    job_done(&j, &f);
}

static void one_evaluation_tells_no_interval(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    add_series(&j, TIMING_KIND_EVALUATE, 9, 5, 0, 0);
    struct job_found f = job_find(&j);
    job_expect_silence(&f);
    job_done(&j, &f);
}

static void a_trace_shows_it_by_its_frames(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    for (int32_t s = 0; s < STEPS; s++)
        job_span(&j, 0, j.lane[0], SPAN_KIND_PYTHON, "train.py(31): evaluate", s, 10000,
                 20000);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "evaluation-often");
    assert_gain_us(x, 18000);
    assert_string_equal(x->where, "train.py(31): evaluate");
    job_done(&j, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluation_every_five_steps_is_told),
        cmocka_unit_test(saving_every_five_steps_is_told),
        cmocka_unit_test(epochs_whose_workers_start_anew_are_told),
        cmocka_unit_test(evaluation_in_most_steps_is_a_part_of_them),
        cmocka_unit_test(a_collection_every_five_steps_is_told),
        cmocka_unit_test(a_collection_in_each_step_is_part_of_it),
        cmocka_unit_test(no_step_gains_more_than_it_takes),
        cmocka_unit_test(a_hole_in_the_series_does_not_change_the_interval),
        cmocka_unit_test(evaluation_every_hundred_steps_is_fine),
        cmocka_unit_test(one_evaluation_tells_no_interval),
        cmocka_unit_test(a_trace_shows_it_by_its_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
