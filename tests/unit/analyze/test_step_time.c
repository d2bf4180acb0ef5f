/* What a step takes, from runs small enough to work out by hand. */
#include "cmocka_setup.h"

#include "analyze/compare.h"

#include <math.h>
#include <stdlib.h>

enum { RANKS = 3 };

static void open_run(struct run *run, int ranks)
{
    run_init(run);
    for (int i = 0; i < ranks; i++)
        ranks_add(&run->ranks,
                  (struct rank){.rank = i, .step_method = STEP_METHOD_PROFILER_STEP});
}

/* A mark on the host, and when the device did what was launched in it. */
static void add_step(struct run *run, int32_t rank, int64_t begin_ns, int64_t end_ns,
                     int64_t device_begin_ns, int64_t device_end_ns)
{
    steps_add(&run->steps, (struct step){.rank = rank,
                                         .number = (int64_t)run->steps.table.n,
                                         .begin_ns = begin_ns,
                                         .end_ns = end_ns,
                                         .device_begin_ns = device_begin_ns,
                                         .device_end_ns = device_end_ns});
}

static void add_timing(struct run *run, enum timing_kind what, int64_t number, int64_t ns)
{
    timings_add(&run->timings,
                (struct timing){.rank = 0, .what = what, .number = number, .dur_ns = ns});
}

static struct step_time told_of(const struct run *run)
{
    struct step_time told[RANKS], recorded[RANKS];
    step_times(told, recorded, run);
    return told[0];
}

static void without_steps_nothing_is_told(void **state)
{
    (void)state;
    struct run run;
    open_run(&run, 1);
    struct step_time t = told_of(&run);
    assert_int_equal(t.basis, STEP_BASIS_NONE);
    assert_true(isnan(t.ns) && isnan(t.host_ns));
    run_release(&run);
}

static void marks_tell_where_the_device_keeps_up(void **state)
{
    (void)state;
    struct run run;
    open_run(&run, 1);
    for (int i = 0; i < 5; i++)
        add_step(&run, 0, i * 100, i * 100 + 100, i * 100 + 20, i * 100 + 90);
    struct step_time t = told_of(&run);
    assert_int_equal(t.basis, STEP_BASIS_HOST);
    assert_true(t.ns == 100 && t.host_ns == 100 && t.count == 5);
    run_release(&run);
}

/* The host passes a mark every 160, the device needs 190 for what it is asked for. */
static void the_device_tells_where_the_host_runs_ahead(void **state)
{
    (void)state;
    struct run run;
    open_run(&run, 1);
    for (int i = 0; i < 4; i++)
        add_step(&run, 0, i * 160, i * 160 + 160, 300 + i * 190, 300 + i * 190 + 189);
    struct step_time t = told_of(&run);
    assert_int_equal(t.basis, STEP_BASIS_DEVICE);
    assert_true(t.ns == 190 && t.host_ns == 160);
    assert_int_equal(t.count, 3);
    run_release(&run);
}

/* What is done in a step ends with it, but steps differ: the middle one is longer. */
static void uneven_steps_are_no_lag(void **state)
{
    (void)state;
    static const int64_t length[] = {100, 140, 100};
    struct run run;
    open_run(&run, 1);
    for (int64_t i = 0, t = 0; i < 3; t += length[i++])
        add_step(&run, 0, t, t + length[i], t + 10, t + length[i] + 5);
    struct step_time t = told_of(&run);
    assert_int_equal(t.basis, STEP_BASIS_HOST);
    assert_true(t.ns == 100 && !t.ahead);
    run_release(&run);
}

/* The host runs ahead until the queue is full, and then at the device's pace. */
static void a_full_queue_makes_the_host_as_slow(void **state)
{
    (void)state;
    static const int64_t length[] = {50, 190, 190, 190, 190};
    struct run run;
    open_run(&run, 1);
    for (int64_t i = 0, t = 0; i < 5; t += length[i++])
        add_step(&run, 0, t, t + length[i], 10 + i * 190, 10 + i * 190 + 189);
    struct step_time t = told_of(&run);
    assert_int_equal(t.basis, STEP_BASIS_HOST);
    assert_true(t.ns == 190);
    run_release(&run);
}

