#include "unit/report/report_fixtures.h"

#include "unit/report/findings_fixture.h"
#include "unit/report/golden.h"
#include "unit/report/json_syntax.h"

static void render(struct strbuf *out, const struct run *run, enum report_format format,
                   const struct findings *f)
{
    struct report_options options = {.subject = "traces/", .findings = f};
    fixture_render(out, run, format, &options);
}

static size_t count_lines(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += *s == '\n';
    return n;
}

#define ASSERT_HOLDS(text, part)                                                         \
    do {                                                                                 \
        if (!strstr(text, part))                                                         \
            fail_msg("\"%s\" is not in:\n%s", part, text);                               \
    } while (0)

static void findings_read_as_the_golden_texts(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    struct fixture_findings x;
    fixture_gpu(&run);
    fixture_findings(&x, 3);
    render(&out, &run, REPORT_TERMINAL, &x.f);
    assert_golden(out.s, out.len, "findings.txt");
    strbuf_release(&out);
    render(&out, &run, REPORT_MARKDOWN, &x.f);
    assert_golden(out.s, out.len, "findings.md");
    strbuf_release(&out);
    run_release(&run);
}

static void many_findings_fit_one_screen_and_say_how_many_there_are(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    struct fixture_findings x;
    fixture_gpu(&run);
    fixture_findings(&x, 20);
    render(&out, &run, REPORT_TERMINAL, &x.f);
    assert_true(count_lines(out.s) <= 24);
    ASSERT_HOLDS(out.s, "What to fix (3 of 20)");
    ASSERT_HOLDS(out.s, "all 20 together");
    ASSERT_HOLDS(out.s, "→ 77.0 ms  (−30 %) *");
    strbuf_release(&out);
    run_release(&run);
}

static void a_healthy_run_says_what_was_checked(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    struct fixture_findings x;
    char expected[100];
    fixture_gpu(&run);
    fixture_findings(&x, 0);
    snprintf(expected, sizeof expected, "Nothing found:  %zu of %zu applicable causes",
             rule_count, rule_count);
    render(&out, &run, REPORT_TERMINAL, &x.f);
    ASSERT_HOLDS(out.s, expected);
    ASSERT_HOLDS(out.s, "in the 68 % of a step that is");
    strbuf_release(&out);
    render(&out, &run, REPORT_JSON, &x.f);
    assert_true(strtod(json_at(out.s, "explained_frac"), NULL) > 0);
    assert_string_equal(json_at(out.s, "findings"), "[]");
    assert_string_equal(json_at(out.s, "together"), "null");
    assert_string_equal(json_at(out.s, "findings_note"), "null");
    strbuf_release(&out);
    run_release(&run);
}

static void a_run_that_cannot_be_replayed_says_why(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_train_alone(&run);
    struct analysis *a = analysis_new(&run);
    struct findings *f = findings_new(&run, a);
    struct report_options options = {.findings = f};
    assert_false(f->possible);
    strbuf_init(&out);
    report_render(&out, a, REPORT_TERMINAL, &options);
    ASSERT_HOLDS(out.s, "What to fix:  N/A: the run holds no spans");
    strbuf_clear(&out);
    report_render(&out, a, REPORT_JSON, &options);
    assert_string_equal(json_at(out.s, "findings_note"), "\"the run holds no spans\"");
    assert_string_equal(json_at(out.s, "replay"), "null");
    strbuf_release(&out);
    findings_free(f);
    analysis_free(a);
    run_release(&run);
}

static void figures_of_a_finding_have_stable_names(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    struct fixture_findings x;
    fixture_gpu(&run);
    fixture_findings(&x, 3);
    render(&out, &run, REPORT_JSON, &x.f);
    assert_true(json_is_valid(out.s));
#define ASSERT_AT(path, expected) assert_string_equal(json_at(out.s, path), expected)
    ASSERT_AT("findings.0.rule", "\"fixture-input\"");
    ASSERT_AT("findings.0.holds_ms", "27.5");
    ASSERT_AT("findings.0.price.kind", "\"replayed\"");
    ASSERT_AT("findings.0.price.step_ms", "88");
    ASSERT_AT("findings.0.price.low_ms", "83.6");
    ASSERT_AT("findings.0.price.ratio", "0.8");
    ASSERT_AT("findings.1.price.kind", "\"measured\"");
    ASSERT_AT("findings.1.missing", "null");
    ASSERT_AT("findings.1.fix.torch", "null");
    ASSERT_AT("together.step_ms", "77");
    ASSERT_AT("roadmap.2.ratio", "0.7");
    ASSERT_AT("replay.inferred", "12");
    ASSERT_AT("replay.unexplained_ms", "0.4");
    ASSERT_AT("replay.rank_index", "1");
    strbuf_release(&out);
    run_release(&run);
}

