#include "asked.h"

/* Steps of 1,000 us with 4 kernels of 100 us; `calls` of the allocator of 60 us each
 * stand before every kernel in the steps from `first` on. */
static void write_steps(struct timeline *t, const char *const *call, int calls, int last)
{
    timeline_init(t, "Example GPU");
    for (int k = 0; k < 6; k++) {
        double at_us = 1000.0 * k, kernel_us = at_us;
        timeline_step(t, k, at_us, 1000);
        for (int i = 0; i < 4; i++) {
            double now_us = at_us + 10 + 220 * i;
            for (int c = 0; c < calls && k <= last; c++, now_us += 62)
                timeline_call(t, call[c], now_us, 60);
            kernel_us = now_us + 10;
            timeline_launch(t, "cudaLaunchKernel", now_us, 8, "gemm", kernel_us, 30, 0);
        }
    }
}

static const char *const both[] = {"cudaMalloc", "cudaFree"};

static void memory_taken_and_given_back_in_every_step_is_told(void **state)
{
    struct timeline t;
    write_steps(&t, both, 2, 5);
    struct asked a = ask(&t);
    const struct finding *x = must_tell(&a, "allocator-churn");
    assert_true(x->holds_ns > 470e3 && x->holds_ns < 490e3);
    assert_true(x->gain_ns > 400e3 && x->gain_ns < 500e3);
    asked_release(&a);
    (void)state;
}

static void the_first_step_may_take_its_memory(void **state)
{
    struct timeline t;
    write_steps(&t, both, 2, 0);
    struct asked a = ask(&t);
    assert_null(told(&a, "allocator-churn"));
    asked_release(&a);
    (void)state;
}

static void memory_that_is_only_taken_is_left_alone(void **state)
{
    struct timeline t;
    write_steps(&t, both, 1, 5);
    struct asked a = ask(&t);
    assert_null(told(&a, "allocator-churn"));
    asked_release(&a);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_taken_and_given_back_in_every_step_is_told),
        cmocka_unit_test(the_first_step_may_take_its_memory),
        cmocka_unit_test(memory_that_is_only_taken_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
