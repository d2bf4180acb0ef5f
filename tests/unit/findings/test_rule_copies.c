#include "asked.h"

static const char PAGEABLE_IN[] = "Memcpy HtoD (Pageable -> Device)";
static const char PINNED_IN[] = "Memcpy HtoD (Pinned -> Device)";
static const char PAGEABLE_OUT[] = "Memcpy DtoH (Device -> Pageable)";

/* Steps of 1,000 us: a batch is copied in 300 us, then 500 us of kernels. */
static void write_steps(struct timeline *t, const char *copy, bool blocks)
{
    timeline_init(t, "Example GPU");
    for (int k = 0; k < 6; k++) {
        double at_us = 1000.0 * k;
        timeline_step(t, k, at_us, 1000);
        timeline_op(t, "aten::copy_", at_us + 5, blocks ? 330 : 20);
        timeline_launch(t, "cudaMemcpyAsync", at_us + 10, blocks ? 320 : 10, copy,
                        at_us + 25, 300, 3e6);
        for (int i = 0; i < 5; i++)
            timeline_launch(t, "cudaLaunchKernel", at_us + 400 + 20 * i, 8, "gemm",
                            at_us + 410 + 102 * i, 100, 0);
    }
}

static void a_blocking_copy_in_every_step_is_told_with_its_missing_cost(void **state)
{
    struct timeline t;
    write_steps(&t, PAGEABLE_IN, true);
    struct asked a = ask(&t);
    const struct finding *x = must_tell(&a, "blocking-copy");
    assert_string_equal(x->where, "aten::copy_");
    assert_true(x->holds_ns > 310e3 && x->holds_ns < 330e3);
    assert_true(x->gain_ns > 100e3 && x->gain_ns <= 330e3);
    assert_non_null(strstr(x->missing, "cudaHostAlloc"));
    assert_true(x->gain_low_ns < x->gain_ns);
    assert_null(told(&a, "host-wait")); /* one cause, told once */
    asked_release(&a);
    (void)state;
}

static void copies_that_return_at_once_are_left_alone(void **state)
{
    struct timeline t;
    write_steps(&t, PINNED_IN, false);
    struct asked a = ask(&t);
    assert_null(told(&a, "blocking-copy"));
    assert_null(told(&a, "pageable-copy"));
    asked_release(&a);
    (void)state;
}

/* No steps: 4 ms of kernels, one copy of a large batch for 6 ms, 4 ms of kernels. busy:
 * the copy waits for the kernels before it, and the next ones were launched already. */
static struct asked ask_one_copy(struct timeline *t, bool busy)
{
    double copy_us = busy ? 200 : 4200;
    timeline_init(t, "Example GPU");
    for (int i = 0; i < 4; i++)
        timeline_launch(t, "cudaLaunchKernel", 10 + 20 * i, 8, "gemm", 20 + 1002 * i,
                        1000, 0);
    timeline_op(t, "aten::copy_", copy_us, 10250 - copy_us);
    timeline_launch(t, "cudaMemcpyAsync", copy_us + 10, 10220 - copy_us, PAGEABLE_IN,
                    4230, 6000, 6e7);
    for (int i = 0; i < 4; i++)
        timeline_launch_on(t, TIMELINE_THREAD, busy ? 8 : TIMELINE_STREAM,
                           "cudaLaunchKernel", busy ? 110 + 20 * i : 13300 + 20 * i, 8,
                           "gemm", busy ? 4240 + 1502 * i : 13310 + 1002 * i,
                           busy ? 1500 : 1000, 0);
    return ask(t);
}

static void one_long_copy_is_told_without_steps(void **state)
{
    struct timeline t;
    struct asked a = ask_one_copy(&t, false);
    const struct finding *x = must_tell(&a, "blocking-copy");
    assert_true(x->holds_ns > 5900e3 && x->holds_ns < 6100e3);
    asked_release(&a);
    (void)state;
}

static void a_copy_that_a_busy_device_holds_up_is_no_cause(void **state)
{
    struct timeline t;
    struct asked a = ask_one_copy(&t, true);
    assert_null(told(&a, "blocking-copy"));
    asked_release(&a);
    (void)state;
}

/* Much data that come back are moved, not looked at. */
static void results_that_block_are_copies_and_no_waits(void **state)
{
    struct timeline t;
    write_steps(&t, PAGEABLE_OUT, true);
    struct asked a = ask(&t);
    assert_non_null(told(&a, "blocking-copy"));
    assert_null(told(&a, "host-wait"));
    asked_release(&a);
    (void)state;
}

static void a_copy_within_the_device_blocks_nobody(void **state)
{
    struct timeline t;
    write_steps(&t, "Memcpy DtoD (Device -> Device)", true);
    struct asked a = ask(&t);
    assert_null(told(&a, "blocking-copy"));
    assert_null(told(&a, "host-wait"));
    asked_release(&a);
    (void)state;
}

/* The device waits for copies of 10 GB/s, beside pinned ones of 25 GB/s. */
static void pageable_memory_is_told_where_the_run_shows_a_faster_way(void **state)
{
    for (int pinned = 0; pinned < 2; pinned++) {
        struct timeline t;
        timeline_init(&t, "Example GPU");
        for (int k = 0; k < 6; k++) {
            double at_us = 1000.0 * k;
            timeline_step(&t, k, at_us, 1000);
            timeline_launch(&t, "cudaMemcpyAsync", at_us + 10, 10,
                            pinned ? PINNED_IN : PAGEABLE_IN, at_us + 25, 40, 1e6);
            timeline_launch(&t, "cudaMemcpyAsync", at_us + 30, 10, PAGEABLE_IN,
                            at_us + 75, 500, 5e6);
            timeline_launch(&t, "cudaLaunchKernel", at_us + 60, 8, "gemm", at_us + 577,
                            400, 0);
            timeline_call(&t, "cudaDeviceSynchronize", at_us + 80, 900);
        }
        struct asked a = ask(&t);
        const struct finding *x = told(&a, "pageable-copy");
        assert_int_equal(x != NULL, pinned);
        if (x) {
            assert_non_null(strstr(x->evidence, "10.0 GB/s"));
            assert_non_null(strstr(x->evidence, "25.0 GB/s"));
            assert_true(x->gain_ns > 200e3 && x->gain_ns <= 300e3);
            assert_non_null(strstr(x->missing, "cudaHostAlloc"));
        }
        asked_release(&a);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blocking_copy_in_every_step_is_told_with_its_missing_cost),
        cmocka_unit_test(one_long_copy_is_told_without_steps),
        cmocka_unit_test(a_copy_that_a_busy_device_holds_up_is_no_cause),
        cmocka_unit_test(copies_that_return_at_once_are_left_alone),
        cmocka_unit_test(results_that_block_are_copies_and_no_waits),
        cmocka_unit_test(a_copy_within_the_device_blocks_nobody),
        cmocka_unit_test(pageable_memory_is_told_where_the_run_shows_a_faster_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