/* Marks that are the device's own say nothing of a host. */
static void the_period_of_kernels_has_no_host(void **state)
{
    (void)state;
    struct run run;
    open_run(&run, 1);
    run.ranks.step_method[0] = STEP_METHOD_KERNEL_PERIOD;
    for (int i = 0; i < 4; i++)
        add_step(&run, 0, i * 160, i * 160 + 160, i * 500, i * 500 + 400);
    struct step_time t = told_of(&run);
    assert_int_equal(t.basis, STEP_BASIS_DEVICE);
    assert_true(t.ns == 160 && t.mark_ns == 160 && isnan(t.host_ns) && !t.ahead);
    run_release(&run);
}

/* A profiler that records one step of ten: its work lies far behind that before. */
static void steps_with_others_between_have_no_distance(void **state)
{
    (void)state;
    struct run run;
    open_run(&run, 1);
    for (int i = 0; i < 4; i++)
        add_step(&run, 0, i * 1000, i * 1000 + 100, i * 1000 + 10, i * 1000 + 120);
    struct step_time t = told_of(&run);
    assert_int_equal(t.basis, STEP_BASIS_HOST);
    assert_true(t.ns == 100);
    run_release(&run);
}

static void steps_without_device_work_are_passed_over(void **state)
{
    (void)state;
    struct run run;
    open_run(&run, 1);
    for (int i = 0; i < 6; i++)
        add_step(&run, 0, i * 100, i * 100 + 100, i == 2 ? 0 : i * 150,
                 i == 2 ? 0 : i * 150 + 140);
    struct step_time t = told_of(&run);
    assert_int_equal(t.basis, STEP_BASIS_DEVICE);
    assert_true(t.ns == 150);
    assert_int_equal(t.count, 3); /* 0 to 1, 3 to 4, 4 to 5 */
    run_release(&run);
}

static void untraced_steps_tell_it_best(void **state)
{
    (void)state;
    struct run run;
    struct step_time told[1], recorded[1];
    open_run(&run, 1);
    for (int i = 0; i < 3; i++)
        add_step(&run, 0, i * 200, i * 200 + 200, 0, 0);
    for (int i = 0; i < 9; i++)
        add_timing(&run, TIMING_KIND_STEP, i, 100 + i);
    step_times(told, recorded, &run);
    assert_int_equal(told->basis, STEP_BASIS_UNTRACED);
    assert_true(told->ns == 104 && told->plain_ns == 104 && told->count == 9);
    assert_true(told->low_ns < 104 && told->high_ns > 104);
    assert_int_equal(recorded->basis, STEP_BASIS_HOST);
    assert_true(recorded->ns == 200 && told->host_ns == 200);
    run_release(&run);
}

/* Every fifth step saves and takes 50 more: 10 a step, shared by all. */
static void what_comes_every_few_steps_is_shared_by_all(void **state)
{
    (void)state;
    struct run run;
    open_run(&run, 1);
    for (int i = 0; i < 20; i++) {
        bool saves = i % 5 == 4;
        add_timing(&run, TIMING_KIND_STEP, i, saves ? 150 : 100);
        add_timing(&run, TIMING_KIND_SAVE, i, saves ? 50 : 0);
    }
    struct step_time t = told_of(&run);
    assert_true(t.plain_ns == 100);
    assert_true(fabs(t.ns - 110) < 1e-9);
    assert_true(fabs(t.low_ns - 110) < 1e-9 && fabs(t.high_ns - 110) < 1e-9);
    run_release(&run);
}

