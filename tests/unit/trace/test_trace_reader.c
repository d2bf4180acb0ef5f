/* What a good trace, in each of its dialects, becomes. Damage: test_trace_damage.c. */
#include "unit/trace/trace_fixture.h"

static const char modern[] =
    "{\"schemaVersion\": 1,\n"
    " \"deviceProperties\": [{\"id\": 0, \"name\": \"\"}, {\"id\": 1, \"name\": \"GPU "
    "X\", \"computeMajor\": 9}],\n"
    " \"record_shapes\": 1, \"with_stack\": 0, \"host_name\": \"node7\",\n"
    " \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 3, \"world_size\": 8, "
    "\"pg_config\": [{\"rank\": 99}]},\n"
    " \"baseTimeNanoseconds\": 1735632360000000000,\n"
    " \"traceEvents\": [\n"
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#7\",\"pid\":9,"
    "\"tid\":10,\"ts\":1000.000,\"dur\":900.5,\"args\":{\"External id\":1,\"Ev "
    "Idx\":0}},\n"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":9,\"tid\":10,\"ts\":"
    "1001.125,\"dur\":20.25,\"args\":{\"External id\":77,\"Ev "
    "Idx\":5,\"correlation\":5,\n"
    "  \"Input Dims\":[[64, 128],\n [128, 32]],\"Input type\":[\"float\",\"float\"]}},\n"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":9,"
    "\"tid\":10,\"ts\":1005.000,\"dur\":3,\"args\":{\"External id\":77,\"cbid\":211,"
    "\"correlation\":42}},\n"
    "{\"ph\":\"s\",\"id\":42,\"pid\":9,\"tid\":10,\"ts\":1005,\"cat\":\"ac2g\",\"name\":"
    "\"ac2g\"},\n"
    "{\"ph\":\"f\",\"id\":42,\"pid\":2,\"tid\":7,\"ts\":1010,\"cat\":\"ac2g\",\"name\":"
    "\"ac2g\",\"bp\":\"e\"},\n"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"sgemm\",\"pid\":2,\"tid\":7,\"ts\":"
    "1010.001,\"dur\":15.499,\"args\":{\"External id\":77,\"device\":1,\"stream\":7,"
    "\"correlation\":42,\"grid\":[1,2,3],\"est. achieved occupancy %\":0}},\n"
    "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pageable -> Device)\","
    "\"pid\":1,\"tid\":7,\"ts\":1030,\"dur\":2,\"args\":{\"device\":1,\"stream\":\"7\","
    "\"bytes\":\"4096\",\"memory bandwidth (GB/s)\":inf}},\n"
    "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Context Sync\",\"pid\":1,\"tid\":-1,"
    "\"ts\":1031,\"dur\":2,\"args\":{\"cuda_sync_kind\":\"Context "
    "Sync\",\"stream\":-1,\"device\":1,\"wait_on_cuda_event_record_corr_id\":-1}},\n"
    "{\"ph\":\"X\",\"cat\":\"Trace\",\"name\":\"PyTorch Profiler (0)\",\"pid\":\"Spans\","
    "\"tid\":\"PyTorch Profiler\",\"ts\":1000,\"dur\":5000,\"args\":{\"Op count\":0}},\n"
    "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\","
    "\"pid\":"
    "9,\"tid\":10,\"ts\":1002.5,\"args\":{\"Ev Idx\":6,\"Device Type\":1,\"Device "
    "Id\":1,\"Addr\":139624661909504,\"Bytes\":512,\"Total Allocated\":1024,\"Total "
    "Reserved\":2097152}},\n"
    "{\"name\":\"Iteration Start: PyTorch Profiler\",\"ph\":\"i\",\"s\":\"g\",\"pid\":"
    "\"Traces\",\"tid\":\"Trace PyTorch Profiler\",\"ts\":1000},\n"
    "{\"name\":\"thread_name\",\"ph\":\"M\",\"ts\":0,\"pid\":9,\"tid\":10,\"args\":{"
    "\"name\":\"thread 10 (python)\"}},\n"
    "{\"name\":\"thread_name\",\"ph\":\"M\",\"ts\":0,\"pid\":2,\"tid\":7,\"args\":{"
    "\"name\":\"stream 7 \"}}\n"
    "],\n\"traceName\": \"t.json\"}\n";

