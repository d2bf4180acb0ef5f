/* The schedules against values worked out by hand. Rates at corners are exact. */
#include "cmocka_setup.h"

#include "optim/schedule.h"

#include <math.h>

#define assert_close(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))
#define assert_exact(a, b) assert_true((a) == (b))

static void cosine_warms_up_and_falls_along_a_cosine(void **state)
{
    (void)state;
    struct schedule s = {.peak = 1.0, .minimum = 0.1, .warmup_steps = 4, .steps = 13};
    assert_int_equal(s.kind, SCHEDULE_KIND_COSINE);
    assert_close(schedule_rate(&s, 0), 0.25, 1e-12);
    assert_close(schedule_rate(&s, 3), 1.0, 1e-12);
    assert_close(schedule_rate(&s, 6), 0.1 + 0.9 * 0.75, 1e-12); /* a third: cos 60° */
    assert_close(schedule_rate(&s, 9), 0.1 + 0.9 * 0.25, 1e-12); /* two: cos 120° */
    assert_close(schedule_rate(&s, 12), 0.1, 1e-12);
    assert_close(schedule_rate(&s, 100), 0.1, 1e-12); /* past its end, as a profile may */
    for (int64_t step = 4; step < 12; step++)
        assert_true(schedule_rate(&s, step + 1) < schedule_rate(&s, step));
}

static void cosine_of_no_or_all_warm_up_is_defined(void **state)
{
    (void)state;
    struct schedule none = {.peak = 1.0, .minimum = 0.1, .warmup_steps = 0, .steps = 3};
    struct schedule all = {.peak = 1.0, .minimum = 0.1, .warmup_steps = 2, .steps = 2};
    struct schedule single = {.peak = 1.0, .minimum = 0.1, .warmup_steps = 0, .steps = 1};
    assert_close(schedule_rate(&none, 0), 1.0, 1e-12);
    assert_close(schedule_rate(&none, 1), 0.55, 1e-12);
    assert_close(schedule_rate(&none, 2), 0.1, 1e-12);
    assert_close(schedule_rate(&all, 1), 1.0, 1e-12);
    assert_close(schedule_rate(&single, 0), 1.0, 1e-12);
}

/* Checkpoints are resumed by (settings, step): a rate that moved by a bit would show. */
static void cosine_keeps_its_bits(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    struct schedule s = {
        .peak = 3e-3, .minimum = 1e-4, .warmup_steps = 100, .steps = 1200};
    for (int64_t step = 0; step < 100; step++)
        assert_exact(schedule_rate(&s, step), 3e-3 * (double)(step + 1) / 100.0);
    for (int64_t step = 100; step < 1199; step++) {
        double done = (double)(step - 99) / 1100.0;
        double want = s.minimum + (s.peak - s.minimum) * 0.5 * (1 + cos(pi * done));
        assert_exact(schedule_rate(&s, step), want);
    }
    assert_exact(schedule_rate(&s, 1199), 1e-4);
}

static void linear_falls_by_the_same_each_step(void **state)
{
    (void)state;
    struct schedule s = {.kind = SCHEDULE_KIND_LINEAR,
                         .peak = 1.0,
                         .minimum = 0.5,
                         .warmup_steps = 4,
                         .steps = 12};
    assert_exact(schedule_rate(&s, 0), 0.25);
    assert_exact(schedule_rate(&s, 3), 1.0);
    assert_exact(schedule_rate(&s, 4), 0.9375);
    assert_exact(schedule_rate(&s, 7), 0.75);
    assert_exact(schedule_rate(&s, 10), 0.5625);
    assert_exact(schedule_rate(&s, 11), 0.5);
    assert_exact(schedule_rate(&s, 500), 0.5);
    s.warmup_steps = 0;
    assert_exact(schedule_rate(&s, 0), 1.0);
}

static void constant_stays_at_the_peak(void **state)
{
    (void)state;
    struct schedule s = {.kind = SCHEDULE_KIND_CONSTANT,
                         .peak = 3e-4,
                         .minimum = 1e-5,
                         .warmup_steps = 2,
                         .steps = 10};
    assert_exact(schedule_rate(&s, 0), 1.5e-4);
    for (int64_t step = 1; step < 20; step++)
        assert_exact(schedule_rate(&s, step), 3e-4);
}

