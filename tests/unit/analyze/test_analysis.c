/* The figures of an analysis, from runs small enough to work out by hand. */
#include "cmocka_setup.h"
#include "reduced.h"

#include "analyze/analysis.h"
#include "reduce/reduce.h"

#include <math.h>
#include <string.h>
#include <time.h>

struct recorder {
    struct reducer *reducer;
    struct reduce_shard *shard;
};

static struct recorder recorder_new(void)
{
    struct reducer *r = reducer_new(NULL, 1);
    return (struct recorder){r, reducer_shard(r, 0)};
}

static void add(struct recorder *rec, enum lane_kind place, int64_t tid,
                enum span_kind kind, const char *name, int64_t begin_ns, int64_t end_ns)
{
    int32_t lane =
        shard_lane(rec->shard, (struct lane){.kind = place,
                                             .device = place == LANE_KIND_DEVICE ? 0 : -1,
                                             .tid = tid});
    struct span s = {.lane = lane,
                     .kind = kind,
                     .name = shard_name(rec->shard, name, strlen(name)),
                     .begin_ns = begin_ns,
                     .dur_ns = end_ns - begin_ns};
    shard_add(rec->shard, &s);
}

static void finish(struct recorder *rec, struct run *run, int rank)
{
    reduced(rec->reducer, run,
            (struct rank){.rank = rank, .step_method = STEP_METHOD_PROFILER_STEP});
    reducer_free(rec->reducer);
}

/* Three steps of `step_ns`, half of each a kernel; one operator of a tenth of it. */
static void add_gpu_rank(struct run *run, int rank, int64_t step_ns)
{
    struct recorder rec = recorder_new();
    for (int i = 0; i < 3; i++) {
        int64_t t = i * step_ns;
        add(&rec, LANE_KIND_CPU, 1, SPAN_KIND_STEP, "ProfilerStep", t, t + step_ns);
        add(&rec, LANE_KIND_CPU, 1, SPAN_KIND_OP, "aten::mm", t, t + step_ns / 10);
        add(&rec, LANE_KIND_DEVICE, 7, SPAN_KIND_KERNEL, "gemm", t, t + step_ns / 2);
    }
    finish(&rec, run, rank);
}

static void ranks_are_sorted_and_the_slowest_is_found(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    add_gpu_rank(&run, 2, 1000000);
    add_gpu_rank(&run, 0, 1200000);
    add_gpu_rank(&run, 1, 900000);
    struct analysis *a = analysis_new(&run);
    assert_int_equal(a->n_ranks, 3);
    for (int k = 0; k < 3; k++)
        assert_int_equal(run.ranks.rank[a->ranks[k].row], k);
    assert_int_equal(a->shown, 0);
    assert_true(a->ranks[a->shown].step.ns == 1200000);
    const struct analysis_rank *r = &a->ranks[1];
    assert_int_equal(r->steps.count, 3);
    assert_true(r->step.ns == 900000);
    assert_true(r->has_device);
    assert_int_equal(r->step_split.ns[TIME_CLASS_COMPUTE], 450000);
    assert_int_equal(r->step_split.ns[TIME_CLASS_IDLE], 450000);
    assert_int_equal(r->whole.ns[TIME_CLASS_SPAN], 2 * 900000 + 450000);
    assert_true(r->kernels_per_step == 1);
    analysis_free(a);
    run_release(&run);
}

static void operators_come_by_self_time_without_containers(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    struct recorder rec = recorder_new();
    add(&rec, LANE_KIND_CPU, 1, SPAN_KIND_PYTHON, "train.py(1): main", 0, 1000);
    add(&rec, LANE_KIND_CPU, 1, SPAN_KIND_ANNOTATION, "forward", 0, 900);
    add(&rec, LANE_KIND_CPU, 1, SPAN_KIND_OP, "small", 0, 100);
    add(&rec, LANE_KIND_CPU, 1, SPAN_KIND_OP, "large", 100, 400);
    add(&rec, LANE_KIND_DEVICE, 7, SPAN_KIND_SYNC, "stream wait", 0, 900);
    finish(&rec, &run, 0);
    struct analysis *a = analysis_new(&run);
    const struct analysis_rank *r = &a->ranks[0];
    assert_int_equal(r->n_ops, 2);
    assert_string_equal(run_name(&run, run.ops.name[r->ops[0].row]), "large");
    assert_true(fabs(r->ops[0].self_frac - 0.75) < 1e-12);
    assert_false(r->has_device);
    assert_false(analysis_has_steps(r));
    assert_int_equal(r->step.basis, STEP_BASIS_RECORDING);
    assert_true(r->step.ns > 0);
    analysis_free(a);
    run_release(&run);
}

