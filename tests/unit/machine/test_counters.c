/* The processor's counters, or why there are none. */
#include "cmocka_setup.h"
#include "machine/counters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static volatile unsigned sink;

static void work(unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        sink += i;
}

static double instructions_of(unsigned times)
{
    struct counters c;
    counters_open(&c);
    work(times);
    counters_read(&c);
    return c.value[COUNTER_INSTRUCTIONS];
}

static void each_has_a_value_or_a_reason(void **state)
{
    (void)state;
    struct counters c;
    counters_open(&c);
    work(1000000);
    counters_read(&c);
    for (int k = 0; k < COUNTER_COUNT; k++) {
        assert_int_equal(isnan(c.value[k]), c.why_not[k][0] != '\0');
        if (c.why_not[k][0])
            printf("%s: not available: %s\n", counter_key[k], c.why_not[k]);
    }
}

static void more_work_is_more_instructions(void **state)
{
    (void)state;
    double less = instructions_of(1000000), more = instructions_of(4000000);
    if (isnan(less))
        skip();
    assert_true(more > 2 * less);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_a_value_or_a_reason),
        cmocka_unit_test(more_work_is_more_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
