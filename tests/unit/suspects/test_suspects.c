/* What a run says of lint's findings: hand-made traces of a GPU, and recordings of one job
 * (tests/data/suspects) by gait record and by torch.profiler. */
#include "timeline_fixture.h"

#include "judged.h"

#include "base/file.h"
#include "base/mem.h"
#include "lint/lint_check.h"
#include "price/price_text.h"
#include "run/run_file.h"
#include "suspects/rule_scope.h"

#include <stdlib.h>

/* --- a GPU --- */

enum { STEPS = 6 };

/* Steps of 1,000 us in main(), which is open all the time. In each a frame of 700 us, in
 * which the host launches four kernels of 100 us, and, where it reads, waits for them. */
static void write_steps(struct timeline *t, const char *frame, bool reads)
{
    timeline_init(t, "Example GPU");
    if (frame)
        timeline_event(t, "python_function", "train.py(77): main", 1, TIMELINE_THREAD,
                       -10, 1000.0 * STEPS + 20, "");
    for (int k = 0; k < STEPS; k++) {
        double at_us = 1000.0 * k;
        timeline_step(t, k, at_us, 1000);
        if (frame)
            timeline_event(t, "python_function", frame, 1, TIMELINE_THREAD, at_us + 1,
                           700, "");
        for (int i = 0; i < 4; i++) {
            timeline_op(t, "aten::mm", at_us + 8 + 20 * i, 15);
            timeline_launch(t, "cudaLaunchKernel", at_us + 10 + 20 * i, 8, "gemm",
                            at_us + 20 + 102 * i, 100, 0);
        }
        if (!reads)
            continue;
        timeline_op(t, "aten::item", at_us + 100, 400);
        timeline_op(t, "aten::_local_scalar_dense", at_us + 101, 398);
        timeline_launch(t, "cudaMemcpyAsync", at_us + 102, 8,
                        "Memcpy DtoH (Device -> Pinned)", at_us + 480, 2, 4);
        timeline_call(t, "cudaStreamSynchronize", at_us + 112, 378);
    }
    timeline_read(t);
}

static const char SYNC[] = "host-wait logging-often";

/* Two reads in the function that the trace has: they share one price. */
static void what_a_function_asks_for_is_priced_as_analyze_tells_it(void **state)
{
    (void)state;
    struct timeline t;
    struct judged j;
    write_steps(&t, "train.py(20): train_step", true);
    judged_init(&j);
    judged_add(&j, "train.py", 25, "train_step", 18, 30, SYNC);
    judged_add(&j, "train.py", 27, "train_step", 18, 30, SYNC);
    judge(&j, &t.run);
    const struct suspect *x = verdict_is(&j, 0, SUSPECT_PRICED);
    const struct finding *told = &j.told->finding[x->finding];
    assert_string_equal(told->rule->name, "host-wait");
    assert_string_equal(x->cost.rule, "host-wait");
    assert_true(x->cost.gain_ns == told->gain_ns && x->cost.holds_ns == told->holds_ns);
    assert_int_equal(x->cost.number, x->finding + 1);
    assert_int_equal(x->cost.sharing, 2);
    assert_says(x->price, price_told(&j.suspects.text, j.told->step_ns, told));
    assert_says(x->price, "all 2 such lines together");
    assert_int_equal(verdict_is(&j, 1, SUSPECT_PRICED)->finding, x->finding);
    suspects_set_prices(&j.suspects, &j.lint);
    assert_ptr_equal(j.files[0].findings[0].price, x->price);
    assert_ptr_equal(j.files[0].findings[0].cost, &x->cost);
    judged_release(&j);
    timeline_release(&t);
}

