#include "cmocka_setup.h"
#include "probe/probe.h"

#include <pthread.h>
#include <string.h>

/* All that was recorded, as one rank; returns its row. */
static int32_t finish_probe(struct run *run, struct rank rank)
{
    struct err err = ERR_INIT;
    int32_t row;
    assert_int_equal(probe_finish(run, rank, SIZE_MAX, &row, &err), STATUS_OK);
    return row;
}

static size_t count_spans(const struct run *run, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < run->spans.table.n; i++)
        n += !strcmp(run_name(run, run->spans.name[i]), name);
    return n;
}

/* Time must pass, else spans have no length to compare. */
static void work(void)
{
    int64_t until_ns = clock_now_ns() + 20000;
    while (clock_now_ns() < until_ns)
        ;
}

static void recorded_spans_come_back_as_steps_phases_and_ops(void **state)
{
    (void)state;
    struct run run;
    struct err err = ERR_INIT;
    run_init(&run);
    probe_start(1, 100);
    for (int step = 7; step < 9; step++) {
        int64_t step_ns = probe_begin(), phase_ns = probe_begin(), op_ns = probe_begin();
        work();
        probe_end(op_ns, SPAN_KIND_OP, "matmul", 1000, 64);
        probe_end(phase_ns, SPAN_KIND_PHASE, phase_text[PHASE_FORWARD], 0, 0);
        probe_record_until(step_ns, clock_now_ns(), SPAN_KIND_STEP, "step", step);
    }
    probe_stop();
    int32_t rank = finish_probe(&run, (struct rank){.rank = 3, .world = 4});
    assert_int_equal(run_check(&run, &err), STATUS_OK);
    struct rank r = ranks_get(&run.ranks, (size_t)rank);
    assert_int_equal(r.rank, 3);
    assert_int_equal(r.source, RUN_SOURCE_TRAINER);
    assert_int_equal(r.step_method, STEP_METHOD_TRAINER);
    assert_int_equal(r.spans_seen, 6);
    assert_int_equal(r.complete, 1);
    assert_int_equal(run.steps.table.n, 2);
    assert_int_equal(run.steps.number[0], 7);
    assert_int_equal(run.steps.number[1], 8);
    assert_int_equal(count_spans(&run, "matmul"), 2);
    assert_string_equal(run_name(&run, run.lanes.name[0]), "main");
    int64_t flop = 0, calls = 0, forward_ns = 0;
    for (size_t i = 0; i < run.ops.table.n; i++) {
        if (strcmp(run_name(&run, run.ops.name[i]), "matmul"))
            continue;
        flop += run.ops.flop[i];
        calls += run.ops.count[i];
        assert_true(run.ops.self_ns[i] >= 2 * 20000);
    }
    assert_int_equal(calls, 2);
    assert_int_equal(flop, 2000);
    for (size_t i = 0; i < run.phases.table.n; i++)
        if (run.phases.phase[i] == PHASE_FORWARD)
            forward_ns += run.phases.ns[i];
    assert_true(forward_ns >= 2 * 20000);
    assert_int_equal(run.notes.table.n, 0);
    run_release(&run);
}

static void a_full_buffer_drops_spans_and_says_so(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    probe_start(1, 10);
    for (int i = 0; i < 13; i++)
        probe_end(probe_begin(), SPAN_KIND_OP, "op", 0, 0);
    probe_stop();
    int32_t rank = finish_probe(&run, (struct rank){.world = 1});
    assert_int_equal(count_spans(&run, "op"), 10);
    assert_int_equal(run.ranks.events_skipped[rank], 3);
    assert_int_equal(run.ranks.complete[rank], 0);
    assert_int_equal(run.notes.table.n, 1);
    assert_non_null(strstr(run_name(&run, run.notes.text[0]), "3 spans were dropped"));
    run_release(&run);
}

static void *record_100(void *name)
{
    probe_thread(name);
    for (int i = 0; i < 100; i++) {
        int64_t t = probe_begin();
        work();
        probe_end(t, SPAN_KIND_OP, name, 1, 1);
    }
    return NULL;
}

static void each_thread_has_its_own_lane(void **state)
{
    (void)state;
    static char names[3][8] = {"one", "two", "three"};
    struct run run;
    pthread_t thread[3];
    run_init(&run);
    probe_start(3, 1000); /* main and two more: the third helper finds no lane */
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, record_100, names[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(pthread_create(&thread[2], NULL, record_100, names[2]), 0);
    pthread_join(thread[2], NULL);
    probe_stop();
    finish_probe(&run, (struct rank){.world = 1});
    assert_int_equal(count_spans(&run, "one"), 100);
    assert_int_equal(count_spans(&run, "two"), 100);
    assert_int_equal(count_spans(&run, "three"), 0);
    assert_int_equal(run.notes.table.n, 1);
    assert_non_null(strstr(run_name(&run, run.notes.text[0]), "100 spans"));
    for (size_t i = 0; i < run.spans.table.n; i++)
        assert_string_equal(run_name(&run, run.lanes.name[run.spans.lane[i]]),
                            run_name(&run, run.spans.name[i]));
    run_release(&run);
}

static void a_probe_that_is_off_records_nothing(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    probe_end(probe_begin(), SPAN_KIND_OP, "early", 0, 0);
    probe_start(1, 10);
    int64_t open_ns = probe_begin();
    probe_stop();
    probe_end(open_ns, SPAN_KIND_OP, "late", 0, 0); /* began before, ended after */
    finish_probe(&run, (struct rank){.world = 1});
    assert_int_equal(run.spans.table.n, 0);
    run_release(&run);
}

static void a_second_recording_starts_empty(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        struct run run;
        run_init(&run);
        probe_start(1, 10);
        probe_end(probe_begin(), SPAN_KIND_OP, "op", 0, 0);
        probe_stop();
        finish_probe(&run, (struct rank){.world = 1});
        assert_int_equal(count_spans(&run, "op"), 1);
        run_release(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_spans_come_back_as_steps_phases_and_ops),
        cmocka_unit_test(a_full_buffer_drops_spans_and_says_so),
        cmocka_unit_test(each_thread_has_its_own_lane),
        cmocka_unit_test(a_probe_that_is_off_records_nothing),
        cmocka_unit_test(a_second_recording_starts_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