static void a_modern_trace_becomes_spans_on_lanes(void **state)
{
    (void)state;
    struct run r = read_good(modern);
    struct rank k = ranks_get(&r.ranks, 0);
    assert_int_equal(k.events, 13);
    assert_int_equal(k.events_skipped, 0);
    assert_int_equal(k.spans_seen, 6);
    assert_int_equal(k.complete, 1);
    assert_int_equal(k.text_bytes, sizeof modern - 1);
    assert_int_equal(r.notes.table.n, 0);
    struct span mm = span_of(&r, "aten::mm");
    assert_int_equal(mm.kind, SPAN_KIND_OP);
    assert_int_equal(mm.begin_ns, 1001125);
    assert_int_equal(mm.dur_ns, 20250);
    assert_int_equal(mm.seq, 5);
    assert_int_equal(mm.correlation, 0); /* External id is another number space */
    assert_string_equal(run_name(&r, mm.shapes), "[[64,128],[128,32]]");
    struct span kernel = span_of(&r, "sgemm");
    assert_int_equal(kernel.kind, SPAN_KIND_KERNEL);
    assert_int_equal(kernel.correlation, 42);
    assert_int_equal(span_of(&r, "cudaLaunchKernel").correlation, 42);
    assert_int_equal(span_of(&r, "Memcpy HtoD (Pageable -> Device)").bytes, 4096);
    run_release(&r);
}

static void the_head_gives_rank_world_device_and_base(void **state)
{
    (void)state;
    struct run r = read_good(modern);
    struct rank k = ranks_get(&r.ranks, 0);
    assert_int_equal(k.rank, 3);
    assert_int_equal(k.world, 8);
    assert_int_equal(k.source, RUN_SOURCE_KINETO);
    assert_string_equal(run_name(&r, k.device), "GPU X");
    assert_string_equal(run_name(&r, k.host), "node7");
    assert_int_equal(k.base_ns, INT64_C(1735632360000000000));
    assert_true(run_fact(&r, 0, "trace.record_shapes") == 1);
    assert_true(run_fact(&r, 0, "trace.with_stack") == 0);
    assert_true(run_fact(&r, 0, "trace.flow_events") == 2);
    assert_true(run_fact(&r, 0, "trace.container_events") == 1);
    run_release(&r);
}

static void device_lanes_are_device_and_stream_whatever_the_pid(void **state)
{
    (void)state;
    struct run r = read_good(modern);
    struct lane kernel = lane_of(&r, "sgemm");
    assert_int_equal(kernel.kind, LANE_KIND_DEVICE);
    assert_int_equal(kernel.device, 1);
    assert_int_equal(kernel.tid, 7);
    assert_string_equal(run_name(&r, kernel.name), "stream 7");
    assert_int_equal(span_of(&r, "Memcpy HtoD (Pageable -> Device)").lane,
                     span_of(&r, "sgemm").lane);
    struct lane op = lane_of(&r, "aten::mm");
    assert_int_equal(op.kind, LANE_KIND_CPU);
    assert_int_equal(op.device, -1);
    assert_int_equal(op.pid, 9);
    assert_string_equal(run_name(&r, op.name), "thread 10 (python)");
    struct lane sync = lane_of(&r, "Context Sync");
    assert_int_equal(sync.kind, LANE_KIND_DEVICE);
    assert_int_equal(sync.tid, -1);
    assert_int_equal(span_of(&r, "Context Sync").kind, SPAN_KIND_SYNC);
    run_release(&r);
}

static void profiler_steps_become_steps(void **state)
{
    (void)state;
    struct run r = read_good(modern);
    assert_int_equal(r.steps.table.n, 1);
    assert_int_equal(r.steps.number[0], 7);
    assert_int_equal(r.steps.begin_ns[0], 1000000);
    assert_int_equal(r.steps.end_ns[0], 1900500);
    assert_int_equal(r.ranks.step_method[0], STEP_METHOD_PROFILER_STEP);
    run_release(&r);
}

