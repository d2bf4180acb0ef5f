/* What both have learned after the same time: the gate's verdicts, by hand and trained. */
#include "cmocka_setup.h"

#ifndef GAIT_TRAIN
int main(void)
{
    return 77; /* there is no trainer in this build */
}
#else
#include "base/log.h"
#include "verify/equal_time.h"

#include <math.h>
#include <string.h>

static struct gate_result decide(struct equal_time e)
{
    struct verify_result r = {0};
    equal_time_gate(&r, &e);
    assert_int_equal(r.n, 1);
    assert_string_equal(r.gate[0].name, "loss at equal time");
    return r.gate[0];
}

/* Losses of 1 and 1 + worse, where the difference has an error of 0.01. */
static struct equal_time worse_by(double worse)
{
    struct equal_time e = {.seconds = 5, .standard_error = 0.01, .same_text = true};
    e.side[0] = (struct equal_time_side){100, 5, {1, 0.1, 1000}};
    e.side[1] = (struct equal_time_side){110, 5, {1 + worse, 0.1, 1000}};
    return e;
}

static void worse_by_more_than_two_standard_errors_fails(void **state)
{
    (void)state;
    assert_int_equal(decide(worse_by(0)).verdict, VERDICT_PASS);
    assert_int_equal(decide(worse_by(-0.5)).verdict, VERDICT_PASS);
    assert_int_equal(decide(worse_by(0.0199)).verdict, VERDICT_PASS);
    struct gate_result g = decide(worse_by(0.0201));
    assert_int_equal(g.verdict, VERDICT_FAIL);
    assert_string_equal(g.code, "worse_loss");
    assert_non_null(strstr(g.remark, "after 100 and 110 steps"));
    assert_string_equal(g.before, "1.0000 ± 0.1000");
    assert_int_equal(g.numbers.before_count, 100);
    assert_int_equal(g.numbers.after_count, 110);
    assert_true(fabs(g.numbers.allowed - 0.02) < 1e-12);
}

static void what_cannot_be_told_is_not_passed(void **state)
{
    (void)state;
    struct equal_time e = worse_by(0);
    e.one_batch = true;
    assert_int_equal(decide(e).verdict, VERDICT_UNSURE);
    e = worse_by(0);
    e.same_text = false;
    assert_int_equal(decide(e).verdict, VERDICT_NOT_APPLICABLE);
    for (int side = 0; side < 2; side++) {
        e = worse_by(0);
        e.side[side].loss.loss = NAN;
        e.standard_error = NAN;
        struct gate_result g = decide(e);
        assert_int_equal(g.verdict, VERDICT_FAIL);
        assert_string_equal(g.code, "loss_not_finite");
    }
}

static void tiny_config(struct config *c)
{
    config_init(c);
    c->layers = 1;
    c->heads = 2;
    c->width = 16;
    c->context = 8;
    c->batch_size = 4;
    c->warmup_steps = 0;
    c->eval_batches = 20;
    c->builtin_chars = 20000;
    c->threads = 1;
    assert_int_equal(config_set(c, "schedule", "constant", NULL), STATUS_OK);
}

static struct equal_time measure(const struct config *a, const struct config *b,
                                 double seconds)
{
    struct err err = ERR_INIT;
    struct equal_time e;
    if (equal_time_measure(&e, a, b, seconds, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    return e;
}

/* A training whose rate is 0 learns nothing; the one that learns is told from it. */
static void each_side_has_its_time_and_the_one_that_learns_wins(void **state)
{
    (void)state;
    struct config learns, stays;
    tiny_config(&learns);
    tiny_config(&stays);
    stays.learning_rate = 0;
    struct equal_time e = measure(&stays, &learns, 0.4);
    for (int side = 0; side < 2; side++) {
        assert_true(e.side[side].steps > 1);
        assert_true(e.side[side].took_s > 0.3); /* within a step, which may be held up */
    }
    assert_true(e.paired && e.same_text && e.standard_error > 0);
    assert_true(e.side[1].loss.loss < e.side[0].loss.loss - 0.1);
    assert_int_equal(decide(e).verdict, VERDICT_PASS);
    e = measure(&learns, &stays, 0.4);
    assert_int_equal(decide(e).verdict, VERDICT_FAIL);
    config_release(&learns);
    config_release(&stays);
}

/* Weights that never move have equal losses: the difference has no error at all, though
 * each loss has one. */
static void the_error_is_that_of_the_difference(void **state)
{
    (void)state;
    struct config c;
    tiny_config(&c);
    c.learning_rate = 0;
    struct equal_time e = measure(&c, &c, 0.1);
    assert_true(e.side[0].loss.standard_error > 0);
    assert_true(e.standard_error == 0);
    assert_int_equal(decide(e).verdict, VERDICT_PASS);
    config_release(&c);
}

static void other_batches_are_compared_by_both_errors(void **state)
{
    (void)state;
    struct config a, b;
    tiny_config(&a);
    tiny_config(&b);
    b.batch_size = 8;
    struct equal_time e = measure(&a, &b, 0.1);
    assert_false(e.paired);
    double both = hypot(e.side[0].loss.standard_error, e.side[1].loss.standard_error);
    assert_true(fabs(e.standard_error - both) < 1e-12);
    config_release(&a);
    config_release(&b);
}

static void a_time_shorter_than_a_step_is_one_step(void **state)
{
    (void)state;
    struct config c;
    tiny_config(&c);
    struct equal_time e = measure(&c, &c, 1e-9);
    assert_int_equal(e.side[0].steps, 1);
    assert_int_equal(e.side[1].steps, 1);
    config_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worse_by_more_than_two_standard_errors_fails),
        cmocka_unit_test(what_cannot_be_told_is_not_passed),
        cmocka_unit_test(each_side_has_its_time_and_the_one_that_learns_wins),
        cmocka_unit_test(the_error_is_that_of_the_difference),
        cmocka_unit_test(other_batches_are_compared_by_both_errors),
        cmocka_unit_test(a_time_shorter_than_a_step_is_one_step),
    };
    log_quiet(true);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