static void a_gain_beside_the_step_is_no_price_of_the_step(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    struct fixture_findings x;
    fixture_gpu(&run);
    fixture_findings(&x, 2);
    x.finding[1].apart = true;
    render(&out, &run, REPORT_TERMINAL, &x.f);
    ASSERT_HOLDS(out.s, "11.0 ms less outside the step *");
    ASSERT_HOLDS(out.s, "1 of 2 together");
    strbuf_release(&out);
    render(&out, &run, REPORT_HTML, &x.f);
    ASSERT_HOLDS(out.s, "Not included: 2 (outside the step).");
    strbuf_release(&out);
    render(&out, &run, REPORT_JSON, &x.f);
    assert_string_equal(json_at(out.s, "findings.1.price.apart"), "true");
    assert_string_equal(json_at(out.s, "findings.1.price.gain_ms"), "11");
    assert_string_equal(json_at(out.s, "findings.1.price.step_ms"), "null");
    assert_string_equal(json_at(out.s, "findings.1.price.ratio_low"), "null");
    assert_string_equal(json_at(out.s, "findings.0.price.apart"), "false");
    strbuf_release(&out);
    run_release(&run);
}

static void a_gain_of_a_sample_is_told_of_one(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    struct fixture_findings x;
    fixture_gpu(&run);
    fixture_findings(&x, 2);
    x.finding[1].apart = true;
    x.finding[1].samples = 4;
    render(&out, &run, REPORT_TERMINAL, &x.f);
    ASSERT_HOLDS(out.s, "2.8 ms less per sample *");
    strbuf_release(&out);
    render(&out, &run, REPORT_HTML, &x.f);
    ASSERT_HOLDS(out.s, "Not included: 2 (changes the work of a step).");
    strbuf_release(&out);
    x.finding[1].gain_low_ns = -1e6;
    render(&out, &run, REPORT_MARKDOWN, &x.f);
    ASSERT_HOLDS(out.s, "2.8 ms less per sample, 90 %: up to 3.3 ms");
    strbuf_release(&out);
    render(&out, &run, REPORT_JSON, &x.f);
    assert_string_equal(json_at(out.s, "findings.1.price.apart"), "true");
    assert_string_equal(json_at(out.s, "findings.1.price.samples"), "4");
    assert_string_equal(json_at(out.s, "findings.1.price.step_ms"), "null");
    assert_string_equal(json_at(out.s, "findings.1.price.ratio"), "0.9");
    assert_string_equal(json_at(out.s, "findings.0.price.samples"), "null");
    strbuf_release(&out);
    run_release(&run);
}

/* An end of the interval that lies beyond the step, or at 0, says nothing. */
static void intervals_have_ends_that_say_something(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    struct fixture_findings x;
    fixture_gpu(&run);
    fixture_findings(&x, 4);
    x.finding[1].gain_low_ns = -3e6;
    x.finding[2].gain_high_ns = 110e6;
    x.finding[3].gain_low_ns = -3e6;
    x.finding[3].gain_high_ns = 110e6;
    render(&out, &run, REPORT_MARKDOWN, &x.f);
    ASSERT_HOLDS(out.s, "90 % within 83.6 to 92.4 ms");
    ASSERT_HOLDS(out.s, "90 %: at least 96.8 ms, perhaps no gain");
    ASSERT_HOLDS(out.s, "90 %: up to 105.6 ms");
    ASSERT_HOLDS(out.s, "90 %: any gain, or none");
    strbuf_release(&out);
    run_release(&run);
}

