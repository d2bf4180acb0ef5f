/* optimizer-unfused: what is told of an optimizer's step, and its price. */
#include "unit/findings/ops_fixture.h"

static const char *const passes[] = {"aten::lerp_", "aten::mul_", "aten::addcmul_",
                                     "aten::sqrt",  "aten::add_", "aten::addcdiv_"};
enum { PASSES = sizeof passes / sizeof *passes, PASS_US = 100 };

static void forward_and_backward(struct script *j)
{
    int64_t first = script_trained(j, "aten::linear", "[[64,64],[64,64],[64]]", 3000);
    script_backward(j, first, 6000);
}

static void optimizer(struct script *j, const char *mark, size_t parameters,
                      const char *fused)
{
    script_open(j, SPAN_KIND_ANNOTATION, mark, "");
    if (fused)
        script_op(j, fused, "[[[64,64]],[[64,64]]]", 600);
    for (size_t p = 0; p < parameters && !fused; p++)
        for (size_t i = 0; i < PASSES; i++)
            script_op(j, passes[i], "[[64,64],[64,64],[]]", PASS_US);
    script_close(j);
}

static void train(struct script *j, const char *mark, size_t parameters,
                  const char *fused)
{
    script_init(j);
    for (int step = 0; step < 3; step++) {
        script_step_begin(j);
        forward_and_backward(j);
        optimizer(j, mark, parameters, fused);
        script_step_end(j);
    }
}

static const char adam[] = "Optimizer.step#AdamW.step";

static void a_loop_over_parameters_is_told_and_modelled_by_its_longest_pass(void **state)
{
    (void)state;
    struct script j;
    train(&j, adam, 4, NULL);
    script_find(&j);
    const struct finding *f = script_must_tell(&j, "optimizer-unfused");
    /* six passes of equal length: a fused one takes two of them */
    double held_us = 4 * PASSES * (PASS_US + 2);
    assert_int_equal(f->price, PRICE_MODELLED);
    assert_true(script_gain_us(f) > 0.65 * held_us && script_gain_us(f) < 0.68 * held_us);
    assert_true(f->gain_low_ns < f->gain_ns && f->gain_high_ns > f->gain_ns);
    assert_non_null(strstr(f->where, "AdamW"));
    assert_true(f->missing[0]);
    script_release(&j);
}

static void one_call_for_all_parameters_is_fine(void **state)
{
    (void)state;
    struct script j;
    train(&j, adam, 4, "aten::_fused_adamw_");
    script_find(&j);
    script_is_silent(&j);
    script_release(&j);
}

static void a_few_operators_are_no_loop(void **state)
{
    (void)state;
    struct script j;
    train(&j, adam, 2, NULL); /* 12 */
    script_find(&j);
    script_is_silent(&j);
    script_release(&j);
}

/* --- classes of a job's own --- */

struct pass {
    const char *name, *shapes;
};

#define ONE "[[64,64],[]]"
#define TWO "[[64,64],[64,64],[]]"
#define THREE "[[64,64],[64,64],[64,64],[]]"
enum { OWN_PARAMETERS = 8, OWN_PASSES_MAX = 8 };

/* Each pass takes as long as it moves tensors. */
static int64_t own_pass_us(const struct pass *p)
{
    int64_t tensors = !strcmp(p->shapes, THREE) ? 3 : !strcmp(p->shapes, TWO) ? 2 : 1;
    return 20 * (tensors + 1);
}

static void train_own(struct script *j, const struct pass *pass)
{
    script_init(j);
    for (int step = 0; step < 3; step++) {
        script_step_begin(j);
        forward_and_backward(j);
        script_open(j, SPAN_KIND_ANNOTATION, "Optimizer.step#Ours.step", "");
        for (int p = 0; p < OWN_PARAMETERS; p++)
            for (size_t i = 0; i < OWN_PASSES_MAX && pass[i].name; i++)
                script_op(j, pass[i].name, pass[i].shapes, own_pass_us(&pass[i]));
        script_close(j);
        script_step_end(j);
    }
    script_find(j);
}

static const struct pass own_adam[OWN_PASSES_MAX] = {
    {"aten::mul_", ONE},       {"aten::add_", TWO}, {"aten::mul_", ONE},
    {"aten::addcmul_", THREE}, {"aten::sqrt", ONE}, {"aten::add_", ONE},
    {"aten::addcdiv_", THREE},
};

