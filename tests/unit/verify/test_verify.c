#include "cmocka_setup.h"

#include "verify/verify.h"

#include <math.h>
#include <string.h>

static void fill(struct run *r, int64_t step_ns, double loss, int64_t memory_bytes)
{
    run_init(r);
    ranks_add(&r->ranks, (struct rank){.rank = 0});
    for (int i = 0; i < 40; i++) {
        int64_t begin_ns = i * 1000000000LL, wobble_ns = (i * 7 % 11) * step_ns / 500;
        steps_add(&r->steps, (struct step){.number = i,
                                           .begin_ns = begin_ns,
                                           .end_ns = begin_ns + step_ns + wobble_ns});
        losses_add(&r->losses, (struct loss){.step = i, .loss = loss / (i + 1)});
    }
    memories_add(&r->memories,
                 (struct memory){.what = MEMORY_CLASS_PROCESS, .bytes = memory_bytes});
}

static struct gate_result gate(const struct verify_result *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->gate[i].name, name))
            return r->gate[i];
    fail_msg("no gate %s", name);
    return r->gate[0];
}

static void a_faster_equal_run_passes_every_gate(void **state)
{
    (void)state;
    struct run a, b;
    struct verify_result r;
    fill(&a, 10000000, 3.5, 1000);
    fill(&b, 8000000, 3.5, 1000);
    verify_runs(&r, &a, &b);
    assert_int_equal(r.failed, 0);
    assert_int_equal(verify_status(&r, NULL), STATUS_OK);
    assert_int_equal(gate(&r, "step time").verdict, VERDICT_PASS);
    assert_int_equal(gate(&r, "peak memory").verdict, VERDICT_PASS);
    assert_non_null(strstr(gate(&r, "same losses").remark, "bitwise equal at 40 steps"));
    run_release(&a);
    run_release(&b);
}

static void recordings_taken_as_one_step_have_no_step_in_common(void **state)
{
    (void)state;
    struct run a, b;
    struct verify_result r;
    fill(&a, 10000000, 3.5, 1000);
    fill(&b, 80000000, 3.5, 1000);
    a.ranks.step_method[0] = b.ranks.step_method[0] = STEP_METHOD_RECORDING;
    verify_runs(&r, &a, &b);
    assert_int_equal(gate(&r, "step time").verdict, VERDICT_NOT_APPLICABLE);
    run_release(&a);
    run_release(&b);
}

static void each_gate_fails_on_what_it_guards(void **state)
{
    (void)state;
    struct run a, slow, wrong, fat, nan;
    struct verify_result r;
    fill(&a, 10000000, 3.5, 1000);
    fill(&slow, 12000000, 3.5, 1000);
    fill(&wrong, 10000000, 3.51, 1000);
    fill(&fat, 10000000, 3.5, 1100);
    fill(&nan, 10000000, 3.5, 1000);
    nan.losses.loss[20] = NAN;
    verify_runs(&r, &a, &slow);
    assert_int_equal(gate(&r, "step time").verdict, VERDICT_FAIL);
    verify_runs(&r, &a, &wrong);
    assert_int_equal(gate(&r, "same losses").verdict, VERDICT_FAIL);
    verify_runs(&r, &a, &nan);
    assert_int_equal(gate(&r, "same losses").verdict, VERDICT_FAIL);
    verify_runs(&r, &a, &fat);
    assert_int_equal(gate(&r, "peak memory").verdict, VERDICT_FAIL);
    assert_int_equal(verify_status(&r, NULL), STATUS_FAILED);
    run_release(&a);
    run_release(&slow);
    run_release(&wrong);
    run_release(&fat);
    run_release(&nan);
}

static void gates_have_the_numbers_that_their_texts_say(void **state)
{
    (void)state;
    struct run a, b;
    struct verify_result r;
    struct strbuf out;
    fill(&a, 10000000, 3.5, 1000);
    fill(&b, 12000000, 3.51, 1000);
    verify_runs(&r, &a, &b);
    struct gate_result step = gate(&r, "step time"), losses = gate(&r, "same losses");
    assert_string_equal(step.code, "slower");
    assert_true(fabs(step.numbers.change - 0.2) < 1e-6);
    assert_true(step.numbers.change_low > 0 && step.numbers.change_high > 0.2);
    assert_int_equal(step.numbers.after_count, 40);
    assert_string_equal(losses.code, "losses_differ");
    assert_true(fabs(losses.numbers.change - 0.01) < 1e-9);
    assert_int_equal(losses.numbers.at_step, 0);
    assert_string_equal(gate(&r, "peak memory").code, "");
    strbuf_init(&out);
    verify_print_json(&out, &r, 0);
    assert_non_null(strstr(out.s, "\"verdict\": \"FAIL\",\n  \"failed\": true"));
    strbuf_clear(&out);
    verify_print_json(&out, &r, 1); /* of a part of a run */
    assert_non_null(strstr(out.s, "\"verdict\": \"N/A\",\n  \"failed\": true"));
    strbuf_release(&out);
    run_release(&a);
    run_release(&b);
}

