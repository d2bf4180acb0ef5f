#include "unit/report/report_fixtures.h"

#include "base/mem.h"
#include "cmocka_setup.h"
#include "report/chrome_trace.h"
#include "unit/analyze/job_fixtures.h"
#include "unit/report/json_syntax.h"

/* The trace as text; the caller frees it with free(). */
static char *write_trace(const struct run *run, int32_t rank, size_t *spans)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    assert_non_null(f);
    *spans = chrome_trace_write(f, run, rank);
    fclose(f);
    return text;
}

static void add_lane(struct run *run, enum lane_kind kind, int64_t pid, int64_t tid)
{
    lanes_add(&run->lanes, (struct lane){.rank = 0,
                                         .kind = kind,
                                         .device = kind == LANE_KIND_DEVICE ? 1 : -1,
                                         .pid = pid,
                                         .tid = tid});
}

static void add_span(struct run *run, int32_t lane, enum span_kind kind, const char *name,
                     int64_t begin_ns, int64_t dur_ns, int64_t correlation)
{
    spans_add(&run->spans, (struct span){.lane = lane,
                                         .kind = kind,
                                         .name = names_add_z(&run->names, name),
                                         .begin_ns = begin_ns,
                                         .dur_ns = dur_ns,
                                         .step = -1,
                                         .correlation = correlation});
}

#define ASSERT_HOLDS(text, part)                                                         \
    do {                                                                                 \
        if (!strstr(text, part))                                                         \
            fail_msg("\"%s\" is not in:\n%s", part, text);                               \
    } while (0)

static void a_launch_and_its_kernel_are_written_to_the_nanosecond(void **state)
{
    (void)state;
    struct run run;
    size_t spans;
    run_init(&run);
    job_add_rank(&run, 3, 8);
    run.ranks.base_ns[0] = 1700000000123456789;
    add_lane(&run, LANE_KIND_CPU, 4242, 4243);
    add_lane(&run, LANE_KIND_DEVICE, 0, 7);
    run.lanes.name[0] = names_add_z(&run.names, "main \"thread\"");
    add_span(&run, 0, SPAN_KIND_RUNTIME, "cudaLaunchKernel", 1234567, 1001, 99);
    add_span(&run, 1, SPAN_KIND_KERNEL, "gemm<float>", -5, 2000000000000000001, 99);
    run.spans.shapes[0] = names_add_z(&run.names, "[[64,128],[]]");
    edges_add(&run.edges, (struct edge){.kind = EDGE_KIND_LAUNCH, .src = 0, .dst = 1});
    char *text = write_trace(&run, 0, &spans);
    assert_int_equal(spans, 2);
    assert_true(json_is_valid(text));
    ASSERT_HOLDS(text, "\"baseTimeNanoseconds\":1700000000123456789");
    ASSERT_HOLDS(text, "\"distributedInfo\":{\"rank\":3,\"world_size\":8}");
    ASSERT_HOLDS(text, "\"ts\":1234.567,\"dur\":1.001,");
    ASSERT_HOLDS(text, "\"ts\":-0.005,\"dur\":2000000000000000.001,");
    ASSERT_HOLDS(text, "\"args\":{\"name\":\"main \\\"thread\\\"\"}");
    ASSERT_HOLDS(text, "\"Input Dims\":[[64,128],[]]");
    ASSERT_HOLDS(text, "\"args\":{\"device\":1,\"stream\":7,\"correlation\":99}");
    ASSERT_HOLDS(text, "{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":1,"
                       "\"pid\":4242,\"tid\":4243,\"ts\":1234.567}");
    ASSERT_HOLDS(text, "\"pid\":1,\"tid\":7,\"ts\":-0.005,\"bp\":\"e\"}");
    free(text);
    run_release(&run);
}

static void devices_get_rows_that_no_process_of_the_host_has(void **state)
{
    (void)state;
    struct run run;
    size_t spans;
    run_init(&run);
    job_add_rank(&run, 0, 1);
    add_lane(&run, LANE_KIND_CPU, 1, 7); /* in a container */
    add_lane(&run, LANE_KIND_DEVICE, 0, 7);
    add_span(&run, 1, SPAN_KIND_KERNEL, "gemm", 0, 1, 0);
    char *text = write_trace(&run, 0, &spans);
    ASSERT_HOLDS(text, "\"pid\":3,\"tid\":7,\"ts\":0"); /* 2 is that of device 0 */
    free(text);
    run_release(&run);
}

static void hostile_names_and_shapes_leave_valid_json(void **state)
{
    (void)state;
    static const char *const shapes[] = {"[[1,2]",      "]",     "[1 2]", "[01]", "{}",
                                         "[[1],\"x\"]", "[--1]", "[,]",   "[1,]", "7"};
    struct run run;
    size_t spans;
    fixture_hostile(&run);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        run.spans.shapes[i] = names_add_z(&run.names, shapes[i]);
    char *text = write_trace(&run, 0, &spans);
    assert_int_equal(spans, run.spans.table.n);
    assert_true(json_is_valid(text));
    ASSERT_HOLDS(text, "\"Input Dims\":\"[[1,2]\"");
    ASSERT_HOLDS(text, "\"Input Dims\":\"7\"");
    free(text);
    run_release(&run);
}

static void only_the_wanted_rank_is_written(void **state)
{
    (void)state;
    struct run run;
    size_t spans;
    fixture_gpu(&run);
    char *text = write_trace(&run, 1, &spans);
    assert_true(json_is_valid(text));
    assert_int_equal(spans, run.ranks.spans_kept[1]);
    ASSERT_HOLDS(text, "\"rank\":1");
    free(text);
    run_release(&run);
}

static void what_is_known_of_a_collective_goes_with_its_kernel(void **state)
{
    (void)state;
    struct run run;
    size_t spans;
    run_init(&run);
    job_add_rank(&run, 0, 2);
    add_lane(&run, LANE_KIND_DEVICE, 0, 20);
    add_span(&run, 0, SPAN_KIND_COLLECTIVE, "ncclDevKernel_AllReduce", 100, 50, 0);
    add_span(&run, 0, SPAN_KIND_COLLECTIVE, "my_all_reduce", 200, 50, 0);
    size_t row =
        job_add_call(&run, 0, -1, (struct job_call){"allreduce", "0", 41, 2}, 100, 150);
    run.collectives.lane[row] = 0;
    run.collectives.elements_in[row] = 1024;
    char *text = write_trace(&run, 0, &spans);
    ASSERT_HOLDS(text, "\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce\"");
    ASSERT_HOLDS(text, "\"Collective name\":\"allreduce\",\"In msg nelems\":1024,"
                       "\"Group size\":2,\"Process Group Name\":\"0\",\"Seq\":41}");
    ASSERT_HOLDS(text, "\"cat\":\"collective_comm\",\"name\":\"my_all_reduce\"");
    free(text);
    run_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_and_its_kernel_are_written_to_the_nanosecond),
        cmocka_unit_test(devices_get_rows_that_no_process_of_the_host_has),
        cmocka_unit_test(hostile_names_and_shapes_leave_valid_json),
        cmocka_unit_test(only_the_wanted_rank_is_written),
        cmocka_unit_test(what_is_known_of_a_collective_goes_with_its_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
