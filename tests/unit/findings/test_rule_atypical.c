/* atypical-recording: start-up, compiling and work from before the recording. */
#include "asked.h"

/* Kernels of 1 ms, one after another, from at_us on; the host runs ahead. */
static void write_work(struct timeline *t, double at_us, int n)
{
    for (int i = 0; i < n; i++)
        timeline_launch(t, "cudaLaunchKernel", at_us + 10 * i, 6, "gemm",
                        at_us + 20 + 1001 * i, 1000, 0);
    timeline_call(t, "cudaDeviceSynchronize", at_us + 10 * n, 1001.0 * n);
}

static void a_recording_of_the_start_is_told(void **state)
{
    struct timeline t;
    timeline_init(&t, "Example GPU");
    timeline_op(&t, "aten::mm", 0, 40000);
    timeline_call(&t, "cudaFree", 10, 39000);
    write_work(&t, 40100, 20);
    struct asked a = ask(&t);
    const struct finding *x = must_tell(&a, "atypical-recording");
    assert_string_equal(x->where, "aten::mm");
    assert_non_null(
        strstr(x->evidence, "39.0 ms of the recording pass in 1 driver call"));
    assert_non_null(strstr(x->evidence, "the longest: cudaFree"));
    assert_true(x->unpriced && x->gain_ns == 0);
    assert_null(told(&a, "allocator-churn")); /* nobody knows of other steps */
    asked_release(&a);
    (void)state;
}

/* A copy that is done only after 50 ms in which nothing runs. */
static struct asked ask_backlog(struct timeline *t, const char *before)
{
    timeline_init(t, "Example GPU");
    timeline_step(t, 0, 0, 80000);
    timeline_launch(t, before, 10, 6, "add", 49900, 5, 0);
    timeline_launch(t, "cudaMemcpyAsync", 100, 49850, "Memcpy HtoD (Pageable -> Device)",
                    49910, 5, 60);
    write_work(t, 50000, 20);
    return ask(t);
}

static void a_wait_for_work_from_before_the_recording_is_told(void **state)
{
    struct timeline t;
    struct asked a = ask_backlog(&t, "cudaLaunchKernel");
    const struct finding *x = must_tell(&a, "atypical-recording");
    assert_non_null(strstr(x->evidence, "of before the recording"));
    assert_null(told(&a, "blocking-copy")); /* the GPU was busy */
    asked_release(&a);
    a = ask_backlog(&t, "cudaGraphLaunch"); /* its kernels may not be recorded */
    assert_null(told(&a, "atypical-recording"));
    asked_release(&a);
    (void)state;
}

static void what_each_step_does_is_no_start_up(void **state)
{
    struct timeline t;
    timeline_init(&t, "Example GPU");
    for (int k = 0; k < 4; k++) {
        timeline_step(&t, k, 50000.0 * k, 50000);
        timeline_call(&t, "cudaFree", 50000.0 * k + 10, 20000);
        write_work(&t, 50000.0 * k + 20100, 20);
    }
    struct asked a = ask(&t);
    assert_null(told(&a, "atypical-recording"));
    asked_release(&a);
    (void)state;
}

/* Threads that wait for one lock of the driver pass the same time. */
static void calls_side_by_side_count_once(void **state)
{
    struct timeline t;
    timeline_init(&t, "Example GPU");
    for (int thread = 1; thread <= 3; thread++)
        timeline_event(&t, "cuda_runtime", "cudaFree", 1, thread, 10, 20000, "");
    write_work(&t, 20100, 20);
    struct asked a = ask(&t);
    assert_float_equal(must_tell(&a, "atypical-recording")->holds_ns, 20000e3, 1e3);
    asked_release(&a);
    (void)state;
}

static void a_warm_job_is_left_alone(void **state)
{
    struct timeline t;
    timeline_init(&t, "Example GPU");
    timeline_call(&t, "cudaMalloc", 10, 300);
    write_work(&t, 400, 20);
    struct asked a = ask(&t);
    assert_null(told(&a, "atypical-recording"));
    asked_release(&a);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_of_the_start_is_told),
        cmocka_unit_test(a_wait_for_work_from_before_the_recording_is_told),
        cmocka_unit_test(what_each_step_does_is_no_start_up),
        cmocka_unit_test(calls_side_by_side_count_once),
        cmocka_unit_test(a_warm_job_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
