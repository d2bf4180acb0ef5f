/* From spans to aggregates: every figure here was worked out by hand. */
#include "unit/reduce/reduce_fixture.h"

#include "cover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void a_cover_is_the_union_of_its_intervals(void **state)
{
    (void)state;
    struct cover c;
    cover_init(&c);
    cover_add(&c, 50, 60);
    cover_add(&c, 0, 10);
    cover_add(&c, 5, 20);
    cover_add(&c, 20, 25);
    cover_add(&c, 52, 55);
    cover_add(&c, 90, 90);
    cover_finish(&c);
    assert_int_equal(c.n, 2);
    assert_int_equal(cover_total_ns(&c), 35);
    assert_int_equal(cover_within_ns(&c, 8, 52), 19);
    assert_int_equal(cover_within_ns(&c, 25, 50), 0);
    assert_int_equal(cover_within_ns(&c, 60, 10), 0);
    cover_release(&c);
}

/* Random intervals against a plain map of nanoseconds. */
static void a_cover_agrees_with_counting_each_nanosecond(void **state)
{
    (void)state;
    srand(7);
    for (int round = 0; round < 200; round++) {
        bool covered[300] = {false};
        struct cover c;
        cover_init(&c);
        for (int i = 0; i < 20; i++) {
            int b = rand() % 280, e = b + rand() % 20;
            cover_add(&c, b, e);
            for (int t = b; t < e; t++)
                covered[t] = true;
        }
        cover_finish(&c);
        int from = rand() % 150, to = from + rand() % 150, count = 0;
        for (int t = from; t < to; t++)
            count += covered[t];
        assert_int_equal(cover_within_ns(&c, from, to), count);
        cover_release(&c);
    }
}

static void self_time_excludes_callees_and_totals_count_recursion_once(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    add(&f, f.cpu, SPAN_KIND_OP, "inner", 20, 40); /* handed over out of order */
    add(&f, f.cpu, SPAN_KIND_OP, "outer", 0, 100);
    add(&f, f.cpu, SPAN_KIND_OP, "outer", 50, 80); /* recursion */
    add(&f, f.cpu, SPAN_KIND_OP, "inner", 60, 70);
    add(&f, f.cpu, SPAN_KIND_OP, "alone", 100, 130);
    finish(&f);
    struct op outer = find_op(&f.run, "outer"), inner = find_op(&f.run, "inner");
    assert_int_equal(outer.count, 2);
    assert_int_equal(outer.self_ns, (100 - 20 - 30) + (30 - 10));
    assert_int_equal(outer.total_ns, 100);
    assert_int_equal(outer.max_ns, 100);
    assert_int_equal(inner.self_ns, 30);
    assert_int_equal(inner.total_ns, 30);
    assert_int_equal(find_op(&f.run, "alone").self_ns, 30);
    run_release(&f.run);
}

static void a_callee_that_ends_late_never_makes_self_time_negative(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    add(&f, f.cpu, SPAN_KIND_OP, "caller", 0, 100);
    add(&f, f.cpu, SPAN_KIND_OP, "callee", 10, 101); /* rounded past its caller */
    finish(&f);
    assert_int_equal(find_op(&f.run, "caller").self_ns, 10);
    assert_int_equal(find_op(&f.run, "callee").self_ns, 91);
    run_release(&f.run);
}

/* Random spans on one lane against a plain map: each moment belongs to the span that
 * began last of those still open; inclusive time is where any span of the name is open.
 */
static void self_and_inclusive_time_agree_with_a_map_of_moments(void **state)
{
    (void)state;
    enum { MOMENTS = 420, SPANS = 25, NAMES = 3 };
    static const char *const name[NAMES] = {"a", "b", "c"};
    srand(11);
    for (int round = 0; round < 300; round++) {
        struct fixture f;
        int owner[MOMENTS], began[MOMENTS] = {0};
        bool open[NAMES][MOMENTS] = {{false}};
        int64_t self[NAMES] = {0}, total[NAMES] = {0};
        memset(owner, -1, sizeof owner);
        begin(&f, 0);
        for (int i = 0; i < SPANS; i++) {
            int b = i * 14 + rand() % 10, e = b + rand() % 60, k = rand() % NAMES;
            add(&f, f.cpu, SPAN_KIND_OP, name[k], b, e);
            for (int t = b; t < e && t < MOMENTS; t++) {
                open[k][t] = true;
                if (owner[t] < 0 || b > began[t]) {
                    owner[t] = k;
                    began[t] = b;
                }
            }
        }
        for (int t = 0; t < MOMENTS; t++)
            for (int k = 0; k < NAMES; k++) {
                self[k] += owner[t] == k;
                total[k] += open[k][t];
            }
        finish(&f);
        for (size_t i = 0; i < f.run.ops.table.n; i++) {
            int k = run_name(&f.run, f.run.ops.name[i])[0] - 'a';
            assert_int_equal(f.run.ops.self_ns[i], self[k]);
            assert_int_equal(f.run.ops.total_ns[i], total[k]);
        }
        run_release(&f.run);
    }
}

