/* Which precision is faster is measured, never looked up. */
#include "engine/precision_timing.h"
#include "kernel_fixture.h"

static void both_precisions_are_timed_on_a_short_product(void **state)
{
    (void)state;
    static const struct linear shapes[] = {{.M = 96, .N = 48, .K = 32},
                                           {.M = 8192, .N = 50257, .K = 64}};
    engine_set_threads(2);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct precision_timing t;
        struct err err = ERR_INIT;
        assert_int_equal(precision_time(&t, "onednn", &shapes[i], &err), STATUS_OK);
        assert_true(t.rounds >= 3 && t.f32_ns > 0 && t.bf16_ns > 0);
        assert_int_equal(t.K, shapes[i].K);
        assert_true(t.M <= shapes[i].M && t.N <= shapes[i].N);
        assert_true(2.0 * (double)t.M * (double)t.N * (double)t.K <= 1 << 26);
    }
}

static void an_unknown_engine_times_nothing(void **state)
{
    (void)state;
    struct precision_timing t;
    struct err err = ERR_INIT;
    const struct linear l = {.M = 8, .N = 8, .K = 8};
    assert_int_equal(precision_time(&t, "none", &l, &err), STATUS_USAGE);
    assert_int_equal(t.rounds, 0);
    assert_false(precision_bf16_is_slower(&t));
}

static void slower_is_beyond_the_spread(void **state)
{
    (void)state;
    struct precision_timing t = {.f32_ns = 100, .bf16_ns = 250, .rounds = 5};
    assert_true(precision_bf16_is_slower(&t));
    t.bf16_ns = 105;
    assert_false(precision_bf16_is_slower(&t));
    t.bf16_ns = 20;
    assert_false(precision_bf16_is_slower(&t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_precisions_are_timed_on_a_short_product),
        cmocka_unit_test(an_unknown_engine_times_nothing),
        cmocka_unit_test(slower_is_beyond_the_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