static void a_class_of_the_jobs_own_is_told_by_its_passes(void **state)
{
    (void)state;
    struct script j;
    train_own(&j, own_adam);
    const struct finding *f = script_must_tell(&j, "optimizer-unfused");
    /* 4 passes move two tensors, one three, two four; a fused one moves seven */
    double held_us = OWN_PARAMETERS * (4 * 40 + 60 + 2 * 80),
           fused_us = OWN_PARAMETERS * 7 * 20;
    assert_int_equal(f->price, PRICE_MODELLED);
    assert_float_equal(script_gain_us(f), held_us - fused_us, 0.1 * held_us);
    assert_true(f->gain_low_ns < f->gain_ns && f->gain_high_ns > f->gain_ns);
    assert_non_null(strstr(f->evidence, "torch.optim.AdamW"));
    script_release(&j);
}

static const struct pass own_momentum[OWN_PASSES_MAX] = {
    {"aten::mul_", ONE}, {"aten::add_", TWO}, {"aten::mul", ONE}, {"aten::sub_", TWO}};

static void without_roots_and_quotients_it_is_nearest_to_sgd(void **state)
{
    (void)state;
    struct script j;
    train_own(&j, own_momentum);
    const struct finding *f = script_must_tell(&j, "optimizer-unfused");
    assert_int_equal(f->price, PRICE_MODELLED);
    double held_us = OWN_PARAMETERS * (2 * 40 + 2 * 60);
    assert_float_equal(script_gain_us(f), held_us - OWN_PARAMETERS * 5 * 20,
                       0.15 * held_us);
    assert_non_null(strstr(f->evidence, "torch.optim.SGD"));
    script_release(&j);
}

static void optimizers_that_are_near_to_none_are_fine(void **state)
{
    (void)state;
    static const struct pass others[][OWN_PASSES_MAX] = {
        /* signs; norms of parameters; products; one moment under a root; no shapes */
        {{"aten::lerp", TWO},
         {"aten::sign_", ONE},
         {"aten::add_", TWO},
         {"aten::lerp_", TWO}},
        {{"aten::lerp_", TWO},
         {"aten::mul_", ONE},
         {"aten::addcmul_", THREE},
         {"aten::sqrt", ONE},
         {"aten::div", TWO},
         {"aten::linalg_vector_norm", ONE},
         {"aten::add_", TWO}},
        {{"aten::lerp_", TWO}, {"aten::mm", TWO}, {"aten::mm", TWO}, {"aten::add_", TWO}},
        {{"aten::mul_", ONE},
         {"aten::addcmul_", THREE},
         {"aten::sqrt", ONE},
         {"aten::addcdiv_", THREE}},
        {{"aten::mul_", ""},
         {"aten::add_", ""},
         {"aten::sqrt", ""},
         {"aten::addcdiv_", ""}},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct script j;
        train_own(&j, others[i]);
        script_is_silent(&j);
        script_release(&j);
    }
}

static void pytorchs_own_without_another_form_are_fine(void **state)
{
    (void)state;
    struct script j;
    train(&j, "Optimizer.step#RMSprop.step", 8, NULL);
    script_find(&j);
    script_is_silent(&j);
    script_release(&j);
}

static void measured(struct script *j, const char *subject, const char *how,
                     int64_t now_us, int64_t instead_us)
{
    for (int32_t round = 0; round < 3; round++)
        replacements_add(
            &j->run.replacements,
            (struct replacement){.rule = names_add_z(&j->run.names, "optimizer-unfused"),
                                 .subject = names_add_z(&j->run.names, subject),
                                 .how = names_add_z(&j->run.names, how),
                                 .round = round,
                                 .now_ns = now_us * 1000,
                                 .instead_ns = instead_us * 1000});
}

static void where_the_recorder_measured_the_other_way_its_cost_counts(void **state)
{
    (void)state;
    struct script j;
    train(&j, adam, 4, NULL);
    script_close_recording(&j);
    /* two optimizers, one of them measured in two ways: the better one counts */
    measured(&j, "AdamW: a", "foreach=True", 1500, 1400);
    measured(&j, "AdamW: a", "fused=True", 1500, 400);
    measured(&j, "AdamW: b", "fused=True", 900, 300);
    script_find(&j);
    const struct finding *f = script_must_tell(&j, "optimizer-unfused");
    double held_us = 4 * PASSES * (PASS_US + 2);
    assert_int_equal(f->price, PRICE_MEASURED);
    assert_float_equal(script_gain_us(f), held_us * (1 - 700.0 / 2400), 2);
    script_release(&j);
}