static void optimizer_steps_mark_steps_where_the_profiler_does_not(void **state)
{
    (void)state;
#define OPTIMIZER(ts)                                                                    \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"Optimizer.step#SGD.step\","    \
    "\"pid\":9,\"tid\":10,\"ts\":" ts ",\"dur\":10}"
    struct run r =
        read_good(HEAD OPTIMIZER("100") "," OPTIMIZER("200") "," OPTIMIZER("350") FOOT);
    assert_int_equal(r.ranks.step_method[0], STEP_METHOD_OPTIMIZER);
    assert_int_equal(r.steps.table.n, 2);
    assert_int_equal(r.steps.begin_ns[1], 210000);
    assert_int_equal(r.steps.end_ns[1], 360000);
    run_release(&r);
}

static void what_is_recorded_of_a_collective_is_kept(void **state)
{
    (void)state;
    struct run r = read_good(
        HEAD "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce\","
             "\"pid\":0,\"tid\":7,\"ts\":5,\"dur\":2,\"args\":{\"device\":0,\"stream\":7,"
             "\"Collective name\":\"allreduce\",\"In msg nelems\":1000,"
             "\"Out msg nelems\":1000,\"dtype\":\"BFloat16\",\"Group size\":16,"
             "\"Process Group Name\":\"3\",\"Seq\":12}}" FOOT);
    assert_int_equal(r.collectives.table.n, 1);
    struct collective c = collectives_get(&r.collectives, 0);
    assert_string_equal(run_name(&r, c.name), "allreduce");
    assert_string_equal(run_name(&r, c.group_name), "3");
    assert_string_equal(run_name(&r, c.dtype), "BFloat16");
    assert_int_equal(c.seq, 12);
    assert_int_equal(c.group_size, 16);
    assert_int_equal(c.bytes, 2000);
    assert_int_equal(c.exposed_ns, 2000);
    run_release(&r);
}

static void memory_totals_are_kept_by_class(void **state)
{
    (void)state;
    struct run r = read_good(modern);
    assert_int_equal(r.memories.table.n, 2);
    for (size_t i = 0; i < 2; i++) {
        struct memory m = memories_get(&r.memories, i);
        assert_int_equal(m.device, 1);
        assert_int_equal(m.at_ns, 1002500);
        assert_int_equal(m.bytes, m.what == MEMORY_CLASS_RESERVED ? 2097152 : 1024);
        assert_int_equal(m.origin, ORIGIN_MEASURED);
    }
    run_release(&r);
}

static void the_oldest_dialect_is_read(void **state)
{
    (void)state;
    struct run r = read_good(
        "[\n{\"ph\": \"X\", \"cat\": \"Operator\", \n \"name\": \"aten::empty\", "
        "\"pid\": "
        "67844, \"tid\": \"4093687616\", \"ts\": 1606910596297023, \"dur\": 13, "
        "\"args\": "
        "{\"Input dims\": [[1], []], \"Device\": 0, \"External id\": 2}},\n"
        "{\"ph\": \"X\", \"cat\": \"Runtime\", \"name\": \"cudaMemcpy\", \"pid\": 67844, "
        "\"tid\": \"4093687616\", \"ts\": 1606910596297030, \"dur\": 1, \"args\": "
        "{\"correlation\": 5, \"external id\": 2}},\n"
        "{\"ph\": \"X\", \"cat\": \"Kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": "
        "\"stream 7\", \"ts\": 1606910596297040, \"dur\": 2, \"args\": {\"correlation\": "
        "5}},\n"
        "{\"ph\": \"i\", \"s\": \"t\", \"name\": \"[memory]\", \"pid\": 1, \"tid\": 1, "
        "\"ts\": 1606910596297041, \"args\": {\"Device Type\": 0, \"Device Id\": -1, "
        "\"Bytes\": 48}},\n"
        "{\"ph\": \"i\", \"s\": \"t\", \"name\": \"[memory]\", \"pid\": 1, \"tid\": 1, "
        "\"ts\": 1606910596297042, \"args\": {\"Device Type\": 0, \"Device Id\": -1, "
        "\"Bytes\": -16}}\n]\n");
    assert_int_equal(span_of(&r, "aten::empty").begin_ns, INT64_C(1606910596297023000));
    assert_string_equal(run_name(&r, span_of(&r, "aten::empty").shapes), "[[1],[]]");
    assert_int_equal(lane_of(&r, "aten::empty").tid, INT64_C(4093687616));
    assert_int_equal(span_of(&r, "cudaMemcpy").kind, SPAN_KIND_SYNC);
    assert_int_equal(lane_of(&r, "k").tid, 7);
    assert_int_equal(lane_of(&r, "k").device, 0);
    assert_int_equal(r.ranks.base_ns[0], 0);
    assert_int_equal(r.ranks.complete[0], 1);
    assert_int_equal(r.memories.table.n, 2);
    assert_int_equal(r.memories.bytes[1], 32);
    assert_int_equal(r.memories.origin[1], ORIGIN_MODELLED);
    assert_int_equal(noted(&r, "without totals", NULL), 2);
    run_release(&r);
}

