/* Phases as parts of the one step time, from runs small enough to work out by hand. */
#include "cmocka_setup.h"

#include "analyze/analysis.h"

#include <math.h>

enum { STEPS = 3, UNTRACED = 9 };

/* Traced steps of 1000: 100 input, 200 forward, 300 backward, 150 optimizer. */
static void open_run(struct run *run)
{
    static const int64_t ns[PHASE_COUNT] = {100, 200, 300, 150, 0, 250};
    run_init(run);
    ranks_add(&run->ranks,
              (struct rank){.rank = 0, .step_method = STEP_METHOD_PROFILER_STEP});
    for (int i = 0; i < STEPS; i++) {
        steps_add(&run->steps, (struct step){.rank = 0,
                                             .number = i,
                                             .begin_ns = i * 1000,
                                             .end_ns = (i + 1) * 1000});
        for (int p = 0; p < PHASE_COUNT; p++)
            phases_add(&run->phases, (struct phase_time){
                                         .rank = 0, .step = i, .phase = p, .ns = ns[p]});
    }
}

static void add_timing(struct run *run, enum timing_kind what, int64_t number, int64_t ns)
{
    timings_add(&run->timings,
                (struct timing){.rank = 0, .what = what, .number = number, .dur_ns = ns});
}

/* Untraced steps of 800, one of them longer by 5400. */
static void add_untraced(struct run *run, int64_t backward_ns)
{
    for (int i = 0; i < UNTRACED; i++) {
        add_timing(run, TIMING_KIND_STEP, 10 + i, i ? 800 : 6200);
        add_timing(run, TIMING_KIND_LOADER, 10 + i, 90);
        add_timing(run, TIMING_KIND_OPTIMIZER, 10 + i, 120);
        if (backward_ns)
            add_timing(run, TIMING_KIND_BACKWARD, 10 + i, backward_ns);
    }
}

static void parts_are(const struct run *run, bool timed, const double wanted[PHASE_COUNT])
{
    struct analysis *a = analysis_new(run);
    const struct analysis_rank *r = &a->ranks[0];
    double sum = 0;
    assert_true(r->phases.known);
    assert_int_equal(r->phases.timed, timed);
    for (int p = 0; p < PHASE_COUNT; p++) {
        assert_true(fabs(r->phases.ns[p] - wanted[p]) < 1e-6);
        sum += r->phases.ns[p];
    }
    assert_true(fabs(sum - r->step.ns) < 1e-6);
    analysis_free(a);
}

static void recorded_phases_are_shares_of_the_step(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    parts_are(&run, false, (const double[]){100, 200, 300, 150, 0, 250});
    run_release(&run);
}

/* Backward takes 270 instead of 300, so forward takes 180 instead of 200. */
static void timed_phases_are_taken_as_they_were_without_the_tracer(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    add_untraced(&run, 270);
    add_timing(&run, TIMING_KIND_STEP, 99, 800); /* after the rounds: without parts */
    parts_are(&run, true, (const double[]){90, 180, 270, 120, 0, 140});
    run_release(&run);
}

/* Of the 620 of the optimizer's step the backward pass takes 270; of the rest 200 parts
 * of 350 are the forward pass, as recorded. */
static void an_optimizer_with_a_closure_is_timed_with_its_passes(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    add_untraced(&run, 270);
    for (size_t i = 0; i < run.timings.table.n; i++)
        if (run.timings.what[i] == TIMING_KIND_OPTIMIZER)
            run.timings.dur_ns[i] = 620;
    parts_are(&run, true, (const double[]){90, 200, 270, 150, 0, 90});
    run_release(&run);
}

static void phases_never_pass_the_step(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    add_untraced(&run, 600);
    double by = 800.0 / (90 + 400 + 600 + 120);
    parts_are(&run, true, (const double[]){90 * by, 400 * by, 600 * by, 120 * by, 0, 0});
    run_release(&run);
}

static void what_comes_every_few_steps_has_its_share(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    add_untraced(&run, 270);
    add_timing(&run, TIMING_KIND_EVALUATE, 10, 5400);
    parts_are(&run, true, (const double[]){90, 180, 270, 120, 5400.0 / UNTRACED, 140});
    run_release(&run);
}

static void without_a_timed_backward_pass_all_are_shares(void **state)
{
    (void)state;
    struct run run;
    open_run(&run);
    add_untraced(&run, 0);
    parts_are(&run, false, (const double[]){80, 160, 240, 120, 0, 200});
    run_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_phases_are_shares_of_the_step),
        cmocka_unit_test(timed_phases_are_taken_as_they_were_without_the_tracer),
        cmocka_unit_test(an_optimizer_with_a_closure_is_timed_with_its_passes),
        cmocka_unit_test(phases_never_pass_the_step),
        cmocka_unit_test(what_comes_every_few_steps_has_its_share),
        cmocka_unit_test(without_a_timed_backward_pass_all_are_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
