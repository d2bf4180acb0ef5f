/* Two runs side by side, from runs small enough to work out by hand. */
#include "cmocka_setup.h"

#include "analyze/compare.h"

#include <math.h>
#include <string.h>

static int32_t add_rank(struct run *run, int steps, int64_t step_ns)
{
    int32_t rank = (int32_t)ranks_add(
        &run->ranks, (struct rank){.rank = (int32_t)run->ranks.table.n, .complete = 1});
    for (int i = 0; i < steps; i++)
        steps_add(&run->steps, (struct step){.rank = rank,
                                             .number = i,
                                             .begin_ns = i * step_ns,
                                             .end_ns = (i + 1) * step_ns});
    return rank;
}

static void add_op(struct run *run, int32_t rank, enum lane_kind place, const char *name,
                   int64_t count, int64_t self_ns)
{
    ops_add(&run->ops,
            (struct op){.rank = rank,
                        .place = place,
                        .kind = place == LANE_KIND_CPU ? SPAN_KIND_OP : SPAN_KIND_KERNEL,
                        .name = names_add_z(&run->names, name),
                        .count = count,
                        .self_ns = self_ns,
                        .total_ns = self_ns,
                        .device_ns = place == LANE_KIND_CPU ? self_ns / 2 : 0});
}

static const struct op_change *find(const struct comparison *c, const char *name)
{
    for (size_t i = 0; i < c->n_ops; i++)
        if (!strcmp(c->ops[i].name, name))
            return &c->ops[i];
    fail_msg("no %s", name);
    return NULL;
}

struct pair {
    struct run run[SIDES];
    struct analysis *a[SIDES];
    struct comparison *c;
};

static void pair_open(struct pair *p)
{
    for (int s = 0; s < SIDES; s++)
        run_init(&p->run[s]);
}

static void pair_compare(struct pair *p)
{
    for (int s = 0; s < SIDES; s++)
        p->a[s] = analysis_new(&p->run[s]);
    p->c = comparison_new(p->a[BEFORE], p->a[AFTER]);
}

static void pair_close(struct pair *p)
{
    comparison_free(p->c);
    for (int s = 0; s < SIDES; s++) {
        analysis_free(p->a[s]);
        run_release(&p->run[s]);
    }
}

/* Four steps of 100 before, two of 80 after, so sums alone would mislead. */
static void operators_are_compared_a_step_largest_change_first(void **state)
{
    (void)state;
    struct pair p;
    pair_open(&p);
    struct run *before = &p.run[BEFORE], *after = &p.run[AFTER];
    names_add_z(&after->names, "so that names have other numbers");
    int32_t b = add_rank(before, 4, 100), a = add_rank(after, 2, 80);
    add_op(before, b, LANE_KIND_CPU, "slower", 4, 40);
    add_op(after, a, LANE_KIND_CPU, "slower", 4, 30);
    add_op(before, b, LANE_KIND_CPU, "faster", 8, 400);
    add_op(after, a, LANE_KIND_CPU, "faster", 4, 100);
    add_op(before, b, LANE_KIND_CPU, "same", 4, 12);
    add_op(after, a, LANE_KIND_CPU, "same", 2, 6);
    add_op(before, b, LANE_KIND_CPU, "went", 4, 80);
    add_op(after, a, LANE_KIND_DEVICE, "appeared", 6, 4);
    pair_compare(&p);
    assert_true(p.c->by_step);
    assert_int_equal(p.c->n_ops, 5);
    static const struct {
        const char *name;
        double change_ns;
        enum op_state state;
    } want[] = {{"faster", -50, OP_FASTER},
                {"went", -20, OP_WENT},
                {"slower", 5, OP_SLOWER},
                {"appeared", 2, OP_APPEARED},
                {"same", 0, OP_SAME}};
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(p.c->ops[i].name, want[i].name);
        assert_true(op_change_ns(&p.c->ops[i]) == want[i].change_ns);
        assert_int_equal(p.c->ops[i].state, want[i].state);
    }
    const struct op_change *slower = find(p.c, "slower");
    assert_true(slower->side[BEFORE].count == 1 && slower->side[AFTER].count == 2);
    assert_true(slower->side[BEFORE].device_ns == 5);
    assert_false(find(p.c, "went")->side[AFTER].there);
    assert_true(p.c->step[BEFORE].ns == 100 && p.c->step[AFTER].ns == 80);
    pair_close(&p);
}

static void steps_without_the_tracer_are_compared_where_both_have_them(void **state)
{
    (void)state;
    struct pair p;
    pair_open(&p);
    for (int s = 0; s < SIDES; s++)
        for (int rank = 0; rank < 3; rank++)
            add_rank(&p.run[s], 2, 100);
    static const int64_t ns[SIDES][3] = {{40, 34, 30}, {20, 24, 25}};
    for (int side = 0; side < SIDES; side++) { /* first one alone, then both */
        for (int32_t rank = 0; rank < 3; rank++)
            timings_add(&p.run[side].timings, (struct timing){.rank = rank,
                                                              .what = TIMING_KIND_STEP,
                                                              .dur_ns = ns[side][rank]});
        pair_compare(&p);
        bool both = side == AFTER;
        assert_true(p.c->step[BEFORE].ns == (both ? 40 : 100));
        assert_true(p.c->step[AFTER].ns == (both ? 25 : 100));
        if (both)
            break;
        comparison_free(p.c);
        for (int s = 0; s < SIDES; s++)
            analysis_free(p.a[s]);
    }
    pair_close(&p);
}