static void a_footer_can_hold_base_and_rank(void **state)
{
    (void)state;
    struct run r = read_good("{\"traceEvents\": [" OP(
        "a", "5.001", "1") "],\n"
                           "\"traceName\": \"x\", \"baseTimeNanoseconds\": 12345,"
                           "\"distributedInfo\": {\"rank\": 2}}");
    assert_int_equal(r.ranks.base_ns[0], 12345);
    assert_int_equal(r.ranks.rank[0], 2);
    assert_int_equal(r.ranks.world[0], 0);
    run_release(&r);
}

static void a_base_is_not_added_to_times_since_1970(void **state)
{
    (void)state;
    struct run r = read_good("{\"baseTimeNanoseconds\": 1735632360000000000, "
                             "\"traceEvents\": [" OP("a", "1735632361000000", "1") "]}");
    assert_int_equal(r.ranks.base_ns[0], 0);
    assert_int_equal(noted(&r, "baseTimeNanoseconds", NULL), 1);
    run_release(&r);
}

static int32_t rank_read_from(const char *name, const char *text)
{
    struct run r;
    struct err err = ERR_INIT;
    run_init(&r);
    assert_int_equal(trace_read_memory(&r, text, strlen(text), name, NULL, &err),
                     STATUS_OK);
    int32_t rank = r.ranks.rank[0];
    run_release(&r);
    return rank;
}

static void without_distributed_info_the_rank_comes_from_args_or_name(void **state)
{
    (void)state;
    const char *bare = HEAD OP("a", "1", "1") FOOT;
    assert_int_equal(rank_read_from("rank-34.Jul_15.1074.pt.trace.json.gz", bare), 34);
    assert_int_equal(rank_read_from("/a/b/sampled_rank_0.json", bare), 0);
    assert_int_equal(rank_read_from("worker3_step_12.1694128201557.pt.trace.json", bare),
                     3);
    assert_int_equal(rank_read_from("runs/rank12/trace.json", bare), 12);
    assert_int_equal(rank_read_from("RANK=5.json", bare), 5);
    assert_int_equal(rank_read_from("rank_non_gpu.json", bare), -1);
    assert_int_equal(rank_read_from("num_workers_0.b.json", bare), -1);
    assert_int_equal(rank_read_from("frank7.json", bare), -1);
    assert_int_equal(rank_read_from("worker1623143089861.json", bare), -1);
    assert_int_equal(rank_read_from("", bare), -1);
    const char *in_args =
        HEAD "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,"
             "\"tid\":1,\"ts\":1,\"dur\":1,\"args\":{\"Rank\":6}}" FOOT;
    assert_int_equal(rank_read_from("rank1.json", in_args), 6);
}

static void negative_and_textual_threads_have_lanes_of_their_own(void **state)
{
    (void)state;
    struct run r = read_good(
        HEAD "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":-204,"
             "\"ts\":1,\"dur\":1},"
             "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":1,\"tid\":\"main\","
             "\"ts\":1,\"dur\":1},"
             "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"c\",\"pid\":1,\"tid\":\"io\","
             "\"ts\":1,\"dur\":1}" FOOT);
    assert_int_equal(lane_of(&r, "a").tid, -204);
    assert_int_equal(r.lanes.table.n, 3);
    run_release(&r);
}

