/* Two that are simulated, with the noise of a shared machine: drift, outliers, spread. */
#include "cmocka_setup.h"
#include "verify/ab_time.h"

#include <math.h>
#include <stdbool.h>

struct simulated {
    uint64_t state; /* of the random numbers */
    double slower;  /* the second */
    double drift, at;
    double spread;
    bool fails;
    int blocks; /* that there are; 0: as many as are asked for */
    int given;
};

static double uniform(struct simulated *s)
{
    s->state = s->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(s->state >> 11) / (double)(UINT64_C(1) << 53);
}

/* 1 ms, a spread of half a percent or more, an outlier of 30 % in 20, a slow wave. */
static enum status block(void *context, int side, double *step_ns, struct err *err)
{
    struct simulated *s = context;
    double normal = uniform(s) + uniform(s) + uniform(s) + uniform(s) - 2;
    s->at += s->drift;
    *step_ns =
        1e6 * (1 + s->spread * normal + 0.05 * sin(s->at)) * (side ? 1 + s->slower : 1);
    if (uniform(s) < 0.05)
        *step_ns *= 1.3;
    if (s->blocks && s->given++ == s->blocks)
        *step_ns = NAN;
    return s->fails ? err_set(err, STATUS_FAILED, "no step") : STATUS_OK;
}

static struct ab_time compare(uint64_t seed, double slower)
{
    struct simulated s = {
        .state = seed * 77 + 5, .slower = slower, .drift = 0.01, .spread = 0.02};
    struct ab_subject subject = {block, &s};
    struct ab_options o = {.budget_s = 60, .narrow = 0.004, .decides = 0.02};
    struct ab_time t;
    struct err err = ERR_INIT;
    assert_int_equal(ab_time_run(&t, &subject, &o, &err), STATUS_OK);
    return t;
}

static int times_told(double slower, int which, int runs)
{
    int n = 0;
    for (int i = 0; i < runs; i++) {
        struct ab_time t = compare((uint64_t)i, slower);
        n += ab_told(&t) == which;
    }
    return n;
}

static void equal_ones_are_rarely_told_apart(void **state)
{
    (void)state;
    int slower = times_told(0, 1, 400), faster = times_told(0, -1, 400);
    print_message("of 400 equal pairs: slower %d, faster %d\n", slower, faster);
    assert_true(slower + faster <= 24); /* 5 % and what chance adds */
}

/* Noise that no look ever finds narrow: of 288 pairs six looks are taken, and count. */
static void six_looks_are_as_honest_as_one(void **state)
{
    (void)state;
    enum { SIX_LOOKS = 288 };
    int told = 0;
    for (uint64_t i = 0; i < 400; i++) {
        struct simulated s = {
            .state = i * 91 + 7, .spread = 0.3, .blocks = 4 * SIX_LOOKS};
        struct ab_subject subject = {block, &s};
        struct ab_options o = {.budget_s = 600};
        struct ab_time t;
        struct err err = ERR_INIT;
        assert_int_equal(ab_time_run(&t, &subject, &o, &err), STATUS_OK);
        told += ab_told(&t) != 0;
        assert_true(ab_told(&t) || t.pairs == SIX_LOOKS);
    }
    print_message("of 400 equal pairs, looked at six times: told apart %d\n", told);
    assert_true(told <= 20);
}

static void slow_downs_are_told(void **state)
{
    (void)state;
    int three = times_told(0.03, 1, 100), one = times_told(0.01, 1, 100);
    print_message("of 100: 3 %% told %d times, 1 %% %d times\n", three, one);
    assert_true(three >= 98);
    assert_true(one >= 60);
    assert_int_equal(times_told(0.03, -1, 100), 0);
}

static void the_interval_holds_the_truth(void **state)
{
    (void)state;
    int held = 0;
    for (int i = 0; i < 200; i++) {
        struct ab_time t = compare((uint64_t)(1000 + i), 0.1);
        held += t.low <= 0.1 && 0.1 <= t.high;
        assert_true(t.low <= t.change && t.change <= t.high);
        assert_true(t.pairs >= 16);
    }
    assert_true(held >= 185);
}

static void without_time_nothing_is_told(void **state)
{
    (void)state;
    struct simulated s = {.state = 1, .slower = 0.5, .spread = 0.001};
    struct ab_subject subject = {block, &s};
    struct ab_options o = {.budget_s = 0, .narrow = 0.004};
    struct ab_time t;
    struct err err = ERR_INIT;
    assert_int_equal(ab_time_run(&t, &subject, &o, &err), STATUS_OK);
    assert_int_equal(t.pairs, 1);
    assert_int_equal(ab_told(&t), 0);
}

static void a_failed_block_ends_it(void **state)
{
    (void)state;
    struct simulated s = {.state = 1, .fails = true};
    struct ab_subject subject = {block, &s};
    struct ab_options o = {.budget_s = 60};
    struct ab_time t;
    struct err err = ERR_INIT;
    assert_int_equal(ab_time_run(&t, &subject, &o, &err), STATUS_FAILED);
}

/* What was gathered stands: of 50 blocks 12 pairs, the last two blocks make no pair. */
static void the_end_of_the_blocks_ends_it(void **state)
{
    (void)state;
    struct simulated s = {.state = 1, .slower = 0.5, .spread = 0.02, .blocks = 50};
    struct ab_subject subject = {block, &s};
    struct ab_options o = {.budget_s = 60, .narrow = 1e-9, .decides = 0.5};
    struct ab_time t;
    struct err err = ERR_INIT;
    assert_int_equal(ab_time_run(&t, &subject, &o, &err), STATUS_OK);
    assert_int_equal(t.pairs, 12);
    assert_int_equal(ab_told(&t), 1);
    s = (struct simulated){.state = 1, .blocks = 3};
    assert_int_equal(ab_time_run(&t, &subject, &o, &err), STATUS_OK);
    assert_int_equal(t.pairs, 0);
    assert_int_equal(ab_told(&t), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_ones_are_rarely_told_apart),
        cmocka_unit_test(six_looks_are_as_honest_as_one),
        cmocka_unit_test(slow_downs_are_told),
        cmocka_unit_test(the_interval_holds_the_truth),
        cmocka_unit_test(without_time_nothing_is_told),
        cmocka_unit_test(a_failed_block_ends_it),
        cmocka_unit_test(the_end_of_the_blocks_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