static void runs_without_evidence_do_not_pass_as_good(void **state)
{
    (void)state;
    struct run a, b;
    struct verify_result r;
    run_init(&a);
    run_init(&b);
    verify_runs(&r, &a, &b);
    for (size_t i = 0; i < r.n; i++)
        assert_int_equal(r.gate[i].verdict, VERDICT_NOT_APPLICABLE);
    assert_int_equal(verify_status(&r, NULL), STATUS_INPUT);
    run_release(&a);
    run_release(&b);
}

static void a_slowdown_within_the_noise_is_unsure_and_no_success(void **state)
{
    (void)state;
    struct run a, b;
    struct verify_result r;
    fill(&a, 10000000, 3.5, 1000);
    fill(&b, 10000000, 3.5, 1000);
    a.steps.table.n = b.steps.table.n = 3; /* three wild steps */
    static const int64_t before_ms[] = {10, 40, 11}, after_ms[] = {12, 39, 9};
    for (int i = 0; i < 3; i++) {
        a.steps.end_ns[i] = a.steps.begin_ns[i] + before_ms[i] * 1000000;
        b.steps.end_ns[i] = b.steps.begin_ns[i] + after_ms[i] * 1000000;
    }
    verify_runs(&r, &a, &b);
    assert_int_equal(gate(&r, "step time").verdict, VERDICT_UNSURE);
    assert_int_equal(verify_status(&r, NULL), STATUS_FAILED);
    verify_runs(&r, &a, &a);
    assert_int_equal(gate(&r, "step time").verdict, VERDICT_PASS);
    run_release(&a);
    run_release(&b);
}

/* Eight ranks in step are one observation a step, not eight. */
static void ranks_of_one_step_count_once(void **state)
{
    (void)state;
    struct run one, many;
    struct verify_result r;
    fill(&one, 10000000, 3.5, 1000);
    fill(&many, 10000000, 3.5, 1000);
    for (int rank = 1; rank < 8; rank++) {
        ranks_add(&many.ranks, (struct rank){.rank = rank});
        for (size_t i = 0; i < one.steps.table.n; i++) {
            struct step s = steps_get(&one.steps, i);
            s.rank = rank;
            s.end_ns -= rank;
            steps_add(&many.steps, s);
        }
    }
    verify_runs(&r, &one, &many);
    assert_non_null(strstr(gate(&r, "step time").remark, "40 and 40 steps"));
    assert_non_null(strstr(gate(&r, "step time").remark, "0.0 % ["));
    run_release(&one);
    run_release(&many);
}

static void add_untraced(struct run *r, int32_t rank, int n, int64_t step_ns)
{
    for (int i = 0; i < n; i++)
        timings_add(&r->timings, (struct timing){.rank = rank,
                                                 .what = TIMING_KIND_STEP,
                                                 .number = 5 + i,
                                                 .dur_ns = step_ns + i % 7 * 1000});
}

/* The tracer slows a few steps of a recording; the rest tells what the job takes. */
static void recordings_are_compared_by_their_untraced_steps(void **state)
{
    (void)state;
    struct run a, b;
    struct verify_result r;
    fill(&a, 10000000, 3.5, 1000);
    fill(&b, 14000000, 3.5, 1000);
    add_untraced(&a, 0, 257, 8000000);
    verify_runs(&r, &a, &b); /* one side only: the traced ones, which both have */
    assert_non_null(strstr(gate(&r, "step time").remark, "40 and 40 steps"));
    assert_int_equal(gate(&r, "step time").verdict, VERDICT_FAIL);
    add_untraced(&b, 0, 257, 6000000);
    verify_runs(&r, &a, &b);
    assert_non_null(strstr(gate(&r, "step time").remark, "257 and 257 untraced steps"));
    assert_int_equal(gate(&r, "step time").verdict, VERDICT_PASS);
    ranks_add(&b.ranks, (struct rank){.rank = 1});
    add_untraced(&b, 1, 257, 9000000); /* a second rank, and the others wait for it */
    verify_runs(&r, &a, &b);
    assert_non_null(strstr(gate(&r, "step time").remark, "257 and 257 untraced steps"));
    assert_string_equal(gate(&r, "step time").after, "9.00 ms");
    assert_int_equal(gate(&r, "step time").verdict, VERDICT_FAIL);
    run_release(&a);
    run_release(&b);
}