static void times_in_every_notation_are_exact(void **state)
{
    (void)state;
    struct run r = read_good(HEAD OP("i", "1712195495519689", "3") "," OP(
        "e", "1712195495519689.123",
        "0.001") "," OP("x", "1e3", "2.5e1") "," OP("n", "-7.5",
                                                    "1") "," OP("s", "\"12.25\"", "0")
                                 FOOT);
    assert_int_equal(span_of(&r, "i").begin_ns, INT64_C(1712195495519689000));
    assert_int_equal(span_of(&r, "e").begin_ns, INT64_C(1712195495519689123));
    assert_int_equal(span_of(&r, "e").dur_ns, 1);
    assert_int_equal(span_of(&r, "x").begin_ns, 1000000);
    assert_int_equal(span_of(&r, "x").dur_ns, 25000);
    assert_int_equal(span_of(&r, "n").begin_ns, -7500);
    assert_int_equal(span_of(&r, "s").begin_ns, 12250);
    run_release(&r);
}

static void impossible_times_are_skipped_and_noted(void **state)
{
    (void)state;
    struct run r = read_good(HEAD OP("good", "1", "1") "," OP("huge", "1e30", "1") "," OP(
        "far", "9000000000000000",
        "1") "," OP("word", "nan",
                    "1") "," OP("negative", "1",
                                "-5") "," OP("week", "1",
                                             "700000000000") ","
                                                             "{\"ph\":\"X\",\"cat\":"
                                                             "\"cpu_op\",\"name\":"
                                                             "\"nodur\",\"pid\":1,"
                                                             "\"tid\":1,\"ts\":1},"
                                                             "{\"ph\":\"X\",\"cat\":"
                                                             "\"cpu_op\",\"name\":"
                                                             "\"nots\",\"pid\":1,\"tid\":"
                                                             "1,\"dur\":1},"
                                                             "{\"ph\":\"X\",\"cat\":"
                                                             "\"kernel\",\"name\":"
                                                             "\"zero\",\"pid\":0,\"tid\":"
                                                             "7,\"ts\":0,"
                                                             "\"dur\":0}" FOOT);
    assert_int_equal(r.ranks.spans_seen[0], 1);
    assert_int_equal(r.ranks.events[0], 9);
    assert_int_equal(r.ranks.events_skipped[0], 8);
    assert_int_equal(noted(&r, "outside any calendar", NULL), 3);
    assert_int_equal(noted(&r, "\"dur\" is negative", NULL), 1);
    assert_int_equal(noted(&r, "7 days", NULL), 1);
    assert_int_equal(noted(&r, "without \"dur\"", NULL), 1);
    assert_int_equal(noted(&r, "without \"ts\"", NULL), 1);
    assert_int_equal(noted(&r, "ts 0 and dur 0", NULL), 1);
    assert_int_equal(r.ranks.complete[0], 1);
    run_release(&r);
}

static void unknown_categories_are_named_in_a_note(void **state)
{
    (void)state;
    struct run r = read_good(HEAD OP(
        "a", "1", "1") ","
                       "{\"ph\":\"X\",\"cat\":\"cuda_profiler_range\",\"name\":\"b\","
                       "\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1},"
                       "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":1,\"ts\":1,"
                       "\"dur\":1},"
                       "{\"ph\":\"Q\",\"name\":\"d\"},{\"name\":\"e\"},5,null" FOOT);
    assert_int_equal(noted(&r, "\"cuda_profiler_range\"", NULL), 1);
    assert_int_equal(noted(&r, "without \"cat\"", NULL), 1);
    assert_int_equal(noted(&r, "none that Kineto writes", NULL), 1);
    assert_int_equal(noted(&r, "without \"ph\"", NULL), 1);
    assert_int_equal(noted(&r, "not an object", NULL), 2);
    assert_int_equal(r.ranks.events[0], 7);
    assert_int_equal(r.ranks.events_skipped[0], 6);
    run_release(&r);
}

static void sizes_that_overflowed_are_left_out(void **state)
{
    (void)state;
    struct run r = read_good(
        HEAD "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"c\",\"pid\":0,"
             "\"tid\":7,\"ts\":1,\"dur\":1,\"args\":{\"bytes\":-2147483648}}" FOOT);
    assert_int_equal(span_of(&r, "c").bytes, 0);
    assert_int_equal(noted(&r, "negative size", NULL), 1);
    run_release(&r);
}