static void device_time_is_cut_by_interval_union(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    int32_t second = shard_lane(
        f.shard, (struct lane){.kind = LANE_KIND_DEVICE, .device = 0, .tid = 8});
    add(&f, f.gpu, SPAN_KIND_KERNEL, "gemm", 100, 200);
    add(&f, second, SPAN_KIND_KERNEL, "relu", 150, 250);          /* overlaps gemm */
    add(&f, second, SPAN_KIND_COLLECTIVE, "allreduce", 240, 300); /* 10 hidden, 50 not */
    add(&f, f.gpu, SPAN_KIND_COPY, "copy", 290, 320);             /* 10 hidden, 20 not */
    add(&f, f.gpu, SPAN_KIND_KERNEL, "gemm", 400, 500);
    add(&f, f.gpu, SPAN_KIND_SYNC, "wait", 320, 400); /* no work */
    finish(&f);
    assert_int_equal(find_time(&f.run, -1, -1, -1, TIME_CLASS_SPAN), 400);
    assert_int_equal(find_time(&f.run, -1, -1, -1, TIME_CLASS_COMPUTE), 250);
    assert_int_equal(find_time(&f.run, -1, -1, -1, TIME_CLASS_COMMUNICATION), 50);
    assert_int_equal(find_time(&f.run, -1, -1, -1, TIME_CLASS_COPIES), 20);
    assert_int_equal(find_time(&f.run, -1, -1, -1, TIME_CLASS_IDLE), 80);
    assert_int_equal(find_time(&f.run, -1, -1, -1, TIME_CLASS_COMMUNICATION_TOTAL), 60);
    assert_int_equal(find_time(&f.run, -1, -1, -1, TIME_CLASS_COPIES_TOTAL), 30);
    assert_int_equal(f.run.ranks.devices[0], 1);
    assert_int_equal(find_op(&f.run, "gemm").self_ns, 200);
    run_release(&f.run);
}

static void several_devices_are_split_one_by_one_and_together(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    int32_t other = shard_lane(
        f.shard, (struct lane){.kind = LANE_KIND_DEVICE, .device = 2147483647, .tid = 7});
    add(&f, f.gpu, SPAN_KIND_KERNEL, "a", 0, 100);
    add(&f, other, SPAN_KIND_KERNEL, "b", 50, 200);
    finish(&f);
    assert_int_equal(f.run.ranks.devices[0], 2);
    assert_int_equal(find_time(&f.run, -1, -1, -1, TIME_CLASS_COMPUTE), 200);
    assert_int_equal(find_time(&f.run, -1, -1, 0, TIME_CLASS_SPAN), 100);
    assert_int_equal(find_time(&f.run, -1, -1, 2147483647, TIME_CLASS_COMPUTE), 150);
    run_release(&f.run);
}

static void steps_cut_device_and_host_time(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    add(&f, f.cpu, SPAN_KIND_STEP, "ProfilerStep#4", 0, 1000);
    add(&f, f.cpu, SPAN_KIND_STEP, "ProfilerStep#5", 1000, 1500);
    add(&f, f.cpu, SPAN_KIND_OP, "op", 100, 300);
    add(&f, f.cpu, SPAN_KIND_SYNC, "sync", 250, 400);
    add(&f, f.cpu, SPAN_KIND_PYTHON, "frame", 0, 1500);
    add(&f, f.gpu, SPAN_KIND_KERNEL, "k", 900, 1200); /* crosses the border */
    finish(&f);
    assert_int_equal(f.run.steps.table.n, 2);
    assert_int_equal(find_time(&f.run, 0, -1, -1, TIME_CLASS_COMPUTE), 100);
    assert_int_equal(find_time(&f.run, 1, -1, -1, TIME_CLASS_COMPUTE), 200);
    assert_int_equal(find_time(&f.run, 1, -1, -1, TIME_CLASS_IDLE), 300);
    assert_int_equal(find_time(&f.run, 0, 0, -1, TIME_CLASS_BUSY), 150);
    assert_int_equal(find_time(&f.run, 0, 0, -1, TIME_CLASS_WAITING), 150);
    assert_int_equal(find_time(&f.run, 0, 0, -1, TIME_CLASS_UNATTRIBUTED), 700);
    assert_int_equal(find_time(&f.run, -1, 0, -1, TIME_CLASS_SPAN), 1500);
    assert_int_equal(f.run.ranks.step_method[0], STEP_METHOD_PROFILER_STEP);
    run_release(&f.run);
}

