/*
 * Each modelling rule, switched off, spoils something that is known: how long a real
 * recording took, or what a change of it must gain. A rule that spoils nothing would have
 * no reason to be there. Without the real recordings the small ones by hand remain.
 */
#include "timeline_fixture.h"

#include "base/file.h"
#include "base/mem.h"
#include "replay/whatif.h"
#include "run/name_sort.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void read_real(struct run *run, const char *trace)
{
    char path[512];
    struct err err = ERR_INIT;
    struct trace_options options = {.keep_spans = SIZE_MAX, .threads = 1};
    snprintf(path, sizeof path, "%s/%s", TRACES_DIR, trace);
    if (!file_exists(path)) {
        run_release(run);
        skip();
    }
    assert_int_equal(trace_read(run, path, &options, &err), STATUS_OK);
}

/* --- questions: what a graph with or without a rule says, as a part --- */

typedef double question_fn(const struct replay *r);

static bool is_work(const struct replay *r, size_t span)
{
    const struct run *run = r->run;
    return run->lanes.kind[run->spans.lane[span]] == LANE_KIND_DEVICE &&
           r->begin_node[span] != GRAPH_NONE;
}

/* Replayed unchanged over measured, less 1: of the whole recording. */
static double span_error(const struct replay *r)
{
    int64_t *at_ns = mem_alloc((r->graph.nodes + 1) * sizeof *at_ns);
    graph_replay(&r->graph, NULL, at_ns);
    double error = (double)replay_span_ns(r, at_ns) / (double)replay_span_ns(r, NULL) - 1;
    mem_free(at_ns);
    return error;
}

/* The same of the step that is furthest off. */
static double step_error(const struct replay *r)
{
    int64_t *at_ns = mem_alloc((r->graph.nodes + 1) * sizeof *at_ns);
    double worst = 0;
    graph_replay(&r->graph, NULL, at_ns);
    for (size_t i = 0; i < r->n_steps; i++) {
        double error =
            (double)replay_step_ns(r, i, at_ns) / (double)replay_step_ns(r, i, NULL) - 1;
        worst = fabs(error) > fabs(worst) ? error : worst;
    }
    mem_free(at_ns);
    return worst;
}

/* The same from the first work of the device to its last. */
static double device_span_error(const struct replay *r)
{
    const struct graph *g = &r->graph;
    int64_t *at_ns = mem_alloc((g->nodes + 1) * sizeof *at_ns);
    int64_t first[2] = {INT64_MAX, INT64_MAX}, last[2] = {INT64_MIN, INT64_MIN};
    graph_replay(g, NULL, at_ns);
    for (size_t i = 0; i < r->run->spans.table.n; i++) {
        if (!is_work(r, i))
            continue;
        for (int k = 0; k < 2; k++) {
            const int64_t *t = k ? at_ns : g->measured_ns;
            int64_t begin_ns = t[r->begin_node[i]], end_ns = t[r->end_node[i]];
            first[k] = begin_ns < first[k] ? begin_ns : first[k];
            last[k] = end_ns > last[k] ? end_ns : last[k];
        }
    }
    mem_free(at_ns);
    return (double)(last[1] - first[1]) / (double)(last[0] - first[0]) - 1;
}

static double gain_frac(const struct replay *r, int32_t rank, struct edits *e)
{
    struct whatif w;
    struct analysis *a = analysis_new(r->run);
    whatif_init(&w, r, &a->ranks[a->index_of_row[rank]]);
    double steps = (double)(w.window.steps ? w.window.steps : 1);
    double frac = whatif_gain_ns(&w, e) * steps / (double)w.base_ns;
    whatif_release(&w);
    analysis_free(a);
    return frac;
}

/* What is gained, of the time, where all device work takes half as long. */
static double gain_of_a_faster_device(const struct replay *r)
{
    struct edits e;
    edits_init(&e, r);
    for (size_t i = 0; i < r->run->spans.table.n; i++)
        if (is_work(r, i))
            edits_work(&e, (int64_t)i, 0.5);
    double frac = gain_frac(r, 0, &e);
    edits_release(&e);
    return frac;
}