static void shapes_can_be_left_out_and_long_ones_are(void **state)
{
    (void)state;
    char text[2048] = HEAD "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"cat\",\"pid\":1,"
                           "\"tid\":1,\"ts\":1,\"dur\":1,\"args\":{\"Input Dims\":[";
    for (int i = 0; i < 80; i++)
        strcat(text, "[1,2],");
    strcat(text, "[1]]}}" FOOT);
    struct run r = read_good(text);
    assert_int_equal(span_of(&r, "cat").shapes, 0);
    assert_int_equal(noted(&r, "shapes longer", NULL), 1);
    run_release(&r);
    struct trace_options options = {.skip_shapes = true};
    struct err err = ERR_INIT;
    run_init(&r);
    assert_int_equal(
        trace_read_memory(&r, modern, sizeof modern - 1, "t", &options, &err), STATUS_OK);
    assert_int_equal(span_of(&r, "aten::mm").shapes, 0);
    run_release(&r);
}

struct progress {
    int calls;
    int64_t at, total;
};

static void on_progress(void *context, int64_t at_bytes, int64_t total_bytes)
{
    struct progress *p = context;
    assert_true(at_bytes >= p->at);
    *p = (struct progress){p->calls + 1, at_bytes, total_bytes};
}

static void progress_ends_at_the_total(void **state)
{
    (void)state;
    struct progress p = {0};
    struct trace_options options = {.progress = on_progress, .progress_context = &p};
    struct run r;
    struct err err = ERR_INIT;
    run_init(&r);
    assert_int_equal(
        trace_read_memory(&r, modern, sizeof modern - 1, "t", &options, &err), STATUS_OK);
    assert_true(p.calls > 0);
    assert_int_equal(p.at, sizeof modern - 1);
    assert_int_equal(p.total, sizeof modern - 1);
    run_release(&r);
}

static void two_traces_are_two_ranks_of_one_run(void **state)
{
    (void)state;
    struct run r;
    struct err err = ERR_INIT;
    const char *other = HEAD OP("a", "1", "1") FOOT;
    run_init(&r);
    assert_int_equal(trace_read_memory(&r, modern, sizeof modern - 1, "t", NULL, &err),
                     STATUS_OK);
    assert_int_equal(
        trace_read_memory(&r, other, strlen(other), "rank1.json", NULL, &err), STATUS_OK);
    assert_int_equal(trace_read_memory(&r, "x", 1, "t", NULL, &err), STATUS_INPUT);
    assert_int_equal(r.ranks.table.n, 2);
    assert_int_equal(r.ranks.rank[1], 1);
    assert_int_equal(run_check(&r, &err), STATUS_OK);
    run_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_modern_trace_becomes_spans_on_lanes),
        cmocka_unit_test(the_head_gives_rank_world_device_and_base),
        cmocka_unit_test(device_lanes_are_device_and_stream_whatever_the_pid),
        cmocka_unit_test(profiler_steps_become_steps),
        cmocka_unit_test(memory_totals_are_kept_by_class),
        cmocka_unit_test(the_oldest_dialect_is_read),
        cmocka_unit_test(a_footer_can_hold_base_and_rank),
        cmocka_unit_test(a_base_is_not_added_to_times_since_1970),
        cmocka_unit_test(without_distributed_info_the_rank_comes_from_args_or_name),
        cmocka_unit_test(negative_and_textual_threads_have_lanes_of_their_own),
        cmocka_unit_test(times_in_every_notation_are_exact),
        cmocka_unit_test(impossible_times_are_skipped_and_noted),
        cmocka_unit_test(unknown_categories_are_named_in_a_note),
        cmocka_unit_test(sizes_that_overflowed_are_left_out),
        cmocka_unit_test(shapes_can_be_left_out_and_long_ones_are),
        cmocka_unit_test(progress_ends_at_the_total),
        cmocka_unit_test(two_traces_are_two_ranks_of_one_run),
        cmocka_unit_test(optimizer_steps_mark_steps_where_the_profiler_does_not),
        cmocka_unit_test(what_is_recorded_of_a_collective_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