static void wsd_is_stable_until_its_decay(void **state)
{
    (void)state;
    struct schedule s = {.kind = SCHEDULE_KIND_WSD,
                         .peak = 1.0,
                         .minimum = 0.5,
                         .warmup_steps = 2,
                         .steps = 20,
                         .decay_fraction = 0.2};
    assert_exact(schedule_rate(&s, 0), 0.5);
    for (int64_t step = 1; step <= 15; step++)
        assert_exact(schedule_rate(&s, step), 1.0);
    assert_exact(schedule_rate(&s, 16), 0.875);
    assert_exact(schedule_rate(&s, 17), 0.75);
    assert_exact(schedule_rate(&s, 18), 0.625);
    assert_exact(schedule_rate(&s, 19), 0.5);
    assert_exact(schedule_rate(&s, 20), 0.5);
    s.decay_shape = DECAY_SHAPE_SQRT;
    assert_exact(schedule_rate(&s, 15), 1.0);
    assert_exact(schedule_rate(&s, 16), 0.75); /* sqrt(1/4) */
    assert_exact(schedule_rate(&s, 17), 0.5 + 0.5 * (1 - sqrt(0.5)));
    assert_exact(schedule_rate(&s, 19), 0.5);
}

static void wsd_has_corners(void **state)
{
    (void)state;
    struct schedule s = {.kind = SCHEDULE_KIND_WSD, .peak = 1.0, .steps = 8};
    assert_exact(schedule_rate(&s, 7), 1.0); /* nothing decays */
    assert_exact(schedule_rate(&s, 8), 1.0);
    s.decay_fraction = 0.125; /* the last step alone */
    assert_exact(schedule_rate(&s, 6), 1.0);
    assert_exact(schedule_rate(&s, 7), 0.0);
    s.decay_fraction = 1; /* the same as linear */
    struct schedule line = {.kind = SCHEDULE_KIND_LINEAR, .peak = 1.0, .steps = 8};
    for (int64_t step = 0; step < 10; step++)
        assert_exact(schedule_rate(&s, step), schedule_rate(&line, step));
    s.warmup_steps = 8; /* all warm-up */
    assert_exact(schedule_rate(&s, 7), 1.0);
    s.steps = 0;
    s.warmup_steps = 0;
    assert_exact(schedule_rate(&s, 0), 1.0);
}

static void names_are_those_of_the_settings(void **state)
{
    (void)state;
    enum schedule_kind kind = SCHEDULE_KIND_COSINE;
    enum decay_shape shape = DECAY_SHAPE_LINEAR;
    assert_true(schedule_kind_parse(&kind, "wsd"));
    assert_int_equal(kind, SCHEDULE_KIND_WSD);
    assert_true(schedule_kind_parse(&kind, "cosine"));
    assert_int_equal(kind, SCHEDULE_KIND_COSINE);
    assert_true(schedule_kind_parse(&kind, "linear"));
    assert_true(schedule_kind_parse(&kind, "constant"));
    assert_false(schedule_kind_parse(&kind, ""));
    assert_int_equal(kind, SCHEDULE_KIND_CONSTANT);
    assert_true(decay_shape_parse(&shape, "sqrt"));
    assert_int_equal(shape, DECAY_SHAPE_SQRT);
    assert_false(decay_shape_parse(&shape, "cosine"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cosine_warms_up_and_falls_along_a_cosine),
        cmocka_unit_test(cosine_of_no_or_all_warm_up_is_defined),
        cmocka_unit_test(cosine_keeps_its_bits),
        cmocka_unit_test(linear_falls_by_the_same_each_step),
        cmocka_unit_test(constant_stays_at_the_peak),
        cmocka_unit_test(wsd_is_stable_until_its_decay),
        cmocka_unit_test(wsd_has_corners),
        cmocka_unit_test(names_are_those_of_the_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
