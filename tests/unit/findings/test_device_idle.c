/* When the device is idle, and which thread of the host accounts for it. */
#include "asked.h"

#include "evidence/account.h"
#include "evidence/stretches.h"

#include <math.h>
#include <string.h>

static struct stretches made(const int64_t *ns, size_t n)
{
    struct stretches s = {0};
    for (size_t i = 0; i < n; i++)
        stretches_add(&s, ns[2 * i], ns[2 * i + 1]);
    stretches_settle(&s);
    return s;
}

static void assert_is(struct stretches *s, const int64_t *ns, size_t n)
{
    assert_int_equal(s->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(s->at[i].begin_ns, ns[2 * i]);
        assert_int_equal(s->at[i].end_ns, ns[2 * i + 1]);
    }
    stretches_release(s);
}

static void sets_of_moments_are_cut_and_joined(void **state)
{
    (void)state;
    const int64_t a_ns[] = {50, 60, 0,  20,
                            10, 30, 40, 40}; /* joined, ordered, not empty */
    const int64_t b_ns[] = {5, 12, 12, 14, 25, 55};
    struct stretches a = made(a_ns, 4), b = made(b_ns, 3), none = {0};
    struct stretches in = stretches_in(&a, &b), out = stretches_without(&a, &b);
    struct stretches all = stretches_without(&a, &none);
    assert_true(stretches_ns(&a) == 40);
    assert_is(&in, (const int64_t[]){5, 14, 25, 30, 50, 55}, 3);
    assert_is(&out, (const int64_t[]){0, 5, 14, 25, 55, 60}, 3);
    assert_is(&all, (const int64_t[]){0, 30, 50, 60}, 2);
    assert_is(&b, (const int64_t[]){5, 14, 25, 55}, 2);
    stretches_release(&a);
}

static const struct account_part *part_with(const struct account *a, const char *text)
{
    for (size_t i = 0; i < a->n; i++)
        if (strstr(a->part[i].what, text))
            return &a->part[i];
    fail_msg("no part of %zu says \"%s\"", a->n, text);
    return NULL;
}

/* Steps of 1,000 us: the main thread is in a frame of 900 us and does nothing itself;
 * autograd's thread frees memory for 600 us, then launches. A third thread, which
 * launches nothing, is in an operator all the time. */
static void idleness_is_told_by_the_thread_that_works(void **state)
{
    (void)state;
    struct timeline t;
    timeline_init(&t, "Example GPU");
    for (int k = 0; k < 4; k++) {
        double at_us = 1000.0 * k;
        timeline_step(&t, k, at_us, 1000);
        timeline_event(&t, "python_function", "train.py(3): backward", 1, TIMELINE_THREAD,
                       at_us + 50, 900, "");
        timeline_event(&t, "cuda_runtime", "cudaFree", 1, TIMELINE_AUTOGRAD, at_us + 100,
                       600, "");
        timeline_launch_on(&t, TIMELINE_AUTOGRAD, TIMELINE_STREAM, "cudaLaunchKernel",
                           at_us + 710, 10, "gemm", at_us + 725, 200, 0);
        timeline_event(&t, "cpu_op", "aten::pin_memory", 1, 9, at_us, 999, "");
    }
    struct asked a = ask(&t);
    const struct account *x = &a.findings->account;
    assert_float_equal(part_with(x, "runs cudaFree")->ns, 600e3, 5e3);
    for (size_t i = 0; i < x->n; i++)
        assert_null(strstr(x->part[i].what, "pin_memory"));
    assert_float_equal(part_with(x, "is in train.py(3): backward")->ns, 90e3, 15e3);
    asked_release(&a);
}

/* A graph's launch with one recorded kernel, and a gap that no launch explains. */
static void gaps_beside_launched_graphs_are_not_called_idle(void **state)
{
    (void)state;
    struct timeline t;
    timeline_init(&t, "Example GPU");
    for (int k = 0; k < 4; k++) {
        double at_us = 1000.0 * k;
        timeline_step(&t, k, at_us, 1000);
        timeline_launch(&t, "cudaGraphLaunch", at_us + 10, 8, "first of the graph",
                        at_us + 20, 100, 0);
        for (int i = 0; i < 6; i++)
            timeline_launch(&t, "cudaLaunchKernel", at_us + 20 + 5 * i, 4, "behind it",
                            at_us + 620 + 50 * i, 49, 0);
        timeline_call(&t, "cudaDeviceSynchronize", at_us + 50, 875);
    }
    struct asked a = ask(&t);
    const struct account_part *p =
        part_with(&a.findings->account, "beside launched CUDA graphs");
    assert_non_null(strstr(p->what, "cudaDeviceSynchronize"));
    assert_float_equal(p->ns, 500e3, 5e3);
    asked_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_of_moments_are_cut_and_joined),
        cmocka_unit_test(idleness_is_told_by_the_thread_that_works),
        cmocka_unit_test(gaps_beside_launched_graphs_are_not_called_idle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