static void a_host_rank_is_seen_through_its_busiest_lane(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    struct recorder rec = recorder_new();
    add(&rec, LANE_KIND_CPU, 1, SPAN_KIND_OP, "a", 0, 100);
    add(&rec, LANE_KIND_CPU, 2, SPAN_KIND_OP, "b", 0, 600);
    add(&rec, LANE_KIND_CPU, 2, SPAN_KIND_WAIT, "wait", 600, 800);
    add(&rec, LANE_KIND_CPU, 1, SPAN_KIND_OP, "a", 900, 1000);
    finish(&rec, &run, 0);
    struct analysis *a = analysis_new(&run);
    const struct time_split *w = &a->ranks[0].whole;
    assert_true(w->known);
    assert_int_equal(w->ns[TIME_CLASS_BUSY], 600);
    assert_int_equal(w->ns[TIME_CLASS_WAITING], 200);
    assert_int_equal(w->ns[TIME_CLASS_UNATTRIBUTED], 200);
    analysis_free(a);
    run_release(&run);
}

static void an_empty_run_has_an_empty_analysis(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    struct analysis *a = analysis_new(&run);
    assert_int_equal(a->n_ranks, 0);
    assert_int_equal(a->shown, 0);
    analysis_free(a);
    run_release(&run);
}

static void the_typical_step_is_the_kept_one_nearest_to_the_median(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    struct recorder rec = recorder_new();
    static const int64_t length[] = {100, 300, 210, 900, 220};
    for (int i = 0; i < 5; i++)
        add(&rec, LANE_KIND_CPU, 1, SPAN_KIND_STEP, "s", i * 1000, i * 1000 + length[i]);
    finish(&rec, &run, 0);
    struct analysis *a = analysis_new(&run);
    assert_int_equal(analysis_typical_step(a, 0), 4); /* the median itself */
    run.steps.kept[4] = 0;
    assert_int_equal(analysis_typical_step(a, 0), 2);
    analysis_free(a);
    run_release(&run);
}

/* A thousand ranks must not cost a thousand times a thousand. */
static double analysis_seconds(int ranks)
{
    struct run run;
    run_init(&run);
    for (int k = 0; k < ranks; k++)
        add_gpu_rank(&run, k, 1000000 + k);
    clock_t begin = clock(); /* of this process alone: others may be busy */
    struct analysis *a = analysis_new(&run);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    assert_int_equal(a->n_ranks, ranks);
    assert_int_equal(a->shown, ranks - 1);
    analysis_free(a);
    run_release(&run);
    return seconds;
}

/* A busy machine makes some tries slow, never fast. */
static double best_seconds(int ranks)
{
    double best = analysis_seconds(ranks);
    for (int i = 0; i < 2; i++) {
        double seconds = analysis_seconds(ranks);
        best = seconds < best ? seconds : best;
    }
    return best;
}

static void cost_grows_about_in_a_line_with_ranks(void **state)
{
    (void)state;
    double few = best_seconds(500), many = best_seconds(5000);
    /* Ten times the ranks; a square would be a hundred times the cost. */
    if (many >= 40 * few + 0.01)
        fail_msg("500 ranks take %g s, 5,000 take %g s", few, many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_sorted_and_the_slowest_is_found),
        cmocka_unit_test(operators_come_by_self_time_without_containers),
        cmocka_unit_test(a_host_rank_is_seen_through_its_busiest_lane),
        cmocka_unit_test(an_empty_run_has_an_empty_analysis),
        cmocka_unit_test(the_typical_step_is_the_kept_one_nearest_to_the_median),
        cmocka_unit_test(cost_grows_about_in_a_line_with_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
