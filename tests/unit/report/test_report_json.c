#include "unit/report/report_fixtures.h"

#include "cmocka_setup.h"
#include "unit/report/json_syntax.h"

#include <math.h>

static void the_checker_itself_can_fail(void **state)
{
    (void)state;
    assert_true(json_is_valid("{\"a\": [1, -2.5, \"x\\u00e4\", null, {}], \"b\": true}"));
    assert_string_equal(json_at("{\"a\": [1, {\"b\": 7}]}", "a.1.b"), "7");
    static const char *const bad[] = {"",      "{",          "[1,]",     "{\"a\" 1}",
                                      "nan",   "[1] x",      "\"a\nb\"", "\"\\x\"",
                                      "[01]",  "{\"a\":1,}", "[1 2]",    "\"open",
                                      "{1:2}", "[-]",        "[1.]",     "[Infinity]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(json_is_valid(bad[i]));
}

#define ASSERT_AT(json, path, expected) assert_string_equal(json_at(json, path), expected)

static void a_gpu_run_gives_exact_times(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_gpu(&run);
    fixture_render(&out, &run, REPORT_JSON, NULL);
    assert_true(json_is_valid(out.s));
    ASSERT_AT(out.s, "format", "\"gait-analysis\"");
    ASSERT_AT(out.s, "version", "1");
    ASSERT_AT(out.s, "source", "\"kineto\"");
    ASSERT_AT(out.s, "slowest_index", "1");
    ASSERT_AT(out.s, "ranks.1.rank", "1");
    ASSERT_AT(out.s, "ranks.1.path", "\"rank1.json.gz\"");
    ASSERT_AT(out.s, "ranks.1.steps.count", "4");
    ASSERT_AT(out.s, "ranks.1.steps.median_ms", "110");
    ASSERT_AT(out.s, "ranks.0.step_time_us.compute", "60000");
    ASSERT_AT(out.s, "ranks.0.step_time_us.communication", "10000");
    ASSERT_AT(out.s, "ranks.0.step_time_us.communication_total", "20000");
    ASSERT_AT(out.s, "ranks.0.time_us.busy", "null");
    ASSERT_AT(out.s, "ranks.0.time_us.reason", "null");
    ASSERT_AT(out.s, "ranks.0.phases_ms", "null");
    ASSERT_AT(out.s, "ranks.1.notes.0.count", "3");
    ASSERT_AT(out.s, "ranks.1.notes.0.offset", "12345");
    ASSERT_AT(out.s, "warnings.0", "\"an event has no \\\"dur\\\"\"");
    ASSERT_AT(out.s, "findings", "[]");
    strbuf_release(&out);
    run_release(&run);
}

static void a_trainer_run_has_phases_and_says_why_gpu_times_are_null(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_trainer(&run);
    fixture_render(&out, &run, REPORT_JSON, NULL);
    assert_true(json_is_valid(out.s));
    ASSERT_AT(out.s, "source", "\"trainer\"");
    ASSERT_AT(out.s, "ranks.0.phases_ms.backward", "5");
    ASSERT_AT(out.s, "ranks.0.phases_ms.unattributed", "0.5");
    ASSERT_AT(out.s, "ranks.0.time_us.compute", "null");
    ASSERT_AT(out.s, "ranks.0.time_us.idle", "null");
    ASSERT_AT(out.s, "ranks.0.time_us.reason",
              "\"nothing ran on a GPU in this recording\"");
    ASSERT_AT(out.s, "ranks.0.device", "null");
    ASSERT_AT(out.s, "ranks.0.ops.0.name", "\"matmul_backward\"");
    ASSERT_AT(out.s, "ranks.0.ops.0.flop_counted", "1200000000");
    ASSERT_AT(out.s, "ranks.0.ops.2.flop_counted", "null");
    ASSERT_AT(out.s, "ranks.0.losses.0.standard_error", "null");
    ASSERT_AT(out.s, "ranks.0.losses.3.standard_error", "0.0125");
    ASSERT_AT(out.s, "facts.0.value", "250000000000");
    strbuf_release(&out);
    run_release(&run);
}

static void an_empty_run_is_still_a_document(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    run_init(&run);
    fixture_render(&out, &run, REPORT_JSON, NULL);
    assert_true(json_is_valid(out.s));
    ASSERT_AT(out.s, "source", "\"unknown\"");
    ASSERT_AT(out.s, "ranks", "[]");
    ASSERT_AT(out.s, "median_step_ms", "null");
    strbuf_release(&out);
    run_release(&run);
}

static void what_is_not_a_number_becomes_null(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_trainer(&run);
    run.losses.loss[0] = NAN;
    run.losses.loss[1] = INFINITY;
    run.losses.standard_error[0] = NAN;
    fixture_render(&out, &run, REPORT_JSON, NULL);
    assert_true(json_is_valid(out.s));
    ASSERT_AT(out.s, "ranks.0.losses.0.loss", "null");
    ASSERT_AT(out.s, "ranks.0.losses.1.loss", "null");
    strbuf_release(&out);
    run_release(&run);
}

static void hostile_names_leave_the_document_valid(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_hostile(&run);
    fixture_render(&out, &run, REPORT_JSON, NULL);
    assert_true(json_is_valid(out.s));
    ASSERT_AT(out.s, "ranks.0.ops.0.name", "\"</script><script>alert(1)</script>\"");
    ASSERT_AT(out.s, "ranks.0.complete", "false");
    strbuf_release(&out);
    run_release(&run);
}

static void top_limits_the_operators_and_says_how_many_there_are(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_trainer(&run);
    fixture_render(&out, &run, REPORT_JSON, &(struct report_options){.top = 2});
    ASSERT_AT(out.s, "ranks.0.ops.1.name", "\"matmul\"");
    ASSERT_AT(out.s, "ranks.0.ops.2", "(none)");
    ASSERT_AT(out.s, "ranks.0.ops_total", "4");
    strbuf_release(&out);
    run_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checker_itself_can_fail),
        cmocka_unit_test(a_gpu_run_gives_exact_times),
        cmocka_unit_test(a_trainer_run_has_phases_and_says_why_gpu_times_are_null),
        cmocka_unit_test(an_empty_run_is_still_a_document),
        cmocka_unit_test(what_is_not_a_number_becomes_null),
        cmocka_unit_test(hostile_names_leave_the_document_valid),
        cmocka_unit_test(top_limits_the_operators_and_says_how_many_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