/* What is gained where batches are there at once. */
static double gain_without_fetching(const struct replay *r)
{
    const struct spans *s = &r->run->spans;
    struct edits e;
    edits_init(&e, r);
    for (size_t i = 0; i < s->table.n; i++) {
        const char *name = run_name(r->run, s->name[i]);
        if (name_sort(name, strlen(name)) == NAME_SORT_INPUT)
            edits_span(&e, (int64_t)i, 0);
    }
    double frac = gain_frac(r, 0, &e);
    edits_release(&e);
    return frac;
}

/* What is gained by the first rank where all others take half as long. */
static double gain_of_faster_others(const struct replay *r)
{
    const struct spans *s = &r->run->spans;
    struct edits e;
    edits_init(&e, r);
    for (size_t i = 0; i < s->table.n; i++)
        if (r->run->lanes.rank[s->lane[i]] != 0 && s->kind[i] != SPAN_KIND_STEP)
            edits_span(&e, (int64_t)i, 0.5);
    double frac = gain_frac(r, 0, &e);
    edits_release(&e);
    return frac;
}

static double ask(const struct run *run, question_fn *question, uint32_t without)
{
    struct replay_options options = {.without = without};
    struct replay *r = replay_new(run, &options);
    double answer = question(r);
    replay_free(r);
    return answer;
}

/* --- real recordings --- */

/* Why the answer is known:
 *   *_error: it was measured; right is 0.
 *   gain_of_a_faster_device: at least this is known, since the device did nothing but
 *     work in so much of the time, and the host only waited for it.
 *   gain_without_fetching: the job was run with workers too: 126.8 ms instead of 176.5.
 */
struct matter {
    enum replay_rule rule;
    const char *trace;
    question_fn *question;
    double right, within; /* with the rule, the answer is so near to what is right */
    double off;           /* without it, at least so far */
};

#define RESNET "kineto_tb/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz"
#define DLRM_1 "param/dlrm_kineto/worker1_step_12.1694128201556.pt.trace.json"
#define NO_CACHE "tracelens/mi300/ddp_resnet18_no_pool/train_resnet18.json.gz"

static const struct matter matters[] = {
    {REPLAY_RULE_HANDOFF, RESNET, gain_without_fetching, 1 - 126.8 / 176.5, 0.06, 0.25},
    /* 12.5 of 12.9 ms are kernels, and then the host synchronises */
    {REPLAY_RULE_SYNC, "tracelens/torch_compile_triton/trace.json.gz",
     gain_of_a_faster_device, 0.485, 0.01, 0.4},
    /* 201 of 250 ms are kernels, and then the host copies the image back */
    {REPLAY_RULE_BLOCKING_COPY,
     "tracelens/inference/xdit_flux.1_aiter_sage/profile_trace_rank_0.json.gz",
     gain_of_a_faster_device, 0.40, 0.06, 0.35},
    {REPLAY_RULE_COPY_TAIL, "gpupuzzlers/streams/blocking/blocking_streams.json.gz",
     span_error, 0, 0.01, 0.03},
    /* in a step 70.7 of 1,041.5 ms are kernels; freeing waits for them */
    {REPLAY_RULE_FREE, NO_CACHE, gain_of_a_faster_device, 0.034, 0.005, 0.03},
    /* in a step 94.5 of 95.6 ms are kernels, launched as far ahead as the queue allows */
    {REPLAY_RULE_QUEUE,
     "hta/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
     gain_of_a_faster_device, 0.494, 0.01, 0.15},
    {REPLAY_RULE_CROSS_STREAM, DLRM_1, span_error, 0, 0.01, 0.2},
    {REPLAY_RULE_CONTENTION, "hta/trace_diff/test/test.json.gz", step_error, 0, 0.02,
     0.2},
    {REPLAY_RULE_CONTENTION, "hta/trace_diff/control/control.json.gz", step_error, 0,
     0.01, 0.05},
    {REPLAY_RULE_GRAPHS, "hta/negative_queue_length_values_check/rank0.json.gz",
     span_error, 0, 0.01, 0.08},
    {REPLAY_RULE_BACKLOG,
     "tracelens/inference/sglang_decode/sglang_Qwen3-8B_decode.json.gz", span_error, 0,
     0.01, 0.9},
};