static void a_recording_that_reaches_beyond_its_steps_is_told(void **state)
{
    (void)state;
    for (int64_t before_ns = 0; before_ns <= 100; before_ns += 100) {
        struct pair p;
        pair_open(&p);
        for (int s = 0; s < SIDES; s++) {
            int32_t rank = add_rank(&p.run[s], 5, 100);
            p.run[s].ranks.first_ns[rank] = s == AFTER ? -before_ns : 0;
            p.run[s].ranks.last_ns[rank] = 500;
        }
        pair_compare(&p);
        assert_int_equal(p.c->beyond_steps, before_ns > 0);
        pair_close(&p);
    }
}

static void the_same_name_on_host_and_device_is_two_operators(void **state)
{
    (void)state;
    struct pair p;
    pair_open(&p);
    for (int s = 0; s < SIDES; s++) {
        int32_t rank = add_rank(&p.run[s], 1, 100);
        add_op(&p.run[s], rank, LANE_KIND_CPU, "copy", 1, 10);
        add_op(&p.run[s], rank, LANE_KIND_DEVICE, "copy", 1, 20 + s);
    }
    pair_compare(&p);
    assert_int_equal(p.c->n_ops, 2);
    assert_int_equal(p.c->ops[0].place, LANE_KIND_DEVICE);
    assert_true(op_change_ns(&p.c->ops[0]) == 1);
    pair_close(&p);
}

/* Two ranks before, one after: a mean rank each. */
static void ranks_count_by_their_mean(void **state)
{
    (void)state;
    struct pair p;
    pair_open(&p);
    for (int r = 0; r < 2; r++)
        add_op(&p.run[BEFORE], add_rank(&p.run[BEFORE], 2, 100), LANE_KIND_CPU, "mm", 2,
               20 + 20 * r);
    add_op(&p.run[AFTER], add_rank(&p.run[AFTER], 2, 100), LANE_KIND_CPU, "mm", 2, 30);
    pair_compare(&p);
    assert_int_equal(p.c->n_ops, 1);
    assert_int_equal(p.c->ops[0].state, OP_SAME);
    assert_true(p.c->ops[0].side[BEFORE].self_ns == 15);
    pair_close(&p);
}

static void without_steps_whole_recordings_are_compared(void **state)
{
    (void)state;
    struct pair p;
    pair_open(&p);
    add_op(&p.run[BEFORE], add_rank(&p.run[BEFORE], 2, 100), LANE_KIND_CPU, "mm", 2, 20);
    add_op(&p.run[AFTER], add_rank(&p.run[AFTER], 0, 0), LANE_KIND_CPU, "mm", 2, 30);
    pair_compare(&p);
    assert_false(p.c->by_step);
    assert_true(isnan(p.c->step[AFTER].ns));
    assert_true(op_change_ns(&p.c->ops[0]) == 10);
    pair_close(&p);
}

static void add_time(struct run *run, int32_t step, enum time_class what, int64_t ns)
{
    times_add(
        &run->times,
        (struct class_time){
            .rank = 0, .step = step, .device = -1, .lane = -1, .what = what, .ns = ns});
}

static void parts_of_a_step_are_means_and_reasons_need_both_sides(void **state)
{
    (void)state;
    struct pair p;
    pair_open(&p);
    for (int s = 0; s < SIDES; s++) {
        add_rank(&p.run[s], 2, 100 - 20 * s);
        for (int i = 0; i < 2; i++) {
            add_time(&p.run[s], i, TIME_CLASS_SPAN, 100 - 20 * s);
            add_time(&p.run[s], i, TIME_CLASS_COMPUTE, 60);
            add_time(&p.run[s], i, TIME_CLASS_IDLE, 40 - 20 * s);
        }
    }
    add_time(&p.run[BEFORE], 0, TIME_CLASS_IDLE_INPUT, 40);
    pair_compare(&p);
    assert_int_equal(p.c->n_classes, 5);
    assert_int_equal(p.c->classes[0].what, TIME_CLASS_SPAN);
    assert_true(p.c->classes[0].ns[BEFORE] == 100 && p.c->classes[0].ns[AFTER] == 80);
    assert_int_equal(p.c->classes[4].what, TIME_CLASS_IDLE);
    assert_true(p.c->classes[4].ns[AFTER] == 20);
    pair_close(&p);
}

static void a_gpu_on_one_side_only_leaves_no_parts_to_compare(void **state)
{
    (void)state;
    struct pair p;
    pair_open(&p);
    for (int s = 0; s < SIDES; s++)
        add_rank(&p.run[s], 1, 100);
    add_time(&p.run[BEFORE], 0, TIME_CLASS_SPAN, 100);
    pair_compare(&p);
    assert_true(p.c->has_device[BEFORE] && !p.c->has_device[AFTER]);
    assert_int_equal(p.c->n_classes, 0);
    pair_close(&p);
}

static void empty_runs_compare_as_nothing(void **state)
{
    (void)state;
    struct pair p;
    pair_open(&p);
    pair_compare(&p);
    assert_false(p.c->by_step);
    assert_int_equal(p.c->n_ops + p.c->n_classes + p.c->n_phases, 0);
    pair_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_are_compared_a_step_largest_change_first),
        cmocka_unit_test(steps_without_the_tracer_are_compared_where_both_have_them),
        cmocka_unit_test(a_recording_that_reaches_beyond_its_steps_is_told),
        cmocka_unit_test(the_same_name_on_host_and_device_is_two_operators),
        cmocka_unit_test(ranks_count_by_their_mean),
        cmocka_unit_test(without_steps_whole_recordings_are_compared),
        cmocka_unit_test(parts_of_a_step_are_means_and_reasons_need_both_sides),
        cmocka_unit_test(a_gpu_on_one_side_only_leaves_no_parts_to_compare),
        cmocka_unit_test(empty_runs_compare_as_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
