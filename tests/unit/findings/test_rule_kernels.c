/* kernels-unfused: passes over memory on a GPU. */
#include "asked.h"

/* What a step of the job is made of. */
struct job {
    const char *kernel, *call, *mark;
    bool shapes;
    int chain; /* kernels between two products */
};

static const char eager[] =
    "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor<float>>";

static void write_op(struct timeline *t, const struct job *job, double at_us,
                     const char *kernel, double work_at_us, double work_us)
{
    timeline_event(t, "cpu_op", "aten::mul", 1, TIMELINE_THREAD, at_us, 10,
                   job->shapes ? "\"Input Dims\": [[4096,4096],[4096,4096]], "
                                 "\"Input type\": [\"float\", \"float\"]"
                               : "");
    timeline_launch(t, job->call, at_us + 1, 6, kernel, work_at_us, work_us, 0);
}

/* Steps of 2,000 us: a product of 100 us and a chain of passes of 80 us, in turns; the
 * host runs ahead and waits. */
static struct asked ask_job(struct timeline *t, const struct job *job)
{
    timeline_init(t, "Example GPU");
    for (int k = 0; k < 4; k++) {
        double step_us = 2000.0 * k, at_us = step_us + 5, work_us = step_us + 30;
        timeline_step(t, k, step_us, 2000);
        if (job->mark)
            timeline_event(t, "user_annotation", job->mark, 1, TIMELINE_THREAD, at_us,
                           400, "");
        for (int i = 0; work_us < step_us + 1800; i++) {
            bool product = i % (job->chain + 1) == 0;
            double us = product ? 100 : 80;
            write_op(t, job, at_us + 15 * i + 1,
                     product ? "ampere_sgemm_128x64_nn" : job->kernel, work_us, us);
            work_us += us + 1;
        }
        timeline_call(t, "cudaDeviceSynchronize", step_us + 450, work_us - step_us - 445);
    }
    return ask(t);
}

static void a_chain_of_passes_is_told_with_a_price(void **state)
{
    struct timeline t;
    struct asked a = ask_job(
        &t, &(struct job){eager, "cudaLaunchKernel", NULL, .shapes = true, .chain = 6});
    const struct finding *x = must_tell(&a, "kernels-unfused");
    assert_string_equal(x->where, "aten::mul");
    assert_non_null(strstr(x->evidence, "each of which one fused kernel could replace"));
    assert_false(x->unpriced);
    assert_int_equal(x->price, PRICE_MODELLED);
    /* of three chains of six passes, one pass of each stays */
    assert_true(x->gain_ns > 0.5 * x->holds_ns && x->gain_ns < x->holds_ns);
    assert_true(x->low_frac <= 0.5 && x->high_frac >= 1);
    asked_release(&a);
    (void)state;
}

static void without_shapes_it_says_what_it_holds_and_no_price(void **state)
{
    struct timeline t;
    struct asked a =
        ask_job(&t, &(struct job){eager, "cudaLaunchKernel", NULL, .chain = 6});
    const struct finding *x = must_tell(&a, "kernels-unfused");
    assert_true(x->unpriced && x->holds_ns > 0 && x->gain_ns == 0);
    assert_non_null(strstr(x->doubt, "record_shapes"));
    asked_release(&a);
    (void)state;
}

static void is_silent(const struct job *job)
{
    struct timeline t;
    struct asked a = ask_job(&t, job);
    assert_null(told(&a, "kernels-unfused"));
    asked_release(&a);
}

static void fused_captured_and_few_passes_are_left_alone(void **state)
{
    is_silent(&(struct job){"triton_poi_fused_mul_0", "cudaLaunchKernel", NULL, true, 6});
    is_silent(&(struct job){"void vllm::rms_norm_kernel<float>", "cudaLaunchKernel", NULL,
                            true, 6});
    is_silent(&(struct job){eager, "cudaGraphLaunch", NULL, true, 6});
    is_silent(&(struct job){eager, "cudaLaunchKernel", NULL, true, 2});
    is_silent(&(struct job){"void at::native::batch_norm_transform_input_kernel<float>",
                            "cudaLaunchKernel", NULL, true, 6});
    (void)state;
}

static void the_optimizer_has_a_rule_of_its_own(void **state)
{
    is_silent(
        &(struct job){eager, "cudaLaunchKernel", "Optimizer.step#AdamW.step", true, 6});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_passes_is_told_with_a_price),
        cmocka_unit_test(without_shapes_it_says_what_it_holds_and_no_price),
        cmocka_unit_test(fused_captured_and_few_passes_are_left_alone),
        cmocka_unit_test(the_optimizer_has_a_rule_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