static void what_a_cause_holds_names_its_clock(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    struct fixture_findings x;
    fixture_gpu(&run);
    fixture_findings(&x, 2);
    x.finding[0].holds_timed = true;
    render(&out, &run, REPORT_MARKDOWN, &x.f);
    ASSERT_HOLDS(out.s, "27.5 ms per step, measured");
    strbuf_release(&out);
    x.f.untraced = true;
    x.f.has = NEEDS_STEPS | NEEDS_TIMINGS | NEEDS_TORCH | NEEDS_HOST_ONLY;
    edit_list_unblock(&x.finding[1].edits, 0);
    render(&out, &run, REPORT_MARKDOWN, &x.f);
    ASSERT_HOLDS(out.s, "27.5 ms per step, timed without the tracer");
    ASSERT_HOLDS(out.s, "measured in traced steps, scaled to one without the tracer");
    strbuf_release(&out);
    render(&out, &run, REPORT_JSON, &x.f);
    assert_string_equal(json_at(out.s, "findings.0.holds_timed"), "true");
    assert_string_equal(json_at(out.s, "findings.1.holds_timed"), "false");
    strbuf_release(&out);
    edit_list_release(&x.finding[1].edits);
    run_release(&run);
}

static void measured_and_predicted_stand_apart_on_the_page(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    struct fixture_findings x;
    fixture_gpu(&run);
    fixture_findings(&x, 3);
    render(&out, &run, REPORT_HTML, &x.f);
    ASSERT_HOLDS(out.s, "<th scope=\"row\">now</th><td>110.0 ms of rank 1</td><td></td>");
    ASSERT_HOLDS(out.s, "<td class=\"quiet\">not measured yet</td><td>88.0 ms (−20 %)");
    ASSERT_HOLDS(out.s, "<h3>Roadmap: one fix after another</h3>");
    ASSERT_HOLDS(out.s, "class=\"chart matrix\"");
    strbuf_release(&out);
    run_release(&run);
}

static void no_figure_is_said_twice_on_the_page(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    struct fixture_findings x;
    fixture_gpu(&run);
    fixture_findings(&x, 2);
    x.finding[0].ceiling_ns = x.finding[0].gain_ns;
    render(&out, &run, REPORT_HTML, &x.f);
    assert_null(strstr(out.s, ">all together</th>")); /* the last fix says it */
    ASSERT_HOLDS(out.s, "the same: the fix removes all of it");
    strbuf_release(&out);
    x.roadmap_ns[1] = 30e6;
    render(&out, &run, REPORT_HTML, &x.f);
    ASSERT_HOLDS(out.s, ">all together</th>");
    strbuf_release(&out);
    x.f.n = 1;
    render(&out, &run, REPORT_HTML, &x.f);
    assert_null(strstr(out.s, "Roadmap")); /* the card says it */
    strbuf_release(&out);
    run_release(&run);
}

static void the_fix_is_shown_as_code(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    struct fixture_findings x;
    struct rule rule = rule_table[0];
    const char *fix = rule_fix(&rule)->torch;
    if (!fix)
        skip();
    fixture_gpu(&run);
    fixture_findings(&x, 1);
    x.finding[0].rule = &rule;
    render(&out, &run, REPORT_MARKDOWN, &x.f);
    ASSERT_HOLDS(out.s, fix);
    strbuf_release(&out);
    run_release(&run);
}

static void hostile_texts_stay_text(void **state)
{
    (void)state;
    for (int i = 0; i < HOSTILE_NAMES; i++) {
        struct run run;
        struct strbuf out;
        struct fixture_findings x;
        fixture_gpu(&run);
        fixture_findings(&x, 2);
        snprintf(x.finding[0].where, sizeof x.finding[0].where, "%s", hostile_names[i]);
        snprintf(x.finding[0].evidence, sizeof x.finding[0].evidence, "%s",
                 hostile_names[i]);
        snprintf(x.finding[1].missing, sizeof x.finding[1].missing, "%s",
                 hostile_names[i]);
        render(&out, &run, REPORT_HTML, &x.f);
        assert_null(strstr(out.s, "<script>alert"));
        assert_null(strstr(out.s, "<img src=x"));
        assert_null(strchr(out.s, '\033'));
        strbuf_release(&out);
        render(&out, &run, REPORT_TERMINAL, &x.f);
        for (size_t k = 0; k < out.len; k++)
            assert_true((unsigned char)out.s[k] >= 0x20 || out.s[k] == '\n');
        strbuf_release(&out);
        render(&out, &run, REPORT_JSON, &x.f);
        assert_true(json_is_valid(out.s));
        strbuf_release(&out);
        run_release(&run);
    }
}