static void what_most_steps_hold_is_a_part_of_the_step(void **state)
{
    (void)state;
    struct run run;
    open_run(&run, 1);
    for (int i = 0; i < 9; i++) {
        add_timing(&run, TIMING_KIND_STEP, i, i ? 150 : 100);
        add_timing(&run, TIMING_KIND_GARBAGE, i, i ? 50 : 0);
    }
    struct step_time t = told_of(&run);
    assert_true(t.ns == 150 && t.plain_ns == 150);
    assert_int_equal(t.count, 9);
    run_release(&run);
}

/* Ranks' rows may stand in any order. */
static void ranks_have_their_own(void **state)
{
    (void)state;
    struct run run;
    struct step_time told[RANKS], recorded[RANKS];
    open_run(&run, RANKS);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) /* the last has none */
            add_step(&run, k, i * 100 * (k + 1), (i + 1) * 100 * (k + 1), 0, 0);
    step_times(told, recorded, &run);
    assert_true(told[0].ns == 100 && told[1].ns == 200);
    assert_int_equal(told[2].basis, STEP_BASIS_NONE);
    run_release(&run);
}

static struct step_time told_of_lengths(const int64_t *length, int64_t n)
{
    struct run run;
    open_run(&run, 1);
    for (int64_t i = 0, t = 0; i < n; t += length[i++])
        add_step(&run, 0, t, t + length[i], 0, 0);
    struct step_time t = told_of(&run);
    run_release(&run);
    return t;
}

/* Each fourth step waits for data; the first one compiles. */
static void long_steps_that_come_back_are_the_jobs_pace(void **state)
{
    (void)state;
    static const int64_t recurring[] = {900, 100, 100, 100, 300, 100,
                                        100, 300, 100, 100, 300};
    static const int64_t once[] = {900, 100, 100, 100, 300, 300, 100, 100, 100};
    static const int64_t seldom[25] = {[4] = 200, [14] = 200};
    int64_t few[25];
    for (int i = 0; i < 25; i++)
        few[i] = 100 + seldom[i];
    struct step_time t = told_of_lengths(recurring, 11);
    assert_true(t.mean && t.ns == 160 && t.count == 10 && t.left_out == 1);
    assert_true(t.longer == 3 && t.median_ns == 100 && t.low_ns < 160);
    t = told_of_lengths(once, 9); /* an interruption */
    assert_true(!t.mean && t.ns == 100 && t.count == 8);
    assert_true(!told_of_lengths(few, 25).mean);
}

/* The profiler was stopped right behind its last mark: nothing is launched there. A last
 * step that works is one, however short. */
static void what_is_left_of_a_step_is_none(void **state)
{
    (void)state;
    for (int works = 0; works < 2; works++) {
        struct run run;
        open_run(&run, 1);
        add_step(&run, 0, 0, 1000, 10, 900);
        add_step(&run, 0, 1000, 1010, 1001, works ? 1009 : 1001);
        run.steps.device_spans[0] = 5;
        run.steps.device_spans[1] = works;
        struct step_time t = told_of(&run);
        assert_true(works ? t.ns != 1000 : t.ns == 1000 && t.count == 1);
        run_release(&run);
    }
}

/* Of two steps the median lies between; the first one compiles. Where the others differ
 * too, nothing says which is the usual one. */
static void warm_up_is_left_out_where_the_others_agree(void **state)
{
    (void)state;
    static const int64_t two[] = {900, 100}, three[] = {9000, 300, 20};
    struct step_time t = told_of_lengths(two, 2);
    assert_true(t.ns == 100 && t.count == 1 && t.left_out == 1);
    t = told_of_lengths(three, 3);
    assert_true(t.ns == 300 && t.count == 3 && !t.left_out);
}

/* One step of ten compiles for as long as all others together: what a step is made of is
 * told of the others, and adds up to the step. */