static void functions_that_do_not_ask_for_it_are_not_priced(void **state)
{
    (void)state;
    struct timeline t;
    struct judged j;
    write_steps(&t, "train.py(20): train_step", true);
    judged_init(&j);
    judged_add(&j, "train.py", 44, "evaluate", 40, 50, SYNC);
    judged_add(&j, "model.py", 44, "train_step", 18, 30, SYNC);
    judged_add(&j, "train.py", 70, "main", 60, 90, SYNC); /* it calls train_step() */
    judge(&j, &t.run);
    assert_says(verdict_is(&j, 0, SUSPECT_NOT_MEASURED)->price,
                "it did not run in the recorded steps");
    assert_says(verdict_is(&j, 1, SUSPECT_NOT_MEASURED)->price, "main takes");
    assert_says(verdict_is(&j, 2, SUSPECT_NOT_MEASURED)->price,
                "nothing of this file ran");
    judged_release(&j);
    timeline_release(&t);
}

/* The loop that trains was entered before the tracer began: its frame has the line that it
 * was at, and no operator of a step lies in a frame that begins there. */
static void what_no_inner_function_asks_for_is_the_loops_own(void **state)
{
    (void)state;
    struct timeline t;
    struct judged j;
    write_steps(&t, "torch/library.py(20): call", true);
    judged_init(&j);
    judged_add(&j, "train.py", 70, "main", 60, 90, SYNC);
    judge(&j, &t.run);
    verdict_is(&j, 0, SUSPECT_PRICED);
    judged_release(&j);
    timeline_release(&t);
}

static void what_analyze_looked_for_in_vain_is_refuted(void **state)
{
    (void)state;
    for (int frames = 0; frames < 2; frames++) {
        struct timeline t;
        struct judged j;
        write_steps(&t, frames ? "train.py(20): train_step" : NULL, false);
        judged_init(&j);
        judged_add(&j, "train.py", 25, "train_step", 18, 30, "host-wait");
        judged_add(&j, "train.py", 26, "train_step", 18, 30, "input-bound");
        judged_add(&j, "train.py", 44, "evaluate", 40, 50, "host-wait");
        judged_add(&j, "train.py", 27, "train_step", 18, 30, SYNC);
        judged_add(&j, "train.py", 28, "train_step", 18, 30, "logging-often host-wait");
        judge(&j, &t.run);
        assert_says(verdict_is(&j, 0, SUSPECT_REFUTED)->price, "found none");
        verdict_is(&j, 1, SUSPECT_REFUTED);
        /* a function that did not run says nothing */
        verdict_is(&j, 2, frames ? SUSPECT_NOT_MEASURED : SUSPECT_REFUTED);
        /* the first rule is the cause; the run cannot be asked for the other */
        assert_says(verdict_is(&j, 3, SUSPECT_REFUTED)->price, "for host-wait and found");
        verdict_is(&j, 4, SUSPECT_NOT_MEASURED);
        judged_release(&j);
        timeline_release(&t);
    }
}

static void a_run_that_cannot_show_a_cause_refutes_nothing(void **state)
{
    (void)state;
    struct timeline t;
    struct judged j;
    write_steps(&t, NULL, true);
    judged_init(&j);
    judged_add(&j, "train.py", 25, "train_step", 18, 30, "host-wait");
    judged_add(&j, "train.py", 26, "train_step", 18, 30, "invariant-rebuilt");
    judged_add(&j, "train.py", 27, "train_step", 18, 30, "checkpoint-often");
    judged_add(&j, "train.py", 28, "train_step", 18, 30, "small-collectives");
    judged_add(&j, "train.py", 29, "train_step", 18, 30, "");
    judge(&j, &t.run);
    assert_says(verdict_is(&j, 0, SUSPECT_NOT_MEASURED)->price,
                "`gait analyze` has finding 1, host-wait, but");
    assert_says(verdict_is(&j, 1, SUSPECT_NOT_MEASURED)->price,
                "the data flow of a step");
    assert_says(verdict_is(&j, 2, SUSPECT_NOT_MEASURED)->price, "untraced steps");
    assert_says(verdict_is(&j, 3, SUSPECT_NOT_MEASURED)->price, "several ranks");
    assert_says(verdict_is(&j, 4, SUSPECT_NOT_MEASURED)->price, "no rule");
    judged_release(&j);
    timeline_release(&t);
}