static void the_same_run_is_the_same_output(void **state)
{
    (void)state;
    for (int format = REPORT_TERMINAL; format <= REPORT_JSON; format++) {
        struct strbuf out[2];
        for (int i = 0; i < 2; i++) {
            struct run run;
            fixture_gpu(&run);
            struct analysis *a = analysis_new(&run);
            struct findings *f = findings_new(&run, a);
            struct report_options options = {.findings = f};
            assert_true(f->possible);
            strbuf_init(&out[i]);
            report_render(&out[i], a, (enum report_format)format, &options);
            findings_free(f);
            analysis_free(a);
            run_release(&run);
        }
        assert_string_equal(out[0].s, out[1].s);
        strbuf_release(&out[0]);
        strbuf_release(&out[1]);
    }
}

static void the_critical_path_is_in_the_timeline(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_trainer(&run);
    struct analysis *a = analysis_new(&run);
    struct findings *f = findings_new(&run, a);
    struct report_options options = {.findings = f};
    strbuf_init(&out);
    report_render(&out, a, REPORT_HTML, &options);
    ASSERT_HOLDS(out.s, "\"path\":[0,0,10000000]"); /* one thread: all of the step */
    strbuf_release(&out);
    findings_free(f);
    analysis_free(a);
    run_release(&run);
}

static void rules_are_listed_with_what_came_of_them(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    struct fixture_findings x;
    fixture_gpu(&run);
    fixture_findings(&x, 1);
    x.finding[0].rule = &rule_table[0];
    x.f.has = 0; /* whatever needs something is not asked */
    struct report_options options = {.findings = &x.f, .subject = "t.json"};
    struct analysis *a = analysis_new(&run);
    strbuf_init(&out);
    report_rules(&out, a, NULL, REPORT_TERMINAL, &options);
    ASSERT_HOLDS(out.s, "\nFound ");
    ASSERT_HOLDS(out.s, "\nNot checked ");
    ASSERT_HOLDS(out.s, "  marked steps");
    assert_true(count_lines(out.s) >= rule_count);
    strbuf_clear(&out);
    x.f.has = ~0u;
    report_rules(&out, a, &rule_table[1], REPORT_TERMINAL, &options);
    ASSERT_HOLDS(out.s, "checked, not found");
    strbuf_clear(&out);
    report_finding(&out, a, 0, REPORT_TERMINAL, &options);
    ASSERT_HOLDS(out.s, "predicted     88.0 ms (−20 %), 90 % within 83.6 to 92.4 ms");
    ASSERT_HOLDS(out.s, "after it      not measured yet");
    ASSERT_HOLDS(out.s, rule_table[0].name);
    strbuf_clear(&out);
    x.finding[0].rule = rule_named("input-bound");
    report_finding(&out, a, 0, REPORT_TERMINAL, &options);
    ASSERT_HOLDS(out.s, "gait whatif t.json no-loader");
    strbuf_clear(&out);
    x.finding[0].rule = rule_named("precision-f32"); /* no wait, no loader */
    report_finding(&out, a, 0, REPORT_TERMINAL, &options);
    ASSERT_HOLDS(out.s, "gait whatif t.json 'remove op:");
    strbuf_release(&out);
    analysis_free(a);
    run_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_read_as_the_golden_texts),
        cmocka_unit_test(many_findings_fit_one_screen_and_say_how_many_there_are),
        cmocka_unit_test(a_healthy_run_says_what_was_checked),
        cmocka_unit_test(a_run_that_cannot_be_replayed_says_why),
        cmocka_unit_test(figures_of_a_finding_have_stable_names),
        cmocka_unit_test(a_gain_beside_the_step_is_no_price_of_the_step),
        cmocka_unit_test(a_gain_of_a_sample_is_told_of_one),
        cmocka_unit_test(intervals_have_ends_that_say_something),
        cmocka_unit_test(what_a_cause_holds_names_its_clock),
        cmocka_unit_test(measured_and_predicted_stand_apart_on_the_page),
        cmocka_unit_test(no_figure_is_said_twice_on_the_page),
        cmocka_unit_test(the_fix_is_shown_as_code),
        cmocka_unit_test(hostile_texts_stay_text),
        cmocka_unit_test(the_same_run_is_the_same_output),
        cmocka_unit_test(the_critical_path_is_in_the_timeline),
        cmocka_unit_test(rules_are_listed_with_what_came_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