static void parts_are_of_typical_steps_and_add_up_to_the_step(void **state)
{
    (void)state;
    struct run run;
    open_run(&run, 1);
    for (int i = 0; i < 10; i++) {
        int64_t ns = i ? 100 + i % 2 : 1000;
        add_step(&run, 0, i * 1000, i * 1000 + ns, 0, 0);
        const struct class_time part[] = {
            {.what = TIME_CLASS_SPAN, .ns = ns},
            {.what = TIME_CLASS_COMPUTE, .ns = i ? 75 : 10},
            {.what = TIME_CLASS_IDLE, .ns = i ? ns - 75 : 990},
        };
        for (size_t k = 0; k < 3; k++)
            times_add(&run.times, (struct class_time){.rank = 0,
                                                      .step = i,
                                                      .device = -1,
                                                      .lane = -1,
                                                      .what = part[k].what,
                                                      .ns = 1000 * part[k].ns});
    }
    for (int i = 0; i < 30; i++)
        add_timing(&run, TIMING_KIND_STEP, i, 80000);
    struct analysis *a = analysis_new(&run);
    const struct analysis_rank *r = &a->ranks[0];
    assert_true(r->step.ns == 80000);
    assert_int_equal(r->steps.typical, 9); /* lengths that are equally near */
    assert_int_equal(r->step_split.ns[TIME_CLASS_SPAN], 80000);
    assert_true(llabs(r->step_split.ns[TIME_CLASS_COMPUTE] - 59600) < 500);
    assert_true(llabs(r->step_split.ns[TIME_CLASS_COMPUTE] +
                      r->step_split.ns[TIME_CLASS_IDLE] - 80000) <= 1);
    analysis_free(a);
    run_release(&run);
}

/* 160 of the host and 190 of the device: sums over the recording are of steps of 190. */
static void sums_are_parts_of_the_devices_step(void **state)
{
    (void)state;
    struct run run[2];
    struct analysis *a[2];
    for (int k = 0; k < 2; k++) {
        open_run(&run[k], 1);
        for (int i = 0; i < 4; i++)
            add_step(&run[k], 0, i * 160, i * 160 + 160, 300 + i * 190,
                     300 + i * 190 + 189);
        ops_add(&run[k].ops, (struct op){.rank = 0,
                                         .place = LANE_KIND_DEVICE,
                                         .kind = SPAN_KIND_KERNEL,
                                         .name = names_add_z(&run[k].names, "k"),
                                         .count = 4,
                                         .self_ns = 4 * 180});
        a[k] = analysis_new(&run[k]);
    }
    struct comparison *c = comparison_new(a[0], a[1]);
    assert_true(c->step[BEFORE].ns == 190 && c->step[AFTER].ns == 190);
    assert_true(fabs(c->ops[0].side[BEFORE].self_ns - 180) < 1e-9);
    comparison_free(c);
    for (int k = 0; k < 2; k++) {
        analysis_free(a[k]);
        run_release(&run[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_steps_nothing_is_told),
        cmocka_unit_test(marks_tell_where_the_device_keeps_up),
        cmocka_unit_test(the_device_tells_where_the_host_runs_ahead),
        cmocka_unit_test(uneven_steps_are_no_lag),
        cmocka_unit_test(a_full_queue_makes_the_host_as_slow),
        cmocka_unit_test(the_period_of_kernels_has_no_host),
        cmocka_unit_test(steps_with_others_between_have_no_distance),
        cmocka_unit_test(steps_without_device_work_are_passed_over),
        cmocka_unit_test(untraced_steps_tell_it_best),
        cmocka_unit_test(what_comes_every_few_steps_is_shared_by_all),
        cmocka_unit_test(what_most_steps_hold_is_a_part_of_the_step),
        cmocka_unit_test(ranks_have_their_own),
        cmocka_unit_test(long_steps_that_come_back_are_the_jobs_pace),
        cmocka_unit_test(what_is_left_of_a_step_is_none),
        cmocka_unit_test(warm_up_is_left_out_where_the_others_agree),
        cmocka_unit_test(sums_are_parts_of_the_devices_step),
        cmocka_unit_test(parts_are_of_typical_steps_and_add_up_to_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