static void a_function_that_is_shorter_than_any_gain_is_harmless(void **state)
{
    (void)state;
    struct timeline t;
    struct judged j;
    write_steps(&t, "train.py(20): train_step", true);
    run_release(&t.run);
    run_init(&t.run);
    t.text.len -= strlen("\n]}\n");
    for (int k = 0; k < STEPS; k++)
        timeline_event(&t, "python_function", "log.py(7): note", 1, TIMELINE_THREAD,
                       1000.0 * k + 800, 15, "");
    timeline_read(&t);
    judged_init(&j);
    judged_add(&j, "log.py", 9, "note", 7, 12, SYNC);
    judged_add(&j, "log.py", 10, "note", 7, 12, "wider-type"); /* others pay for it */
    judge(&j, &t.run);
    assert_says(verdict_is(&j, 0, SUSPECT_REFUTED)->price, "it holds at most 0.015 ms");
    verdict_is(&j, 1, SUSPECT_NOT_MEASURED);
    judged_release(&j);
    timeline_release(&t);
}

/* --- recordings of a job --- */

static void load_recording(struct run *run, struct judged *j)
{
    struct err err = ERR_INIT;
    run_init(run);
    if (run_load(run, TESTS_DIR "/data/suspects/train.gait", RUN_PARTS_ALL, &err))
        fail_msg("%s", err.text);
    judged_init(j);
}

static const char *const PATH = TESTS_DIR "/data/suspects/train.py";

static void statements_of_a_recording_are_priced_by_its_findings(void **state)
{
    (void)state;
    struct run run;
    struct judged j;
    load_recording(&run, &j);
    judged_add(&j, PATH, 25, "forward", 24, 28, "invariant-rebuilt");
    judged_add(&j, PATH, 26, "forward", 24, 28, "invariant-rebuilt repeated-work");
    judged_add(&j, PATH, 28, "forward", 24, 28, "invariant-rebuilt");
    judged_add(&j, PATH, 33, "main", 31, 45, "threads-few");
    judged_add(&j, PATH, 26, "forward", 24, 28, "small-tensors");
    judge(&j, &run);
    assert_int_equal(verdict_is(&j, 0, SUSPECT_PRICED)->cost.sharing, 2);
    assert_string_equal(verdict_is(&j, 1, SUSPECT_PRICED)->cost.rule,
                        "invariant-rebuilt");
    assert_says(verdict_is(&j, 2, SUSPECT_MEASURED)->price, "is spent here, measured");
    assert_string_equal(verdict_is(&j, 3, SUSPECT_PRICED)->cost.rule, "threads-few");
    assert_says(verdict_is(&j, 4, SUSPECT_MEASURED)->price,
                "has another cause here (finding 2, invariant-rebuilt)");
    judged_release(&j);
    run_release(&run);
}

static void a_recording_of_another_job_says_nothing(void **state)
{
    (void)state;
    struct run run;
    struct judged j;
    load_recording(&run, &j);
    judged_add(&j, "/elsewhere/other.py", 36, "main", 31, 45, "input-bound");
    judged_add(&j, "/elsewhere/other.py", 33, "main", 31, 45, "threads-few");
    judge(&j, &run);
    assert_says(verdict_is(&j, 0, SUSPECT_NOT_MEASURED)->price, "of this job?");
    assert_says(verdict_is(&j, 1, SUSPECT_NOT_MEASURED)->price, "of this job?");
    judged_release(&j);
    run_release(&run);
}

