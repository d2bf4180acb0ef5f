#include "cmocka_setup.h"

#include "trace/decimal.h"

#include <string.h>

static int64_t ns_of(const char *us)
{
    int64_t v = -77;
    if (!decimal_to_int64(&v, us, strlen(us), 3))
        fail_msg("\"%s\" is a number", us);
    return v;
}

static bool is_refused(const char *s)
{
    int64_t v = -77;
    bool good = decimal_to_int64(&v, s, strlen(s), 3);
    assert_int_equal(v == -77, !good);
    return !good;
}

static void integer_microseconds_are_exact(void **state)
{
    (void)state;
    assert_int_equal(ns_of("0"), 0);
    assert_int_equal(ns_of("1"), 1000);
    assert_int_equal(ns_of("-5"), -5000);
    assert_int_equal(ns_of("1712195495519689"), INT64_C(1712195495519689000));
    assert_int_equal(ns_of("0001"), 1000);
}

static void fractional_epoch_microseconds_keep_every_digit(void **state)
{
    (void)state;
    /* a double holds 1712195495519689.123 only to a quarter of a microsecond */
    assert_int_equal(ns_of("1712195495519689.123"), INT64_C(1712195495519689123));
    assert_int_equal(ns_of("1712195495519689.001"), INT64_C(1712195495519689001));
    assert_int_equal(ns_of("4203669604595.407"), INT64_C(4203669604595407));
    assert_int_equal(ns_of("-0.001"), -1);
    assert_int_equal(ns_of(".5"), 500);
    assert_int_equal(ns_of("5."), 5000);
}

static void digits_below_a_nanosecond_are_rounded(void **state)
{
    (void)state;
    assert_int_equal(ns_of("0.0005"), 1);
    assert_int_equal(ns_of("0.00049999999999999999999"), 0);
    assert_int_equal(ns_of("-0.0005"), -1);
    assert_int_equal(ns_of("0.00006"), 0);
    assert_int_equal(ns_of("848671.6747283936"), 848671675);
    assert_int_equal(ns_of("1.0000000000000000000000000000000000001"), 1000);
}

static void exponents_move_the_point(void **state)
{
    (void)state;
    assert_int_equal(ns_of("1e3"), 1000000);
    assert_int_equal(ns_of("1.5E+2"), 150000);
    assert_int_equal(ns_of("25e-1"), 2500);
    assert_int_equal(ns_of("1e-999999999999999999999"), 0);
    assert_int_equal(ns_of("0e999999999"), 0);
}

static void numbers_at_the_edge_fit_and_beyond_are_refused(void **state)
{
    (void)state;
    assert_int_equal(ns_of("9223372036854775.807"), INT64_MAX);
    assert_true(is_refused("9223372036854775.808"));
    assert_true(is_refused("1e30"));
    assert_true(is_refused("123456789012345678901234567890"));
    assert_true(is_refused("1e999999999999999999999"));
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",      "-",   ".",    "e5",  "1e",
                                      "1e+",   "nan", "inf",  "0x1", "1 2",
                                      "1.2.3", "--1", "null", "1e5x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(is_refused(bad[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_microseconds_are_exact),
        cmocka_unit_test(fractional_epoch_microseconds_keep_every_digit),
        cmocka_unit_test(digits_below_a_nanosecond_are_rounded),
        cmocka_unit_test(exponents_move_the_point),
        cmocka_unit_test(numbers_at_the_edge_fit_and_beyond_are_refused),
        cmocka_unit_test(what_is_no_number_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
