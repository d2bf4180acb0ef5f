#include "job_run.h"

#include "whatif/answer.h"

#include <math.h>
#include <string.h>

static const char FETCH[] = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";

/* A fetch of 20 ms at the begin of each step, forward after it. */
static void job_fetching(struct job_run *j, const char *fetch)
{
    job_begin(j, RUN_SOURCE_KINETO);
    job_mark(j, fetch, 100, 20000);
    job_op(j, "aten::linear", 20200, 30000);
    job_op(j, "autograd::engine::evaluate_function: AddmmBackward0", 50300, 47000);
    job_op(j, "aten::_fused_adamw_", 97800, 2000);
}

static void a_healthy_step_gets_no_finding(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    struct job_found f = job_find(&j);
    job_expect_silence(&f);
    assert_true(f.findings->checked > 5);
    job_done(&j, &f);
}

static void with_idle_cores_all_of_a_fetch_is_gained(void **state)
{
    struct job_run j;
    (void)state;
    job_fetching(&j, FETCH);
    job_fact(&j, "record.threads", 2);
    job_fact(&j, "record.cpus", 8);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "input-bound");
    assert_gain_us(x, 20000);
    assert_true(x->gain_low_ns < 0.75 * x->gain_ns);
    assert_int_equal(x->price, PRICE_REPLAYED);
    assert_null(job_finding(&f, "prefetch-short"));
    job_done(&j, &f);
}

static void with_busy_cores_computing_is_gained_in_part(void **state)
{
    struct job_run j;
    (void)state;
    job_fetching(&j, FETCH);
    job_fact(&j, "record.threads", 4);
    job_fact(&j, "record.cpus", 4);
    for (int i = 0; i < 9; i++) {
        job_timing(&j, TIMING_KIND_STEP, 20 + i, 90000);
        job_timing(&j, TIMING_KIND_LOADER, 20 + i, 16000);
        job_timing(&j, TIMING_KIND_LOADER_CPU, 20 + i, 12000);
    }
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "input-bound");
    /* 4 ms of waiting go; of 12 ms computing between none and three quarters do */
    assert_gain_us(x, (4000 + 13000) / 2);
    assert_true(x->gain_low_ns <= 4e6 && x->gain_high_ns >= 13e6);
    assert_int_equal(x->price, PRICE_MODELLED);
    assert_float_equal(x->holds_ns, 16e6, 1);
    job_done(&j, &f);
}

/* On busy cores: of a fetch of 16 ms so much computes, and 2 ms put its batch together.
 */
static void job_of_items(struct job_run *j, int64_t computing_us, double draws,
                         double item_bytes)
{
    job_fetching(j, FETCH);
    job_fact(j, "record.threads", 4);
    job_fact(j, "record.cpus", 4);
    job_fact(j, "record.loader_draws", draws);
    job_fact(j, "record.loader_items", 1e6);
    job_fact(j, "record.loader_item_bytes", item_bytes);
    job_fact(j, "record.free_bytes", 8e9);
    for (int i = 0; i < 9; i++) {
        job_timing(j, TIMING_KIND_STEP, 20 + i, 90000);
        job_timing(j, TIMING_KIND_LOADER, 20 + i, 16000);
        job_timing(j, TIMING_KIND_LOADER_CPU, 20 + i, computing_us);
        job_timing(j, TIMING_KIND_STACK, 20 + i, 2000);
    }
}

static void items_that_are_always_the_same_are_prepared_once(void **state)
{
    struct job_run j;
    (void)state;
    job_of_items(&j, 15000, 0, 1500);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "input-bound");
    assert_gain_us(x, 14000);
    assert_int_equal(x->price, PRICE_REPLAYED);
    assert_ptr_equal(finding_fix(x), rule_other_fix(x->rule));
    assert_non_null(strstr(x->evidence, "1,000,000"));
    assert_non_null(strstr(x->evidence, "1.50 kB each"));
    job_done(&j, &f);
}

static void items_that_cannot_be_prepared_are_for_workers(void **state)
{
    static const struct {
        int64_t computing_us;
        double draws, item_bytes;
    } not_prepared[] = {
        {15000, 1, 1000},  /* another one each time */
        {6000, 0, 1000},   /* mostly waiting: a worker waits as well */
        {15000, 0, 3000},  /* 3 GB, of 8 that are free */
        {15000, NAN, 1000} /* not known */
    };
    (void)state;
    for (size_t i = 0; i < sizeof not_prepared / sizeof *not_prepared; i++) {
        struct job_run j;
        double computing_us = (double)not_prepared[i].computing_us;
        job_of_items(&j, not_prepared[i].computing_us, not_prepared[i].draws,
                     not_prepared[i].item_bytes);
        struct job_found f = job_find(&j);
        const struct finding *x = job_expect(&f, "input-bound");
        /* the waiting goes; of the computing between none and three quarters do */
        assert_gain_us(x, 16000 - computing_us * (1 + 0.25) / 2);
        assert_int_equal(x->price, PRICE_MODELLED);
        assert_ptr_equal(finding_fix(x), rule_fix(x->rule));
        job_done(&j, &f);
    }
}