static void an_optimizer_timed_without_the_tracer_is_what_goes(void **state)
{
    (void)state;
    static const int64_t timed_us[] = {1900, 4000}; /* less and more than traced */
    for (size_t i = 0; i < 2; i++) {
        struct script j;
        train(&j, adam, 4, NULL);
        script_close_recording(&j);
        measured(&j, "AdamW: a", "fused=True", timed_us[i], 400);
        timings_add(&j.run.timings, (struct timing){.what = TIMING_KIND_OPTIMIZER,
                                                    .dur_ns = timed_us[i] * 1000});
        script_find(&j);
        const struct finding *f = script_must_tell(&j, "optimizer-unfused");
        assert_float_equal(script_gain_us(f), timed_us[i] - 400, 2);
        assert_true(f->holds_timed);
        assert_float_equal(f->holds_ns / 1e3, timed_us[i], 0.5);
        assert_float_equal(f->ceiling_ns / 1e3, timed_us[i], 2);
        script_release(&j);
    }
}

/* A price from the trace does not hide that a clock says otherwise. */
static void a_timing_that_is_not_priced_is_told(void **state)
{
    (void)state;
    struct script j;
    train(&j, adam, 4, NULL);
    script_close_recording(&j);
    timings_add(&j.run.timings,
                (struct timing){.what = TIMING_KIND_OPTIMIZER, .dur_ns = 1300000});
    script_find(&j);
    const struct finding *f = script_must_tell(&j, "optimizer-unfused");
    assert_false(f->holds_timed);
    assert_non_null(strstr(f->evidence, "timed without the tracer: 1.3 ms"));
    script_release(&j);
}

static void a_way_that_is_unlike_the_jobs_in_isolation_counts_by_its_ratio(void **state)
{
    (void)state;
    struct script j;
    train(&j, adam, 4, NULL);
    script_close_recording(&j);
    measured(&j, "AdamW: a", "fused=True", 6000, 1500); /* a quarter */
    script_find(&j);
    const struct finding *f = script_must_tell(&j, "optimizer-unfused");
    assert_float_equal(script_gain_us(f), 0.75 * 4 * PASSES * (PASS_US + 2), 2);
    assert_true(f->low_frac < 1 && f->high_frac > 1);
    script_release(&j);
}

/* Turns of which one was slow for both ways. */
static void both_ways_of_one_turn_are_held_against_each_other(void **state)
{
    (void)state;
    struct script j;
    train(&j, adam, 4, NULL);
    script_close_recording(&j);
    measured(&j, "AdamW: a", "fused=True", 2400, 1200);
    measured(&j, "AdamW: a", "fused=True", 4800, 2400);
    j.run.replacements.instead_ns[5] = 9000000;
    script_find(&j);
    const struct finding *f = script_must_tell(&j, "optimizer-unfused");
    assert_float_equal(script_gain_us(f), 0.5 * 4 * PASSES * (PASS_US + 2), 2);
    script_release(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_over_parameters_is_told_and_modelled_by_its_longest_pass),
        cmocka_unit_test(one_call_for_all_parameters_is_fine),
        cmocka_unit_test(a_few_operators_are_no_loop),
        cmocka_unit_test(a_class_of_the_jobs_own_is_told_by_its_passes),
        cmocka_unit_test(without_roots_and_quotients_it_is_nearest_to_sgd),
        cmocka_unit_test(optimizers_that_are_near_to_none_are_fine),
        cmocka_unit_test(pytorchs_own_without_another_form_are_fine),
        cmocka_unit_test(where_the_recorder_measured_the_other_way_its_cost_counts),
        cmocka_unit_test(an_optimizer_timed_without_the_tracer_is_what_goes),
        cmocka_unit_test(a_timing_that_is_not_priced_is_told),
        cmocka_unit_test(a_way_that_is_unlike_the_jobs_in_isolation_counts_by_its_ratio),
        cmocka_unit_test(both_ways_of_one_turn_are_held_against_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