/* A tracer that starts and stops between marks sees more than the marked steps. */
static void what_lies_outside_of_all_steps_is_left_out_when_asked(void **state)
{
    (void)state;
    for (int only_steps = 0; only_steps < 2; only_steps++) {
        struct fixture f;
        begin_with(&f, (struct reduce_options){.only_steps = only_steps});
        for (int i = 0; i < 5; i++) {
            add(&f, f.cpu, SPAN_KIND_OP, "op", i * 100 + 10, i * 100 + 40);
            add(&f, f.gpu, SPAN_KIND_KERNEL, "kernel", i * 100 + 30, i * 100 + 60);
        }
        add(&f, f.cpu, SPAN_KIND_ANNOTATION, "around all", 0, 500);
        add(&f, f.cpu, SPAN_KIND_OP, "only before", 50, 100);
        for (int i = 1; i < 4; i++)
            add(&f, f.cpu, SPAN_KIND_STEP, "step", i * 100, (i + 1) * 100);
        finish(&f);
        assert_int_equal(f.run.steps.table.n, 3);
        assert_int_equal(find_op(&f.run, "op").count, only_steps ? 3 : 5);
        assert_int_equal(find_op(&f.run, "op").self_ns, only_steps ? 90 : 150);
        assert_int_equal(find_op(&f.run, "kernel").count, only_steps ? 3 : 5);
        assert_int_equal(find_op(&f.run, "around all").count, 1);
        assert_int_equal(f.run.ops.table.n, only_steps ? 4 : 5);
        run_release(&f.run);
    }
}

static void phases_and_what_they_leave_sum_to_the_step(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    add(&f, f.cpu, SPAN_KIND_STEP, "step", 0, 1000);
    add(&f, f.cpu, SPAN_KIND_PHASE, "data", 0, 100);
    add(&f, f.cpu, SPAN_KIND_PHASE, "forward", 100, 400);
    add(&f, f.cpu, SPAN_KIND_PHASE, "backward", 400, 950);
    finish(&f);
    int64_t ns[PHASE_COUNT] = {0}, sum = 0;
    for (size_t i = 0; i < f.run.phases.table.n; i++) {
        ns[f.run.phases.phase[i]] += f.run.phases.ns[i];
        sum += f.run.phases.ns[i];
    }
    assert_int_equal(ns[PHASE_DATA], 100);
    assert_int_equal(ns[PHASE_BACKWARD], 550);
    assert_int_equal(ns[PHASE_OPTIMIZER], 0);
    assert_int_equal(ns[PHASE_UNATTRIBUTED], 50);
    assert_int_equal(sum, 1000);
    run_release(&f.run);
}

static void add_correlated(struct fixture *f, int32_t lane, enum span_kind kind,
                           int64_t begin_ns, int64_t correlation)
{
    struct span s = {.lane = lane,
                     .kind = kind,
                     .begin_ns = begin_ns,
                     .dur_ns = 10,
                     .correlation = correlation};
    shard_add(f->shard, &s);
}

static void launches_are_paired_by_correlation(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    add_correlated(&f, f.cpu, SPAN_KIND_RUNTIME, 0, 5);
    add_correlated(&f, f.cpu, SPAN_KIND_OP, 0, 6); /* an op's number is no launch */
    add_correlated(&f, f.gpu, SPAN_KIND_KERNEL, 100, 5);
    add_correlated(&f, f.gpu, SPAN_KIND_KERNEL, 120,
                   5); /* a graph: one launch, many kernels */
    add_correlated(&f, f.gpu, SPAN_KIND_KERNEL, 140, 6);
    add_correlated(&f, f.gpu, SPAN_KIND_KERNEL, 160, 0);
    finish(&f);
    const struct edges *e = &f.run.edges;
    assert_int_equal(e->table.n, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(e->kind[i], EDGE_KIND_LAUNCH);
        assert_int_equal(f.run.spans.kind[e->src[i]], SPAN_KIND_RUNTIME);
        assert_int_equal(f.run.spans.correlation[e->dst[i]], 5);
    }
    run_release(&f.run);
}

