/* How often the test of a change says so where there is none, and where there is one. The
 * draws are seeded: the counts are the same every time. */
#include "cmocka_setup.h"
#include "history/change_point.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { SERIES = 400, POINTS = 20 };

static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* Machines are rarely normal: a tail of slow ones. */
static double with_tail(void)
{
    return uniform() < 0.1 ? 5 * fabs(normal()) : normal();
}

static int told(double (*noise)(void), size_t n, size_t from, size_t to, double step)
{
    int count = 0;
    for (int s = 0; s < SERIES; s++) {
        double v[64];
        size_t at = from + (size_t)(uniform() * (double)(to - from + 1));
        for (size_t i = 0; i < n; i++)
            v[i] = log(1 + 0.01 * noise() + (i >= at ? step : 0));
        struct change_point c = change_point_find(v, n);
        bool up = !step || change_point_shift(v, 0, c.begin, c.end) > 0;
        count += c.p <= CHANGE_POINT_ALPHA && up;
    }
    return count;
}

/* 5 % of 400 are 20; a count of 20 has a standard deviation of 4.4, so three of them. */
static void equal_series_are_told_apart_in_5_percent(void **ctx)
{
    (void)ctx;
    state = 7;
    static const size_t lengths[] = {8, 12, 20};
    for (size_t i = 0; i < 3; i++) {
        int plain = told(normal, lengths[i], 0, 0, 0),
            tail = told(with_tail, lengths[i], 0, 0, 0);
        printf("%zu points, no change: told in %d and %d of %d\n", lengths[i], plain,
               tail, SERIES);
        assert_true(plain <= 33 && tail <= 33);
        assert_true(plain >= 1 && tail >= 1); /* it is not asleep either */
    }
}

static void three_percent_in_noise_of_one_is_found(void **ctx)
{
    (void)ctx;
    state = 7;
    int middle = told(normal, POINTS, 10, 10, 0.03),
        anywhere = told(normal, POINTS, 5, 15, 0.03);
    printf("+3 %% in 1 %%: found in %d in the middle, %d at 5 to 15, of %d\n", middle,
           anywhere, SERIES);
    assert_true(middle >= SERIES * 9 / 10);
    assert_true(anywhere >= SERIES * 9 / 10);
}

static void a_clear_step_is_placed_and_sized(void **ctx)
{
    (void)ctx;
    double v[12] = {1, 1.1, 1, 0.9, 1, 1.05, 2, 2.1, 2, 1.9, 2.02, 2};
    struct change_point c = change_point_find(v, 12);
    assert_int_equal(c.begin, 6);
    assert_int_equal(c.end, 12);
    assert_true(c.p < 0.01);
    assert_true(fabs(change_point_shift(v, 0, 6, 12) - 1) < 0.05);
    struct change_point again = change_point_find(v, 12);
    assert_true(c.p == again.p);
}

static void a_change_that_was_taken_back_is_seen(void **ctx)
{
    (void)ctx;
    double v[18] = {1,   1.1,  1, 0.9, 1.02, 1.05, 2,   2.1, 2,
                    1.9, 2.02, 2, 1,   1.1,  1,    0.9, 1,   1.05};
    struct change_point c = change_point_find(v, 18);
    assert_int_equal(c.begin, 6);
    assert_int_equal(c.end, 12);
    assert_true(c.p < 0.01);
}

static void equal_and_few_values_tell_nothing(void **ctx)
{
    (void)ctx;
    double same[20] = {0}, few[7] = {1, 1, 1, 1, 9, 9, 9};
    assert_true(change_point_find(same, 20).p == 1);
    assert_true(isnan(change_point_find(few, 7).p));
    assert_true(isnan(change_point_find(few, 0).p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_series_are_told_apart_in_5_percent),
        cmocka_unit_test(three_percent_in_noise_of_one_is_found),
        cmocka_unit_test(a_clear_step_is_placed_and_sized),
        cmocka_unit_test(a_change_that_was_taken_back_is_seen),
        cmocka_unit_test(equal_and_few_values_tell_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
