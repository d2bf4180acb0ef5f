/* host-work-first: what the main thread does before the first launch of a step. */
#include "asked.h"

/* Steps of 10 ms: a frame of `frame_ms` from the begin on, with `inside` in it, then 20
 * kernels of 200 us for which the host waits. busy: the GPU still works for the step
 * before while the frame runs. */
static struct asked ask_job(struct timeline *t, const char *frame, double frame_us,
                            const char *inside, bool busy)
{
    timeline_init(t, "Example GPU");
    for (int k = 0; k < 4; k++) {
        double at_us = 10000.0 * k, launch_us = at_us + frame_us + 20;
        timeline_step(t, k, at_us, 10000);
        timeline_event(t, "python_function", frame, 1, TIMELINE_THREAD, at_us + 5,
                       frame_us, "");
        if (inside)
            timeline_event(t, "python_function", inside, 1, TIMELINE_THREAD, at_us + 10,
                           frame_us - 20, "");
        for (int i = 0; i < 20; i++)
            timeline_launch(t, "cudaLaunchKernel", launch_us + 10 * i, 8, "gemm",
                            busy ? launch_us + 10 + 490 * i : launch_us + 10 + 201 * i,
                            busy ? 490 : 200, 0);
        if (!busy)
            timeline_call(t, "cudaDeviceSynchronize", launch_us + 210, 3900);
    }
    return ask(t);
}

static void preprocessing_before_the_first_launch_is_told(void **state)
{
    struct timeline t;
    struct asked a = ask_job(&t, "pipeline.py(12): preprocess", 5000, NULL, false);
    const struct finding *x = must_tell(&a, "host-work-first");
    assert_string_equal(x->where, "pipeline.py(12): preprocess");
    assert_float_equal(x->holds_ns, 5000e3, 50e3);
    assert_float_equal(x->gain_ns, 5000e3, 100e3);
    assert_true(x->gain_low_ns < x->gain_ns);
    asked_release(&a);
    (void)state;
}

static void is_silent(const char *frame, double frame_us, const char *inside, bool busy)
{
    struct timeline t;
    struct asked a = ask_job(&t, frame, frame_us, inside, busy);
    assert_null(told(&a, "host-work-first"));
    asked_release(&a);
}

static void short_work_and_work_beside_a_busy_gpu_are_left_alone(void **state)
{
    is_silent("pipeline.py(12): preprocess", 900, NULL, false);
    is_silent("pipeline.py(12): preprocess", 1500, NULL, true);
    (void)state;
}

static void what_has_to_stay_is_left_alone(void **state)
{
    static const char *const stays[] = {
        "nn.Module: Embedding_0",
        "torch/utils/data/dataloader.py(703): __next__",
        "torch/_dynamo/eval_frame.py(300): compile",
        "<built-in method acquire of _thread.lock object at 0x7f00>",
    };
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++)
        is_silent("train.py(12): main", 5000, stays[i], false);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(preprocessing_before_the_first_launch_is_told),
        cmocka_unit_test(short_work_and_work_beside_a_busy_gpu_are_left_alone),
        cmocka_unit_test(what_has_to_stay_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
