#include "asked.h"

/* Steps of `launches` calls, one in 40 us, each of a kernel of `work_us`. */
static void write_steps(struct timeline *t, int launches, double work_us)
{
    double free_us = 0;
    timeline_init(t, "Example GPU");
    for (int k = 0; k < 5; k++) {
        double at_us = 40.0 * launches * k;
        timeline_step(t, k, at_us, 40.0 * launches);
        for (int i = 0; i < launches; i++) {
            double call_us = at_us + 40 * i + 10, begin_us = call_us + 6;
            begin_us = begin_us > free_us ? begin_us : free_us;
            timeline_op(t, i % 2 ? "aten::mul" : "aten::add", call_us - 5, 30);
            timeline_launch(t, "cudaLaunchKernel", call_us, 8, i % 2 ? "mul" : "add",
                            begin_us, work_us, 0);
            free_us = begin_us + work_us + 1;
        }
    }
}

static void short_kernels_far_apart_are_told_as_an_interval(void **state)
{
    struct timeline t;
    write_steps(&t, 50, 5);
    struct asked a = ask(&t);
    const struct finding *x = must_tell(&a, "launch-bound");
    assert_non_null(strstr(x->evidence, "every 40.0 us"));
    /* all of the host's work gone: the kernels' 50 x (5 + gap) us of 2,000 stay */
    assert_true(x->ceiling_ns > 1500e3 && x->ceiling_ns < 1800e3);
    assert_true(x->gain_ns > 0.4 * x->ceiling_ns && x->gain_ns < 0.6 * x->ceiling_ns);
    assert_true(x->gain_high_ns <= x->ceiling_ns);
    assert_true(x->gain_low_ns < 0.6 * x->gain_ns);
    assert_true(x->price == PRICE_MODELLED && *x->missing);
    asked_release(&a);
    (void)state;
}

static void kernels_that_keep_the_device_busy_are_left_alone(void **state)
{
    struct timeline t;
    write_steps(&t, 50, 39);
    struct asked a = ask(&t);
    assert_null(told(&a, "launch-bound"));
    asked_release(&a);
    (void)state;
}

static void a_few_launches_are_left_alone(void **state)
{
    struct timeline t;
    write_steps(&t, 6, 5);
    struct asked a = ask(&t);
    assert_null(told(&a, "launch-bound"));
    asked_release(&a);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_kernels_far_apart_are_told_as_an_interval),
        cmocka_unit_test(kernels_that_keep_the_device_busy_are_left_alone),
        cmocka_unit_test(a_few_launches_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