static void the_question_of_no_loader_has_the_same_answer(void **state)
{
    (void)state;
    for (int busy = 0; busy < 2; busy++) {
        struct job_run j;
        struct err err = ERR_INIT;
        struct question q;
        size_t used;
        job_fetching(&j, FETCH);
        job_fact(&j, "record.threads", 4);
        job_fact(&j, "record.cpus", busy ? 4 : 16);
        for (int i = 0; i < 9; i++) {
            job_timing(&j, TIMING_KIND_STEP, 20 + i, 90000);
            job_timing(&j, TIMING_KIND_LOADER, 20 + i, 16000);
            job_timing(&j, TIMING_KIND_LOADER_CPU, 20 + i, 12000);
        }
        struct job_found f = job_find(&j);
        const struct finding *x = job_expect(&f, "input-bound");
        const char *words[] = {"no-loader"};
        assert_int_equal(question_parse(&q, &used, words, 1, &err), STATUS_OK);
        struct answers *a = answers_new(&j.run, f.analysis, &q, 1, &err);
        assert_non_null(a);
        const struct finding *price = &a->answer[0].price;
        assert_gain_us(price, x->gain_ns / 1e3);
        assert_float_equal(price->gain_low_ns, x->gain_low_ns, 1);
        assert_float_equal(price->gain_high_ns, x->gain_high_ns, 1);
        assert_int_equal(!!a->answer[0].price.evidence[0], busy);
        answers_free(a);
        job_done(&j, &f);
    }
}

static void with_busy_cores_and_nothing_known_it_may_be_nothing(void **state)
{
    struct job_run j;
    (void)state;
    job_fetching(&j, FETCH);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "input-bound");
    assert_gain_us(x, 10000);
    assert_true(x->gain_low_ns <= 0 && x->gain_high_ns >= 20e6);
    assert_true(x->missing[0]);
    job_done(&j, &f);
}

static void workers_that_do_not_keep_up_are_told_apart(void **state)
{
    struct job_run j;
    (void)state;
    job_fetching(&j, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
    struct job_found f = job_find(&j);
    job_expect(&f, "prefetch-short");
    assert_null(job_finding(&f, "input-bound"));
    job_done(&j, &f);
}

static void a_short_fetch_is_no_finding(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    job_mark(&j, FETCH, 10, 400);
    struct job_found f = job_find(&j);
    job_expect_silence(&f);
    job_done(&j, &f);
}

static void frames_show_that_collating_is_the_cause(void **state)
{
    struct job_run j;
    (void)state;
    job_fetching(&j, FETCH);
    for (int32_t s = 0; s < STEPS; s++)
        job_span(&j, 0, j.lane[0], SPAN_KIND_PYTHON, "data.py(27): collate_rows", s, 1000,
                 18000);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "collate-work");
    assert_gain_us(x, 18000);
    assert_string_equal(x->where, "data.py(27): collate_rows");
    assert_null(job_finding(&f, "input-bound"));
    job_done(&j, &f);
}

static void places_show_it_where_the_steps_have_no_frames(void **state)
{
    struct job_run j;
    (void)state;
    job_fetching(&j, FETCH);
    job_op(&j, "aten::select", 2000, 10000);
    /* of the places, as much in collate as the fetch has of all operators */
    for (int i = 0; i < 2; i++)
        sites_add(&j.run.sites,
                  (struct site){.rank = 0,
                                .op = job_name(&j, "aten::select"),
                                .module = job_name(&j, ""),
                                .line = job_name(&j, i ? "train.py(9): main"
                                                       : "data.py(27): collate"),
                                .count = 1,
                                .self_ns = i ? 79000 : 10000});
    for (int i = 0; i < 9; i++) {
        job_timing(&j, TIMING_KIND_STEP, 20 + i, 90000);
        job_timing(&j, TIMING_KIND_LOADER, 20 + i, 16000);
    }
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "collate-work");
    assert_null(job_finding(&f, "input-bound")); /* the same time, told once */
    assert_float_equal(f.findings->together_gain_ns, x->gain_ns, 1);
    job_done(&j, &f);
}

static void the_hook_times_it_whatever_its_name(void **state)
{
    struct job_run j;
    (void)state;
    job_fetching(&j, FETCH);
    for (int i = 0; i < 9; i++) {
        job_timing(&j, TIMING_KIND_STEP, 20 + i, STEP_US);
        job_timing(&j, TIMING_KIND_LOADER, 20 + i, 20000);
        job_timing(&j, TIMING_KIND_COLLATE, 20 + i, 15000);
    }
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "collate-work");
    assert_gain_us(x, 15000);
    assert_string_equal(x->where, "the loader's collate_fn");
    job_done(&j, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_healthy_step_gets_no_finding),
        cmocka_unit_test(with_idle_cores_all_of_a_fetch_is_gained),
        cmocka_unit_test(with_busy_cores_computing_is_gained_in_part),
        cmocka_unit_test(items_that_are_always_the_same_are_prepared_once),
        cmocka_unit_test(items_that_cannot_be_prepared_are_for_workers),
        cmocka_unit_test(the_question_of_no_loader_has_the_same_answer),
        cmocka_unit_test(with_busy_cores_and_nothing_known_it_may_be_nothing),
        cmocka_unit_test(workers_that_do_not_keep_up_are_told_apart),
        cmocka_unit_test(a_short_fetch_is_no_finding),
        cmocka_unit_test(frames_show_that_collating_is_the_cause),
        cmocka_unit_test(places_show_it_where_the_steps_have_no_frames),
        cmocka_unit_test(the_hook_times_it_whatever_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