static void switched_off_each_rule_spoils_a_real_recording(void **state)
{
    for (size_t i = 0; i < sizeof matters / sizeof *matters; i++) {
        const struct matter *m = &matters[i];
        struct run run;
        run_init(&run);
        read_real(&run, m->trace);
        double with = ask(&run, m->question, 0);
        double without = ask(&run, m->question, 1u << m->rule);
        print_message("%-66.66s right %+.3f, with %+.4f, without %+.4f: %s\n", m->trace,
                      m->right, with, without, replay_rule_text[m->rule]);
        assert_true(fabs(with - m->right) <= m->within);
        assert_true(fabs(without - m->right) >= m->off);
        run_release(&run);
    }
    (void)state;
}

/* Rank 0 of eight waits in its collectives for others. */
static void without_meetings_no_rank_waits_for_others(void **state)
{
    static const char *const ranks[] = {
        "0_step_12.1694128201545", "1_step_12.1694128201556", "2_step_12.1694128201554",
        "3_step_12.1694128201557", "4_step_12.1694128201547", "5_step_12.1694128201549",
        "6_step_12.1694128201553", "7_step_12.1694128201553"};
    struct run run;
    run_init(&run);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        char trace[128];
        snprintf(trace, sizeof trace, "param/dlrm_kineto/worker%s.pt.trace.json",
                 ranks[i]);
        read_real(&run, trace);
    }
    double with = ask(&run, gain_of_faster_others, 0);
    double without = ask(&run, gain_of_faster_others, 1u << REPLAY_RULE_COLLECTIVE);
    print_message("eight ranks: with %+.4f, without %+.4f\n", with, without);
    assert_true(with > 0.05);
    assert_true(without == 0);
    run_release(&run);
    (void)state;
}

/* --- recordings by hand --- */

/* Steps of 1,000 us: five kernels of 150 us; the host waits for them by `call`. */
static void write_waits(struct timeline *t, const char *call)
{
    timeline_init(t, "Example GPU");
    for (int k = 0; k < 6; k++) {
        double at_us = 1000.0 * k;
        timeline_step(t, k, at_us, 1000);
        for (int i = 0; i < 5; i++)
            timeline_launch(t, "cudaLaunchKernel", at_us + 10 + 20 * i, 8, "gemm",
                            at_us + 20 + 151 * i, 150, 0);
        timeline_call(t, call, at_us + 120, 660);
        timeline_call(t, call, at_us + 800, 2); /* nothing is left to wait for */
    }
    timeline_read(t);
}

static void waits_end_earlier_where_work_does(void **state)
{
    static const struct {
        enum replay_rule rule;
        const char *call;
    } waits[] = {{REPLAY_RULE_SYNC, "cudaDeviceSynchronize"},
                 {REPLAY_RULE_SYNC, "cudaStreamSynchronize"},
                 {REPLAY_RULE_EVENT_SYNC, "cudaEventSynchronize"}};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        struct timeline t;
        write_waits(&t, waits[i].call);
        double with = ask(&t.run, gain_of_a_faster_device, 0);
        double without = ask(&t.run, gain_of_a_faster_device, 1u << waits[i].rule);
        print_message("%s: with %+.4f, without %+.4f\n", waits[i].call, with, without);
        assert_true(fabs(with - 0.375) < 0.02); /* 5 x 75 of 1,000 us */
        assert_true(without < 0.1);
        timeline_release(&t);
    }
    (void)state;
}

/* A launch that takes 900 us, as where code is loaded first, launches when it ends. */
static void work_of_a_slow_launch_comes_late(void **state)
{
    struct timeline t;
    timeline_init(&t, "Example GPU");
    for (int i = 0; i < 9; i++)
        timeline_launch(&t, "cudaLaunchKernel", 10 + 40 * i, 8, "first", 16 + 40 * i, 20,
                        0);
    timeline_launch(&t, "cudaLaunchKernel", 400, 900, "last", 1298, 500, 0);
    timeline_read(&t);
    assert_true(fabs(ask(&t.run, device_span_error, 0)) < 0.01);
    assert_true(ask(&t.run, device_span_error, 1u << REPLAY_RULE_SLOW_LAUNCH) < -0.3);
    timeline_release(&t);
    (void)state;
}

/* --- waits that the recording names --- */

