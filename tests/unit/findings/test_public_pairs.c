/* Public traces of jobs before and after a fix: from the one before alone, what is
 * predicted of the one after? */
#include "cmocka_setup.h"

#include "base/file.h"
#include "findings/findings.h"
#include "trace/trace_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct asked {
    struct run run;
    struct analysis *analysis;
    struct findings *findings;
};

static void ask(struct asked *a, const char *trace)
{
    char path[512];
    struct err err = ERR_INIT;
    struct trace_options options = {.keep_spans = SIZE_MAX, .threads = 1};
    snprintf(path, sizeof path, "%s/%s", TRACES_DIR, trace);
    if (!file_exists(path))
        skip();
    run_init(&a->run);
    assert_int_equal(trace_read(&a->run, path, &options, &err), STATUS_OK);
    a->analysis = analysis_new(&a->run);
    a->findings = findings_new(&a->run, a->analysis);
}

static void asked_release(struct asked *a)
{
    findings_free(a->findings);
    analysis_free(a->analysis);
    run_release(&a->run);
}

static const struct finding *told(const struct asked *a, const char *rule)
{
    for (size_t i = 0; i < a->findings->n; i++)
        if (!strcmp(a->findings->finding[i].rule->name, rule))
            return &a->findings->finding[i];
    fail_msg("%s is not told", rule);
    return NULL;
}

static void print_pair(const char *trace, const struct asked *a, const struct finding *x,
                       double known_ms)
{
    double step_ms = a->findings->step_ns / 1e6;
    print_message("%-62s %-14s measured %7.1f ms, predicted %7.1f [%.1f, %.1f], known "
                  "%7.1f (%+.1f %%)\n",
                  trace, x->rule->name, step_ms, step_ms - x->gain_ns / 1e6,
                  step_ms - x->gain_high_ns / 1e6, step_ms - x->gain_low_ns / 1e6,
                  known_ms, 100 * ((step_ms - x->gain_ns / 1e6) / known_ms - 1));
}

/* The middle of the interval is not asked: what comes instead is not in the trace. */
static void known_lies_within(const char *trace, const char *rule, double known_ms)
{
    struct asked a;
    ask(&a, trace);
    const struct finding *x = told(&a, rule);
    print_pair(trace, &a, x, known_ms);
    double step_ms = a.findings->step_ns / 1e6;
    assert_true(step_ms - x->gain_high_ns / 1e6 <= known_ms);
    assert_true(step_ms - x->gain_low_ns / 1e6 >= known_ms);
    assert_true(x->gain_low_ns > -0.1 * a.findings->step_ns); /* it says something */
    assert_true(*x->missing);
    asked_release(&a);
}

static void known_is_predicted(const char *trace, const char *rule, double known_ms,
                               double most_frac)
{
    struct asked a;
    ask(&a, trace);
    const struct finding *x = told(&a, rule);
    print_pair(trace, &a, x, known_ms);
    double predicted_ms = (a.findings->step_ns - x->gain_ns) / 1e6;
    assert_true(fabs(predicted_ms / known_ms - 1) <= most_frac);
    assert_true(a.findings->finding[0].rule == x->rule); /* it is told first */
    asked_release(&a);
}

static void four_workers_instead_of_none_are_predicted_within_a_tenth(void **state)
{
    static const struct {
        const char *trace;
        double known_ms;
    } runs[] = {
        {"kineto_tb/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz",
         126.8},
        {"kineto_tb/resnet50_num_workers_0/worker0.1623143566756.pt.trace.json.gz",
         127.1},
        {"kineto_tb/old/resnet50_num_workers_0.b.json.gz", 173.9},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        known_is_predicted(runs[i].trace, "input-bound", runs[i].known_ms, 0.10);
    (void)state;
}

/* The device's span of 195.1 ms stands in a recording of 196.9. */
static void copies_that_do_not_block_lie_within(void **state)
{
    known_lies_within("gpupuzzlers/streams/blocking/blocking_streams.json.gz",
                      "blocking-copy", 195.1);
    (void)state;
}

static void sums_kept_on_the_device_lie_within(void **state)
{
    known_lies_within("gpupuzzlers/d2h_sync/addition_first_sum.json.gz", "host-wait",
                      92.6);
    (void)state;
}

static void sums_without_reading_back_lie_within(void **state)
{
    known_lies_within("gpupuzzlers/d2h_sync/addition_first_sum.json.gz", "host-wait",
                      50.1);
    (void)state;
}

static void sums_without_launches_lie_within(void **state)
{
    known_lies_within("gpupuzzlers/d2h_sync/addition_second_sum.json.gz", "launch-bound",
                      50.1);
    (void)state;
}

/* Recordings in which nothing of this group is to be told. */
static void healthy_recordings_are_left_alone(void **state)
{
    static const char *const healthy[] = {
        "gpupuzzlers/d2h_sync/addition_third_sum.json.gz",
        "hta/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
        "hta/negative_queue_length_values_check/rank0.json.gz",
        "tracelens/mi300/resnet_act_checkpoint.json.gz",
        "tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
        "tracelens/torch_compile_triton/trace.json.gz",
        "tracelens/inference/vllm_decode_full/graph_execution.json.gz",
    };
    static const char *const device_rules[] = {"host-wait",       "blocking-copy",
                                               "pageable-copy",   "launch-bound",
                                               "allocator-churn", "tensor-cores-unused"};
    for (size_t i = 0; i < sizeof healthy / sizeof *healthy; i++) {
        struct asked a;
        ask(&a, healthy[i]);
        for (size_t k = 0; k < a.findings->n; k++)
            for (size_t r = 0; r < sizeof device_rules / sizeof *device_rules; r++)
                if (!strcmp(a.findings->finding[k].rule->name, device_rules[r]))
                    fail_msg("%s: %s is told: %s", healthy[i], device_rules[r],
                             a.findings->finding[k].evidence);
        asked_release(&a);
    }
    (void)state;
}

static void the_allocator_of_a_job_without_a_cache_is_told(void **state)
{
    struct asked a;
    ask(&a, "tracelens/mi300/ddp_resnet18_no_pool/train_resnet18.json.gz");
    const struct finding *x = told(&a, "allocator-churn");
    assert_true(x->gain_ns > a.findings->step_ns / 2);
    asked_release(&a);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_workers_instead_of_none_are_predicted_within_a_tenth),
        cmocka_unit_test(copies_that_do_not_block_lie_within),
        cmocka_unit_test(sums_kept_on_the_device_lie_within),
        cmocka_unit_test(sums_without_reading_back_lie_within),
        cmocka_unit_test(sums_without_launches_lie_within),
        cmocka_unit_test(healthy_recordings_are_left_alone),
        cmocka_unit_test(the_allocator_of_a_job_without_a_cache_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