/* The mask is built in forward(), line 39 calls it: one cause, one price. */
static void what_a_statement_calls_is_its_own(void **state)
{
    (void)state;
    struct run run;
    struct judged j;
    load_recording(&run, &j);
    judged_add(&j, PATH, 39, "main", 31, 45, "invariant-rebuilt");
    judged_add(&j, PATH, 26, "forward", 24, 28, "invariant-rebuilt");
    judge(&j, &run);
    assert_int_equal(verdict_is(&j, 0, SUSPECT_PRICED)->finding,
                     verdict_is(&j, 1, SUSPECT_PRICED)->finding);
    judged_release(&j);
    run_release(&run);
}

/* model = torch.compile(Model()) would stand here: line 34 runs once. */
static void what_sets_something_up_has_its_cost_elsewhere(void **state)
{
    (void)state;
    struct run run;
    struct judged j;
    load_recording(&run, &j);
    judged_add(&j, PATH, 34, "main", 31, 45, "invariant-rebuilt")->in_step = false;
    judged_add(&j, PATH, 34, "main", 31, 45, "elementwise-chain")->in_step = false;
    judge(&j, &run);
    verdict_is(&j, 0, SUSPECT_PRICED);
    assert_says(verdict_is(&j, 1, SUSPECT_REFUTED)->price,
                "looked for elementwise-chain");
    judged_release(&j);
    run_release(&run);
}

static void what_takes_next_to_nothing_is_refuted_with_its_time(void **state)
{
    (void)state;
    struct run run;
    struct judged j;
    load_recording(&run, &j);
    judged_add(&j, PATH, 43, "main", 31, 45, SYNC);
    judged_add(&j, PATH, 41, "main", 31, 45, "python-time");
    judged_add(&j, PATH, 36, "main", 31, 45, "input-bound");
    judge(&j, &run);
    assert_says(verdict_is(&j, 0, SUSPECT_REFUTED)->price, "a gain counts from 0.896 ms");
    const struct suspect *x = verdict_is(&j, 1, SUSPECT_MEASURED);
    assert_true(x->cost.holds_ns > 0.4 * j.told->step_ns && isnan(x->cost.gain_ns));
    verdict_is(&j, 2, SUSPECT_REFUTED);
    judged_release(&j);
    run_release(&run);
}

static void lines_that_did_not_run_or_have_changed_are_not_measured(void **state)
{
    (void)state;
    struct run run;
    struct judged j;
    load_recording(&run, &j);
    judged_add(&j, PATH, 45, "main", 31, 45, SYNC);
    judged_add(&j, PATH, 43, "main", 31, 45, SYNC)->source = "  total += loss";
    judged_add(&j, PATH, 43, "main", 31, 45, SYNC)->source = "\ttotal  += loss.item()";
    judged_add(&j, "other.py", 43, "main", 31, 45, SYNC);
    judge(&j, &run);
    assert_says(verdict_is(&j, 0, SUSPECT_NOT_MEASURED)->price, "it did not run");
    assert_says(verdict_is(&j, 1, SUSPECT_NOT_MEASURED)->price, "has changed");
    verdict_is(&j, 2, SUSPECT_REFUTED);
    assert_says(verdict_is(&j, 3, SUSPECT_NOT_MEASURED)->price, "nothing of this file");
    judged_release(&j);
    run_release(&run);
}

/* The same job by torch.profiler with stacks: functions, no lines. */
static void a_trace_with_stacks_knows_functions(void **state)
{
    (void)state;
    struct run run;
    struct judged j;
    struct err err = ERR_INIT;
    struct trace_options options = {.keep_spans = SIZE_MAX, .threads = 1};
    run_init(&run);
    if (trace_read(&run, TESTS_DIR "/data/suspects/trace.json.gz", &options, &err))
        fail_msg("%s", err.text);
    judged_init(&j);
    judged_add(&j, PATH, 26, "forward", 24, 28, "invariant-rebuilt");
    judged_add(&j, PATH, 43, "main", 31, 45, SYNC);
    judged_add(&j, PATH, 36, "main", 31, 45, "input-bound");
    judge(&j, &run);
    assert_says(verdict_is(&j, 0, SUSPECT_NOT_MEASURED)->price, "forward takes");
    assert_says(verdict_is(&j, 1, SUSPECT_NOT_MEASURED)->price, "main takes");
    verdict_is(&j, 2, SUSPECT_REFUTED);
    judged_release(&j);
    run_release(&run);
}