static int call_with_id(struct timeline *t, const char *name, double at_us, double dur_us)
{
    char args[64];
    snprintf(args, sizeof args, "\"correlation\": %d", ++t->last_correlation);
    timeline_event(t, "cuda_runtime", name, 1, TIMELINE_THREAD, at_us, dur_us, args);
    return t->last_correlation;
}

static void name_wait(struct timeline *t, const char *what, int waiting, int stream,
                      int record, int call, double at_us)
{
    char args[256];
    snprintf(args, sizeof args,
             "\"device\": 0, \"stream\": %d, \"correlation\": %d, "
             "\"wait_on_stream\": %d, \"wait_on_cuda_event_record_corr_id\": %d",
             waiting, call, stream, record);
    timeline_event(t, "cuda_sync", what, 0, waiting, at_us, 1, args);
}

static void launch_at(struct timeline *t, int stream, const char *name, double at_us,
                      double begin_us, double dur_us)
{
    timeline_launch_on(t, TIMELINE_THREAD, stream, "cudaLaunchKernel", at_us, 8, name,
                       begin_us, dur_us, 0);
}

/* Work of one name takes half as long. */
static double gain_of_a_faster_other(const struct replay *r)
{
    struct edits e;
    edits_init(&e, r);
    for (size_t i = 0; i < r->run->spans.table.n; i++)
        if (is_work(r, i) && !strcmp(run_name(r->run, r->run->spans.name[i]), "other"))
            edits_work(&e, (int64_t)i, 0.5);
    double frac = gain_frac(r, 0, &e);
    edits_release(&e);
    return frac;
}

/* The last work waits for "awaited" by an event; "other" ends by chance even closer to
 * its begin. */
static void write_stream_wait(struct timeline *t)
{
    timeline_init(t, "Example GPU");
    for (int k = 0; k < 6; k++) {
        double at_us = 1000.0 * k;
        timeline_step(t, k, at_us, 1000);
        launch_at(t, 7, "awaited", at_us + 10, at_us + 20, 300);
        int record = call_with_id(t, "cudaEventRecord", at_us + 20, 2);
        launch_at(t, 8, "other", at_us + 30, at_us + 40, 281);
        int wait = call_with_id(t, "cudaStreamWaitEvent", at_us + 40, 2);
        name_wait(t, "Stream Wait Event", 9, 7, record, wait, at_us + 41);
        launch_at(t, 9, "last", at_us + 50, at_us + 323, 400);
        timeline_call(t, "cudaDeviceSynchronize", at_us + 100, 630);
    }
    timeline_read(t);
}

/* The host waits for "awaited" by an event, while "other" ends by chance a little later.
 */
static void write_event_wait(struct timeline *t)
{
    timeline_init(t, "Example GPU");
    for (int k = 0; k < 6; k++) {
        double at_us = 1000.0 * k;
        timeline_step(t, k, at_us, 1000);
        launch_at(t, 7, "awaited", at_us + 10, at_us + 20, 600);
        int record = call_with_id(t, "cudaEventRecord", at_us + 20, 2);
        launch_at(t, 8, "other", at_us + 30, at_us + 40, 582);
        int wait = call_with_id(t, "cudaEventSynchronize", at_us + 100, 525);
        name_wait(t, "Event Sync", -1, 7, record, wait, at_us + 101);
        timeline_call(t, "cudaEventSynchronize", at_us + 700, 2);
    }
    timeline_read(t);
}

static void what_the_recording_names_comes_before_what_times_suggest(void **state)
{
    void (*const writes[])(struct timeline *) = {write_stream_wait, write_event_wait};
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        struct timeline t;
        writes[i](&t);
        double with = ask(&t.run, gain_of_a_faster_other, 0);
        double without = ask(&t.run, gain_of_a_faster_other, 1u << REPLAY_RULE_RECORDED);
        print_message("with %+.4f, without %+.4f\n", with, without);
        assert_true(fabs(with) < 0.005);
        assert_true(without > 0.1);
        timeline_release(&t);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_end_earlier_where_work_does),
        cmocka_unit_test(work_of_a_slow_launch_comes_late),
        cmocka_unit_test(what_the_recording_names_comes_before_what_times_suggest),
        cmocka_unit_test(switched_off_each_rule_spoils_a_real_recording),
        cmocka_unit_test(without_meetings_no_rank_waits_for_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
