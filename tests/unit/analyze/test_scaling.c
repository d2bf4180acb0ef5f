/* Exponents of known powers, with and without noise. */
#include "analyze/scaling.h"
#include "cmocka_setup.h"

#include <math.h>

static void a_power_is_found(void **state)
{
    (void)state;
    const double x[] = {1, 2, 4, 8}, y[] = {3, 12, 48, 192};
    struct scaling s = scaling_fit(x, y, 4);
    assert_float_equal(s.exponent, 2, 1e-12);
    assert_float_equal(s.low, 2, 1e-6);
    assert_float_equal(s.high, 2, 1e-6);
    assert_true(s.error_frac < 1e-9);
}

/* 1 % up and down in turns: the slope of the noise itself, by hand, is -0.00577. */
static void noise_widens_the_interval(void **state)
{
    (void)state;
    const double x[] = {1, 2, 4, 8}, y[] = {1.01, 1.98, 4.04, 7.92};
    struct scaling s = scaling_fit(x, y, 4);
    assert_float_equal(s.exponent, 0.9942, 5e-4);
    assert_true(s.low < 1 && s.high > 1 && s.high - s.low < 0.1);
    assert_true(s.error_frac > 0.008 && s.error_frac < 0.02);
}

static void what_cannot_be_fitted_is_not(void **state)
{
    (void)state;
    const double x[] = {2, 2, 2}, y[] = {1, 2, 3}, zero[] = {1, 0, 3};
    assert_true(isnan(scaling_fit(x, y, 3).exponent));
    assert_true(isnan(scaling_fit(y, zero, 3).exponent));
    assert_true(isnan(scaling_fit(y, y, 1).exponent));
    struct scaling two = scaling_fit(y, y, 2);
    assert_float_equal(two.exponent, 1, 1e-12);
    assert_true(isnan(two.low) && isnan(two.high));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_power_is_found),
        cmocka_unit_test(noise_widens_the_interval),
        cmocka_unit_test(what_cannot_be_fitted_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