static void too_few_untraced_steps_name_the_option(void **state)
{
    (void)state;
    struct run a, b;
    struct verify_result r;
    fill(&a, 10000000, 3.5, 1000);
    fill(&b, 10000000, 3.5, 1000);
    add_untraced(&a, 0, 4, 8000000);
    add_untraced(&b, 0, 40, 8000000);
    verify_runs(&r, &a, &b);
    assert_non_null(strstr(gate(&r, "step time").remark, "4 and 40 untraced steps"));
    assert_non_null(strstr(gate(&r, "step time").remark, "--untraced"));
    run_release(&a);
    run_release(&b);
}

static void add_op(struct run *r, const char *name, int64_t self_ns)
{
    ops_add(&r->ops, (struct op){.kind = SPAN_KIND_OP,
                                 .place = LANE_KIND_CPU,
                                 .name = names_add_z(&r->names, name),
                                 .self_ns = self_ns});
}

static bool warns_of_two_jobs(const struct run *a, const struct run *b)
{
    struct verify_result r;
    struct strbuf out;
    strbuf_init(&out);
    verify_runs(&r, a, b);
    verify_print(&out, &r);
    bool warns = strstr(out.s, "perhaps these are two jobs") != NULL;
    strbuf_release(&out);
    return warns;
}

static void runs_with_few_operators_in_common_are_doubted(void **state)
{
    (void)state;
    struct run gpt, fixed, cnn;
    fill(&gpt, 10000000, 3.5, 1000);
    fill(&fixed, 8000000, 3.5, 1000);
    fill(&cnn, 8000000, 3.5, 1000);
    assert_false(warns_of_two_jobs(&gpt, &cnn)); /* runs without operators tell nothing */
    add_op(&gpt, "aten::mm", 600);
    add_op(&gpt, "aten::softmax", 300);
    add_op(&gpt, "aten::add", 100);
    add_op(&fixed, "aten::flash", 200); /* other ids in each run */
    add_op(&fixed, "aten::mm", 600);
    add_op(&cnn, "aten::convolution", 900);
    add_op(&cnn, "aten::add", 100);
    assert_false(warns_of_two_jobs(&gpt, &fixed));
    assert_true(warns_of_two_jobs(&gpt, &cnn));
    run_release(&gpt);
    run_release(&fixed);
    run_release(&cnn);
}

/* The figure of several ranks is no rank's own. */
static void steps_of_several_ranks_say_whose_they_are(void **state)
{
    (void)state;
    struct run a, b;
    struct verify_result r;
    fill(&a, 10000000, 3.5, 1000);
    fill(&b, 10000000, 3.5, 1000);
    verify_runs(&r, &a, &b);
    assert_null(
        strstr(gate(&r, "step time").remark, "of the rank that stands for each job"));
    ranks_add(&b.ranks, (struct rank){.rank = 1});
    verify_runs(&r, &a, &b);
    assert_non_null(
        strstr(gate(&r, "step time").remark, "of the rank that stands for each job"));
    run_release(&a);
    run_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_faster_equal_run_passes_every_gate),
        cmocka_unit_test(recordings_taken_as_one_step_have_no_step_in_common),
        cmocka_unit_test(each_gate_fails_on_what_it_guards),
        cmocka_unit_test(gates_have_the_numbers_that_their_texts_say),
        cmocka_unit_test(a_slowdown_within_the_noise_is_unsure_and_no_success),
        cmocka_unit_test(ranks_of_one_step_count_once),
        cmocka_unit_test(recordings_are_compared_by_their_untraced_steps),
        cmocka_unit_test(too_few_untraced_steps_name_the_option),
        cmocka_unit_test(runs_without_evidence_do_not_pass_as_good),
        cmocka_unit_test(runs_with_few_operators_in_common_are_doubted),
        cmocka_unit_test(steps_of_several_ranks_say_whose_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
