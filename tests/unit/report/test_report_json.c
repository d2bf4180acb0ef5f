#include "unit/report/report_fixtures.h"

#include "base/file.h"
#include "base/mem.h"
#include "cmocka_setup.h"
#include "unit/analyze/job_fixtures.h"
#include "unit/report/findings_fixture.h"
#include "unit/report/json_syntax.h"

#include <math.h>

static void the_checker_itself_can_fail(void **state)
{
    (void)state;
    assert_true(json_is_valid("{\"a\": [1, -2.5, \"x\\u00e4\", null, {}], \"b\": true}"));
    assert_string_equal(json_at("{\"a\": [1, {\"b\": 7}]}", "a.1.b"), "7");
    static const char *const bad[] = {
        "",         "{",       "[1,]", "{\"a\" 1}",  "nan",   "[1] x",
        "\"a\nb\"", "\"\\x\"", "[01]", "{\"a\":1,}", "[1 2]", "\"open",
        "{1:2}",    "[-]",     "[1.]", "[Infinity]", "[1e]"};
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
    ASSERT_AT(out.s, "version", "2");
    ASSERT_AT(out.s, "source", "\"kineto\"");
    ASSERT_AT(out.s, "shown_index", "1");
    ASSERT_AT(out.s, "ranks.1.rank", "1");
    ASSERT_AT(out.s, "ranks.1.path", "\"rank1.json.gz\"");
    ASSERT_AT(out.s, "ranks.1.steps.count", "4");
    ASSERT_AT(out.s, "ranks.1.step.ms", "110");
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

static void ranks_of_a_job_have_clocks_and_waits(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    job_three_ranks(&run, true);
    run.ranks.rank[0] = 9; /* row 0 stands last */
    fixture_render(&out, &run, REPORT_JSON, NULL);
    assert_true(json_is_valid(out.s));
    ASSERT_AT(out.s, "job.aligned_ranks", "3");
    ASSERT_AT(out.s, "job.reason", "null");
    ASSERT_AT(out.s, "job.reference_index", "0"); /* rank 1, of row 1 */
    ASSERT_AT(out.s, "job.matched", "12");
    ASSERT_AT(out.s, "job.matched_by_sequence", "12");
    ASSERT_AT(out.s, "job.straggler_index", "1");
    ASSERT_AT(out.s, "job.cause.class", "\"compute\"");
    ASSERT_AT(out.s, "job.cause.own_us", "0.7");
    ASSERT_AT(out.s, "job.steps.0.number", "7");
    ASSERT_AT(out.s, "job.steps.0.latest_index", "1");
    ASSERT_AT(out.s, "job.steps.0.late_us", "0.575");
    ASSERT_AT(out.s, "ranks.2.rank", "9");
    ASSERT_AT(out.s, "ranks.2.clock.shift_us", "5000000");
    ASSERT_AT(out.s, "ranks.2.waits.wait_us", "1.15");
    ASSERT_AT(out.s, "ranks.2.waits.steps.0.wait_us", "0.6");
    ASSERT_AT(out.s, "ranks.1.waits.last", "3");
    strbuf_release(&out);
    run.collectives.table.n = 0;
    fixture_render(&out, &run, REPORT_JSON, NULL);
    ASSERT_AT(out.s, "job.straggler_index", "null");
    ASSERT_AT(out.s, "job.skew_max_us", "null");
    ASSERT_AT(out.s, "ranks.0.clock", "null");
    assert_non_null(strstr(out.s, "nothing to align clocks on"));
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

static void
without_a_device_both_times_are_of_the_thread_that_marks_the_steps(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_two_threads(&run);
    fixture_render(&out, &run, REPORT_JSON, NULL);
    ASSERT_AT(out.s, "ranks.0.step_time_us.busy", "1000");
    ASSERT_AT(out.s, "ranks.0.step_time_us.span", "10000");
    ASSERT_AT(out.s, "ranks.0.time_us.busy", "3000");
    ASSERT_AT(out.s, "ranks.0.lanes.0.name", "\"busy\"");
    ASSERT_AT(out.s, "ranks.0.lane", "1");
    ASSERT_AT(out.s, "ranks.0.lanes.1.name", "\"marks\"");
    strbuf_release(&out);
    run_release(&run);
}

static void numbers_read_back_as_they_were_however_small(void **state)
{
    (void)state;
    static const double values[] = {1e-15,    0.1 + 0.2, 4.9406564584124654e-324,
                                    -1.0 / 3, 1e300,     0};
    enum { VALUES = sizeof values / sizeof *values };
    struct run run;
    struct strbuf out;
    run_init(&run);
    for (int i = 0; i < VALUES; i++)
        run_add_fact(&run, -1, "x", values[i], "", ORIGIN_GIVEN, "");
    fixture_render(&out, &run, REPORT_JSON, NULL);
    assert_true(json_is_valid(out.s));
    for (int i = 0; i < VALUES; i++) {
        char path[32];
        snprintf(path, sizeof path, "facts.%d.value", i);
        assert_true(strtod(json_at(out.s, path), NULL) == values[i]);
    }
    ASSERT_AT(out.s, "facts.0.value", "1e-15");
    strbuf_release(&out);
    run_release(&run);
}

static void a_single_batch_has_no_standard_error(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_train_alone(&run);
    fixture_render(&out, &run, REPORT_JSON, NULL);
    ASSERT_AT(out.s, "ranks.0.losses.0.standard_error", "null");
    strbuf_release(&out);
    run_release(&run);
}

static void files_that_are_hardly_one_job_are_doubted(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    run_init(&run);
    fixture_gpu_rank(&run, 0, 0);
    fixture_gpu_rank(&run, 0, 0);
    run.ranks.world[1] = 4;
    run.ranks.source[1] = RUN_SOURCE_TRAINER;
    fixture_render(&out, &run, REPORT_JSON, NULL);
    ASSERT_AT(out.s, "warnings.0",
              "\"these may not be the ranks of one job: rank 0 is there more than once "
              "(rank0.json.gz, rank0.json.gz); one is of 2 ranks, another of 4; one was "
              "recorded by kineto, another by trainer; to compare two runs: gait "
              "analyze --compare A B\"");
    ASSERT_AT(out.s, "source", "\"mixed\"");
    strbuf_release(&out);
    run.ranks.rank[0] = run.ranks.rank[1] = -1;
    fixture_render(&out, &run, REPORT_JSON, NULL);
    assert_non_null(strstr(json_at(out.s, "warnings.0"), "2 of 2 do not say their rank"));
    strbuf_release(&out);
    run_release(&run);
}

/* Is `key` a whole word between backticks somewhere in the page? */
static bool page_names(const char *page, const char *key, size_t len)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyz_";
    bool code = false;
    for (const char *s = page; *s; s++) {
        code ^= *s == '`';
        if (code && !strncmp(s, key, len) && !strchr(word, s[len]) &&
            (s == page || !strchr(word, s[-1])))
            return true;
    }
    return false;
}

/* Keys stand alone at the beginning of a line in what the writer indents. */
static void assert_page_names_keys(const char *page, const char *json)
{
    for (const char *line = json; (line = strchr(line, '\n'));) {
        line += 1 + strspn(line + 1, " ");
        size_t len = *line == '"' ? strcspn(line + 1, "\"") : 0;
        if (len && line[len + 2] == ':' && !page_names(page, line + 1, len))
            fail_msg("docs/analyze.md does not name `%.*s`", (int)len, line + 1);
    }
}

static void every_key_stands_in_docs_analyze_md(void **state)
{
    (void)state;
    static void (*const fixtures[])(struct run *) = {
        fixture_gpu, fixture_trainer, fixture_two_threads, fixture_two_devices};
    char *page;
    size_t len;
    struct err err = ERR_INIT;
    if (file_read(&page, &len, TESTS_DIR "/../docs/analyze.md", 1 << 20, &err))
        fail_msg("%s", err.text);
    assert_true(page_names("a `b.key` c", "key", 3));
    assert_false(page_names("a `keys` key `my_key`", "key", 3));
    for (size_t i = 0; i < sizeof fixtures / sizeof *fixtures; i++) {
        struct run run;
        struct strbuf out;
        fixtures[i](&run);
        struct fixture_findings found;
        fixture_findings(&found, 2);
        found.f.has = 0; /* some rules are not asked */
        fixture_render(&out, &run, REPORT_JSON,
                       &(struct report_options){.findings = &found.f});
        assert_page_names_keys(page, out.s);
        strbuf_release(&out);
        run_release(&run);
    }
    mem_free(page);
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
    ASSERT_AT(out.s, "step", "null");
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
        cmocka_unit_test(ranks_of_a_job_have_clocks_and_waits),
        cmocka_unit_test(a_trainer_run_has_phases_and_says_why_gpu_times_are_null),
        cmocka_unit_test(
            without_a_device_both_times_are_of_the_thread_that_marks_the_steps),
        cmocka_unit_test(numbers_read_back_as_they_were_however_small),
        cmocka_unit_test(a_single_batch_has_no_standard_error),
        cmocka_unit_test(files_that_are_hardly_one_job_are_doubted),
        cmocka_unit_test(every_key_stands_in_docs_analyze_md),
        cmocka_unit_test(an_empty_run_is_still_a_document),
        cmocka_unit_test(what_is_not_a_number_becomes_null),
        cmocka_unit_test(hostile_names_leave_the_document_valid),
        cmocka_unit_test(top_limits_the_operators_and_says_how_many_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