static void too_many_spans_leave_sums_whole_and_keep_chosen_steps(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 30);
    for (int step = 0; step < 20; step++) {
        int64_t t = step * 1000, length = step == 13 ? 900 : 500 + step;
        struct span s = {
            .lane = f.cpu, .kind = SPAN_KIND_STEP, .begin_ns = t, .seq = step};
        s.dur_ns = length;
        shard_add(f.shard, &s);
        for (int i = 0; i < 5; i++)
            add(&f, f.cpu, SPAN_KIND_OP, "op", t + 10 * i, t + 10 * i + 5);
    }
    finish(&f);
    assert_int_equal(find_op(&f.run, "op").count, 100);
    assert_int_equal(f.run.ranks.spans_seen[0], 120);
    assert_int_equal(f.run.ranks.spans_kept[0], 24); /* four steps of six spans */
    assert_int_equal(f.run.steps.kept[0], 1);
    assert_int_equal(f.run.steps.kept[13], 1);
    assert_int_equal(f.run.notes.table.n, 1);
    for (size_t i = 0; i < f.run.spans.table.n; i++)
        assert_int_equal(f.run.steps.kept[f.run.spans.step[i]], 1);
    run_release(&f.run);
}

/* Staggered spans, each overlapping thousands of others without nesting: each is pushed
 * and popped once, so the cost is about linear. */
static double stagger_seconds(int n)
{
    struct fixture f;
    begin(&f, 1);
    for (int i = 0; i < n; i++)
        add(&f, f.cpu, SPAN_KIND_OP, "op", i, i + n);
    clock_t before = clock(); /* of this process: the machine may be busy */
    finish(&f);
    clock_t taken = clock() - before;
    assert_int_equal(find_op(&f.run, "op").self_ns, 2 * n - 1);
    assert_int_equal(find_op(&f.run, "op").total_ns, 2 * n - 1);
    run_release(&f.run);
    return (double)taken / CLOCKS_PER_SEC;
}

static void overlapping_spans_cost_about_in_a_line(void **state)
{
    (void)state;
    stagger_seconds(10000); /* warm up */
    double few = stagger_seconds(10000), many = stagger_seconds(100000);
    for (int i = 0; i < 2; i++) { /* the machine may be busy with something else */
        few = fmax(few, stagger_seconds(10000));
        many = fmin(many, stagger_seconds(100000));
    }
    /* Ten times the spans; a square would be a hundred times the cost. */
    assert_true(many < 40 * few + 0.01);
}

static void a_step_too_large_for_the_budget_keeps_its_longest_spans(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 50);
    add(&f, f.cpu, SPAN_KIND_STEP, "step", 0, 100000);
    for (int i = 0; i < 1000; i++)
        add(&f, f.cpu, SPAN_KIND_OP, "op", i * 100, i * 100 + i % 100);
    finish(&f);
    assert_true(f.run.ranks.spans_kept[0] <= 50 && f.run.ranks.spans_kept[0] > 0);
    assert_int_equal(f.run.steps.kept[0], 2);
    for (size_t i = 0; i < f.run.spans.table.n; i++)
        assert_true(f.run.spans.dur_ns[i] >= 95);
    assert_int_equal(find_op(&f.run, "op").count, 1000);
    run_release(&f.run);
}

static void absurd_sums_stay_within_what_a_run_may_hold(void **state)
{
    (void)state;
    struct fixture f;
    const int64_t week_ns = INT64_C(7) * 24 * 3600 * 1000000000;
    begin(&f, 0);
    for (int i = 0; i < 9000; i++)
        add(&f, f.gpu, SPAN_KIND_KERNEL, "k", i, i + week_ns);
    finish(&f); /* checks the run */
    assert_int_equal(find_op(&f.run, "k").self_ns, RUN_TIME_MAX_NS);
    run_release(&f.run);
}

static void device_work_is_counted_in_the_step_where_it_begins(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    add(&f, f.cpu, SPAN_KIND_STEP, "s", 100, 200);
    add(&f, f.cpu, SPAN_KIND_STEP, "s", 200, 300);
    add(&f, f.gpu, SPAN_KIND_KERNEL, "before", 50, 60);
    add(&f, f.gpu, SPAN_KIND_KERNEL, "k", 150, 250);
    add(&f, f.gpu, SPAN_KIND_COPY, "c", 199, 201);
    add(&f, f.gpu, SPAN_KIND_SYNC, "no work", 150, 160);
    finish(&f);
    assert_int_equal(f.run.steps.device_spans[0], 2);
    assert_int_equal(f.run.steps.device_spans[1], 0);
    run_release(&f.run);
}

static void a_recording_without_spans_is_a_rank_without_figures(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    finish(&f);
    assert_int_equal(f.run.ranks.table.n, 1);
    assert_int_equal(f.run.times.table.n, 0);
    run_release(&f.run);
}