/* --- what lint gives --- */

static void lint_tells_the_statement_and_the_function(void **state)
{
    (void)state;
    static const char text[] = "import torch\n"
                               "class A:\n"
                               "    @torch.enable_grad()\n"
                               "    def train(self, model, loader, optimizer):\n"
                               "        total = 0\n"
                               "        for x, y in loader:\n"
                               "            loss = model(x.cuda()).sum()\n"
                               "            loss.backward()\n"
                               "            optimizer.step()\n"
                               "            total += (\n"
                               "                loss\n"
                               "                .item()\n"
                               "            )\n"
                               "            if loss.item() > 3:\n"
                               "                pass\n";
    struct lint_input in = {"train.py", text, sizeof text - 1};
    struct lint_check_options o = {.threads = 1};
    struct lint_result r;
    struct err err = ERR_INIT;
    if (lint_check(&r, &in, 1, &o, &err))
        skip();
    size_t seen = 0;
    for (size_t i = 0; i < r.files[0].n; i++) {
        const struct lint_finding *f = &r.files[0].findings[i];
        if (strcmp(f->rule->name, "sync-item") != 0)
            continue;
        assert_string_equal(f->function, "train");
        assert_int_equal(f->function_line, 3);
        assert_true(f->in_step);
        assert_int_equal(f->function_end_line, 15);
        assert_int_equal(f->statement_line, seen ? 14 : 10);
        assert_int_equal(f->statement_end_line, seen ? 14 : 13);
        seen++;
    }
    assert_int_equal(seen, 2);
    lint_result_release(&r);
}

static void every_rule_that_prices_is_one_of_analyze(void **state)
{
    (void)state;
    for (size_t i = 0; i < lint_rule_count; i++) {
        char *names = mem_strdup(lint_rules[i].priced_by), *rest = names;
        for (char *name; (name = strsep(&rest, " "));)
            if (*name && !rule_named(name))
                fail_msg("%s is priced by %s", lint_rules[i].code, name);
        mem_free(names);
    }
    for (size_t i = 0; i < rule_scope_count; i++)
        if (!rule_named(rule_scopes[i].rule))
            fail_msg("%s has a scope and is none", rule_scopes[i].rule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_function_asks_for_is_priced_as_analyze_tells_it),
        cmocka_unit_test(functions_that_do_not_ask_for_it_are_not_priced),
        cmocka_unit_test(what_no_inner_function_asks_for_is_the_loops_own),
        cmocka_unit_test(what_analyze_looked_for_in_vain_is_refuted),
        cmocka_unit_test(a_run_that_cannot_show_a_cause_refutes_nothing),
        cmocka_unit_test(a_function_that_is_shorter_than_any_gain_is_harmless),
        cmocka_unit_test(statements_of_a_recording_are_priced_by_its_findings),
        cmocka_unit_test(a_recording_of_another_job_says_nothing),
        cmocka_unit_test(what_a_statement_calls_is_its_own),
        cmocka_unit_test(what_sets_something_up_has_its_cost_elsewhere),
        cmocka_unit_test(what_takes_next_to_nothing_is_refuted_with_its_time),
        cmocka_unit_test(lines_that_did_not_run_or_have_changed_are_not_measured),
        cmocka_unit_test(a_trace_with_stacks_knows_functions),
        cmocka_unit_test(lint_tells_the_statement_and_the_function),
        cmocka_unit_test(every_rule_that_prices_is_one_of_analyze),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
