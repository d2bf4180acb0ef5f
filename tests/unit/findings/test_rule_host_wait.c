#include "asked.h"

/* Steps of 1,000 us: the host launches `kernels` of 100 us every 20 us, from 10 us on;
 * `wait` then waits until they are done. */
struct step_shape {
    int steps, kernels;
    void (*wait)(struct timeline *t, double at_us, double done_us);
};

static void write_steps(struct timeline *t, const struct step_shape *s)
{
    timeline_init(t, "Example GPU");
    for (int k = 0; k < s->steps; k++) {
        double at_us = 1000.0 * k;
        timeline_step(t, k, at_us, 1000);
        for (int i = 0; i < s->kernels; i++) {
            double call_us = at_us + 10 + 20 * i;
            timeline_op(t, "aten::mm", call_us - 2, 15);
            timeline_launch(t, "cudaLaunchKernel", call_us, 8, "gemm",
                            at_us + 20 + 102 * i, 100, 0);
        }
        if (s->wait)
            s->wait(t, at_us + 10 + 20 * s->kernels, at_us + 20 + 102 * s->kernels);
    }
}

static void read_item(struct timeline *t, double at_us, double done_us)
{
    timeline_op(t, "aten::item", at_us, done_us + 20 - at_us);
    timeline_op(t, "aten::_local_scalar_dense", at_us + 1, done_us + 18 - at_us);
    timeline_launch(t, "cudaMemcpyAsync", at_us + 2, 8, "Memcpy DtoH (Device -> Pinned)",
                    done_us + 2, 2, 4);
    timeline_call(t, "cudaStreamSynchronize", at_us + 11, done_us + 6 - at_us - 11);
}

static void synchronise(struct timeline *t, double at_us, double done_us)
{
    timeline_call(t, "cudaDeviceSynchronize", at_us, done_us + 4 - at_us);
}

/* Of a step's 1,000 us the device works 816 and idles while the host starts anew. */
static void reading_a_value_in_every_step_is_told(void **state)
{
    struct timeline t;
    struct step_shape shape = {6, 8, read_item};
    write_steps(&t, &shape);
    struct asked a = ask(&t);
    const struct finding *x = must_tell(&a, "host-wait");
    assert_string_equal(x->where, "aten::item");
    assert_true(x->holds_ns > 600e3 && x->holds_ns < 800e3);
    assert_true(x->gain_ns > 20e3 && x->gain_ns < 1000e3 - 816e3 + 20e3);
    assert_true(x->gain_low_ns < x->gain_ns && *x->missing);
    asked_release(&a);
    (void)state;
}

static void synchronising_in_every_step_is_told(void **state)
{
    struct timeline t;
    struct step_shape shape = {6, 8, synchronise};
    write_steps(&t, &shape);
    struct asked a = ask(&t);
    const struct finding *x = must_tell(&a, "host-wait");
    assert_string_equal(x->where, "cudaDeviceSynchronize");
    assert_string_equal(x->missing, "");
    asked_release(&a);
    (void)state;
}

/* Removing one wait gains nothing where the next one waits instead: they are one finding
 * that names the places. */
static void read_thrice(struct timeline *t, double at_us, double done_us)
{
    static const char *const readers[] = {"aten::nonzero", "aten::equal"};
    read_item(t, at_us, done_us);
    for (int i = 0; i < 2; i++) {
        double read_us = done_us + 25 + 60 * i;
        timeline_op(t, readers[i], read_us, 50 - 10 * i);
        timeline_launch(t, "cudaMemcpyAsync", read_us + 2, 26,
                        "Memcpy DtoH (Device -> Pageable)", read_us + 20, 5, 8);
    }
}

static void several_waits_are_one_finding_that_names_its_places(void **state)
{
    struct timeline t;
    struct step_shape shape = {6, 6, read_thrice};
    write_steps(&t, &shape);
    struct asked a = ask(&t);
    const struct finding *x = must_tell(&a, "host-wait");
    assert_string_equal(x->where, "aten::item; aten::nonzero; 1 more place");
    assert_non_null(
        strstr(x->evidence, "a step stops 3 times to read a value from the device"));
    asked_release(&a);
    (void)state;
}

static void steps_without_waits_are_left_alone(void **state)
{
    struct timeline t;
    struct step_shape shape = {6, 8, NULL};
    write_steps(&t, &shape);
    struct asked a = ask(&t);
    assert_null(told(&a, "host-wait"));
    asked_release(&a);
    (void)state;
}

/* It waits before it begins and when it ends; that is no cost of the job. */
static void the_profilers_own_synchronisations_are_not_told(void **state)
{
    struct timeline t;
    timeline_init(&t, "Example GPU");
    for (int k = 0; k < 2; k++) {
        double at_us = 1000.0 * k;
        timeline_step(&t, k, at_us, 1000);
        if (k == 0)
            timeline_call(&t, "cudaDeviceSynchronize", at_us + 1, 300);
        for (int i = 0; i < 4; i++)
            timeline_launch(&t, "cudaLaunchKernel", at_us + 310 + 20 * i, 8, "gemm",
                            at_us + 320 + 102 * i, 100, 0);
        if (k == 1)
            timeline_call(&t, "cudaDeviceSynchronize", at_us + 400, 340);
    }
    struct asked a = ask(&t);
    assert_null(told(&a, "host-wait"));
    asked_release(&a);
    (void)state;
}

/* Without steps a single wait is how a program ends; many are a loop's. */
static void without_steps_only_repeated_waits_are_told(void **state)
{
    for (int repeated = 0; repeated < 2; repeated++) {
        struct timeline t;
        timeline_init(&t, "Example GPU");
        for (int k = 0; k < 20; k++) {
            double at_us = 1000.0 * k;
            for (int i = 0; i < 8; i++)
                timeline_launch(&t, "cudaLaunchKernel", at_us + 10 + 20 * i, 8,
                                k % 2 ? "gemm" : "other", at_us + 20 + 102 * i, 100, 0);
            if (repeated || k == 10)
                read_item(&t, at_us + 180, at_us + 840);
        }
        struct asked a = ask(&t);
        assert_int_equal(told(&a, "host-wait") != NULL, repeated);
        asked_release(&a);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_a_value_in_every_step_is_told),
        cmocka_unit_test(synchronising_in_every_step_is_told),
        cmocka_unit_test(several_waits_are_one_finding_that_names_its_places),
        cmocka_unit_test(steps_without_waits_are_left_alone),
        cmocka_unit_test(the_profilers_own_synchronisations_are_not_told),
        cmocka_unit_test(without_steps_only_repeated_waits_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