static void two_shards_give_what_one_gives(void **state)
{
    (void)state;
    struct run run[2];
    for (int shards = 1; shards <= 2; shards++) {
        run_init(&run[shards - 1]);
        struct reducer *r = reducer_new(NULL, shards);
        for (int i = 0; i < 100; i++) {
            struct reduce_shard *s = reducer_shard(r, i % shards);
            int32_t lane = shard_lane(
                s, (struct lane){.kind = LANE_KIND_CPU, .device = -1, .tid = i % 3});
            struct span span = {.lane = lane,
                                .kind = SPAN_KIND_OP,
                                .name =
                                    shard_name(s, i % 2 ? "odd" : "even", i % 2 ? 3 : 4),
                                .begin_ns = i * 10,
                                .dur_ns = 5 + i % 4};
            shard_add(s, &span);
        }
        reduced(r, &run[shards - 1], (struct rank){0});
        reducer_free(r);
    }
    for (int k = 0; k < 2; k++) {
        struct op odd = find_op(&run[k], "odd"), even = find_op(&run[k], "even");
        assert_int_equal(odd.count, 50);
        assert_int_equal(odd.self_ns, find_op(&run[0], "odd").self_ns);
        assert_int_equal(even.self_ns, find_op(&run[0], "even").self_ns);
        assert_int_equal(run[k].lanes.table.n, 3);
        assert_int_equal(run[k].ranks.first_ns[0], 0);
    }
    run_release(&run[0]);
    run_release(&run[1]);
}

static void times_beyond_any_calendar_are_skipped_and_noted(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    struct span s = {
        .lane = f.cpu, .kind = SPAN_KIND_OP, .begin_ns = INT64_MAX - 3, .dur_ns = 9};
    shard_add(f.shard, &s);
    s.begin_ns = 5;
    s.dur_ns = INT64_MAX;
    shard_add(f.shard, &s);
    add(&f, f.cpu, SPAN_KIND_OP, "good", 0, 10);
    shard_add_memory(f.shard, (struct memory){.at_ns = INT64_MAX});
    finish(&f); /* checks the run */
    assert_int_equal(f.run.memories.table.n, 0);
    assert_int_equal(f.run.ranks.spans_seen[0], 1);
    assert_int_equal(f.run.notes.table.n, 1);
    run_release(&f.run);
}

static void memory_over_time_keeps_its_peak_when_thinned(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    for (int i = 0; i < 50000; i++)
        shard_add_memory(f.shard,
                         (struct memory){.device = 0,
                                         .at_ns = i,
                                         .what = MEMORY_CLASS_ALLOCATED,
                                         .bytes = i == 31234 ? 1000000 : i % 100});
    finish(&f);
    assert_true(f.run.memories.table.n <= 4096);
    int64_t peak = 0;
    for (size_t i = 0; i < f.run.memories.table.n; i++)
        peak = f.run.memories.bytes[i] > peak ? f.run.memories.bytes[i] : peak;
    assert_int_equal(peak, 1000000);
    run_release(&f.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cover_is_the_union_of_its_intervals),
        cmocka_unit_test(a_cover_agrees_with_counting_each_nanosecond),
        cmocka_unit_test(self_time_excludes_callees_and_totals_count_recursion_once),
        cmocka_unit_test(a_callee_that_ends_late_never_makes_self_time_negative),
        cmocka_unit_test(self_and_inclusive_time_agree_with_a_map_of_moments),
        cmocka_unit_test(device_time_is_cut_by_interval_union),
        cmocka_unit_test(several_devices_are_split_one_by_one_and_together),
        cmocka_unit_test(steps_cut_device_and_host_time),
        cmocka_unit_test(what_lies_outside_of_all_steps_is_left_out_when_asked),
        cmocka_unit_test(phases_and_what_they_leave_sum_to_the_step),
        cmocka_unit_test(launches_are_paired_by_correlation),
        cmocka_unit_test(too_many_spans_leave_sums_whole_and_keep_chosen_steps),
        cmocka_unit_test(overlapping_spans_cost_about_in_a_line),
        cmocka_unit_test(a_step_too_large_for_the_budget_keeps_its_longest_spans),
        cmocka_unit_test(absurd_sums_stay_within_what_a_run_may_hold),
        cmocka_unit_test(device_work_is_counted_in_the_step_where_it_begins),
        cmocka_unit_test(a_recording_without_spans_is_a_rank_without_figures),
        cmocka_unit_test(two_shards_give_what_one_gives),
        cmocka_unit_test(times_beyond_any_calendar_are_skipped_and_noted),
        cmocka_unit_test(memory_over_time_keeps_its_peak_when_thinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
