#include "unit/report/report_fixtures.h"

#include "unit/report/findings_fixture.h"

#include "base/sha256.h"
#include "cmocka_setup.h"
#include "reduced.h"
#include "unit/report/json_syntax.h"

#include <ctype.h>
#include <math.h>

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *s = strstr(text, what); s; s = strstr(s + 1, what))
        n++;
    return n;
}

/* The embedded data of the timeline, in a buffer the caller frees. */
static char *timeline_data(const char *html)
{
    static const char open[] = "id=\"timeline-data\">";
    const char *begin = strstr(html, open);
    if (!begin)
        return NULL;
    begin += strlen(open);
    return strndup(begin, (size_t)(strstr(begin, "</script>") - begin));
}

/* Outside script and style every tag is one of ours: a small lexer over the page. */
static void assert_tags_are_ours(const char *html)
{
    static const char *const ours[] = {
        "!DOCTYPE", "html",   "head",    "meta",    "title", "style",  "body",
        "main",     "header", "p",       "b",       "h1",    "h2",     "h3",
        "section",  "svg",    "rect",    "table",   "thead", "tbody",  "tr",
        "th",       "td",     "i",       "div",     "span",  "button", "canvas",
        "noscript", "script", "details", "summary", "ul",    "li",     "dl",
        "dt",       "dd",     "code",    "footer",  "line",  "text",   "polyline",
        "circle",   "label",  "input",   "pre"};
    for (const char *s = strchr(html, '<'); s; s = strchr(s + 1, '<')) {
        const char *name = s + 1 + (s[1] == '/');
        size_t len = strcspn(name, " >");
        bool known = false;
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
            known = known || (strlen(ours[i]) == len && !strncmp(ours[i], name, len));
        if (!known)
            fail_msg("a tag that is not ours: %.40s", s);
        if (!strncmp(name, "script", 6) && s[1] != '/')
            s = strstr(s, "</script>") - 1;
        else if (!strncmp(name, "style", 5) && s[1] != '/')
            s = strstr(s, "</style>") - 1;
    }
}

static void hostile_names_never_become_markup(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_hostile(&run);
    fixture_render(&out, &run, REPORT_HTML,
                   &(struct report_options){.subject = "x\" onload=\"alert(1)"});
    assert_tags_are_ours(out.s);
    assert_int_equal(count(out.s, "<script"), 3); /* data of two pictures, the code */
    assert_null(strstr(out.s, "<script>alert"));
    assert_null(strstr(out.s, "<img"));
    assert_null(strstr(out.s, " onload=\""));
    assert_non_null(strstr(out.s, "&lt;/script&gt;&lt;script&gt;alert(1)"));
    strbuf_release(&out);
    run_release(&run);
}

static void hostile_names_stay_text_in_a_comparison(void **state)
{
    (void)state;
    struct run before, after;
    struct strbuf out;
    fixture_gpu(&before);
    fixture_hostile(&after);
    struct analysis *a = analysis_new(&before), *b = analysis_new(&after);
    struct comparison *c = comparison_new(a, b);
    strbuf_init(&out);
    report_render_comparison(&out, c, REPORT_HTML, NULL);
    assert_tags_are_ours(out.s);
    assert_int_equal(count(out.s, "<script"), 1); /* the code */
    assert_non_null(strstr(out.s, "<h2>What changed most"));
    assert_non_null(strstr(out.s, "&lt;/script&gt;&lt;script&gt;alert(1)"));
    strbuf_release(&out);
    comparison_free(c);
    analysis_free(a);
    analysis_free(b);
    run_release(&before);
    run_release(&after);
}

static void embedded_data_is_valid_and_cannot_end_its_element(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_hostile(&run);
    fixture_render(&out, &run, REPORT_HTML, NULL);
    char *data = timeline_data(out.s);
    assert_non_null(data);
    assert_true(json_is_valid(data));
    assert_null(strpbrk(data, "<>&"));
    assert_null(strstr(data, "\xe2\x80\xa8"));
    assert_non_null(strstr(data, "\\u003c/script\\u003e"));
    free(data);
    strbuf_release(&out);
    run_release(&run);
}

/* Every byte sequence of the page is UTF-8: invalid ones were replaced. */
static void the_page_is_valid_utf8_whatever_the_names_are(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_hostile(&run);
    fixture_render(&out, &run, REPORT_HTML, NULL);
    assert_null(strchr(out.s, '\xff'));
    assert_null(strstr(out.s, "\xed\xa0\x80"));
    assert_null(strchr(out.s, '\033'));
    strbuf_release(&out);
    run_release(&run);
}

static void the_page_loads_nothing(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_trainer(&run);
    fixture_render(&out, &run, REPORT_HTML, NULL);
    assert_non_null(strstr(out.s, "default-src 'none'"));
    static const char *const loaders[] = {"http:",   "https:", " src=",   "href=", "url(",
                                          "@import", "fetch(", "XMLHttp", "<link"};
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++)
        assert_null(strstr(out.s, loaders[i]));
    strbuf_release(&out);
    run_release(&run);
}

/* What stands between the last <tag> and its end, hashed as a browser hashes it. */
static struct sha256_text hash_of_element(const char *html, const char *open,
                                          const char *close)
{
    const char *begin = NULL;
    for (const char *s = strstr(html, open); s; s = strstr(s + 1, open))
        begin = s + strlen(open);
    assert_non_null(begin);
    const char *end = strstr(begin, close);
    assert_non_null(end);
    return sha256_base64(sha256_of(begin, (size_t)(end - begin)));
}

static void the_policy_names_the_style_and_the_script_of_the_page(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out, policy;
    fixture_hostile(&run);
    fixture_render(&out, &run, REPORT_HTML, NULL);
    strbuf_init(&policy);
    strbuf_printf(
        &policy,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; base-uri 'none'; "
        "form-action 'none'\">",
        hash_of_element(out.s, "<style>", "</style>").s,
        hash_of_element(out.s, "<script>", "</script>").s);
    assert_non_null(strstr(out.s, policy.s));
    assert_int_equal(count(out.s, "<style"), 1);
    assert_int_equal(count(out.s, "<script>"), 1);
    assert_null(strstr(out.s, "unsafe"));
    strbuf_release(&policy);
    strbuf_release(&out);
    run_release(&run);
}

/* " style=" or " onload=" and its like. */
static bool begins_what_no_hash_covers(const char *s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    return !strncmp(s, " style=", 7) ||
           (!strncmp(s, " on", 3) && s[1 + strspn(s + 1, letters)] == '=');
}

/* The policy would stop them: the page must do without. */
static void no_tag_has_a_style_or_an_event_handler(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_gpu(&run);
    fixture_render(&out, &run, REPORT_HTML, NULL);
    for (const char *tag = strchr(out.s, '<'); tag; tag = strchr(tag + 1, '<')) {
        size_t len = strcspn(tag, ">");
        for (size_t i = 0; i < len; i++)
            if (begins_what_no_hash_covers(tag + i))
                fail_msg("the policy would stop an attribute: %.*s", (int)len, tag);
        if (!strncmp(tag, "<script", 7))
            tag = strstr(tag, "</script>");
        else if (!strncmp(tag, "<style", 6))
            tag = strstr(tag, "</style>");
    }
    strbuf_release(&out);
    run_release(&run);
}

static void sections_come_in_reading_order(void **state)
{
    (void)state;
    static const char *const order[] = {
        "<h1><span>A step takes 110.0 ms (rank 1 of 2, slowest",
        "<h2>Where a step of rank 1 goes",
        "<h2>Timeline of step",
        "<h2>What to fix",
        "<details class=\"finding\" data-finding=\"0\">",
        "<h3>Roadmap",
        "<h3>Gain against effort",
        "<h2>Ranks",
        "<h3>Waits in the collectives",
        "<h2>Flame graph",
        "<h2>GPU operators",
        "<h2>Host operators",
        "<h2>Warnings",
        "<h2>What was measured, and how",
        "<h2>Next"};
    struct run run;
    struct strbuf out;
    struct fixture_findings found;
    fixture_gpu(&run);
    fixture_findings(&found, 2);
    fixture_render(&out, &run, REPORT_HTML,
                   &(struct report_options){.findings = &found.f});
    const char *at = out.s;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        at = strstr(at, order[i]);
        if (!at)
            fail_msg("\"%s\" is missing or comes too early", order[i]);
    }
    strbuf_release(&out);
    run_release(&run);
}

/* The list of integers under a key of the embedded data; returns how many. */
static size_t integers_of(const char *data, const char *key, long long *out, size_t max)
{
    char opening[32];
    snprintf(opening, sizeof opening, "\"%s\":[", key);
    const char *s = strstr(data, opening);
    assert_non_null(s);
    s += strlen(opening);
    size_t n = 0;
    for (char *end; *s != ']' && n < max; s = end + (*end == ','))
        out[n++] = strtoll(s, &end, 10);
    return n;
}

/* Host time of the first finding, device work of the second, collectives of the third. */
static void findings_mark_what_they_are_about(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    struct fixture_findings found;
    fixture_gpu(&run);
    fixture_findings(&found, 3);
    int32_t host = -1;
    int64_t kernel = -1, step = -1;
    for (size_t i = 0; i < run.spans.table.n; i++) {
        if (run.lanes.rank[run.spans.lane[i]] != 1 || run.spans.step[i] < 0)
            continue;
        if (run.spans.kind[i] == SPAN_KIND_STEP && step < 0) {
            step = run.spans.step[i];
            host = run.spans.lane[i];
        }
        if (run.spans.kind[i] == SPAN_KIND_KERNEL && run.spans.step[i] == step &&
            kernel < 0)
            kernel = (int64_t)i;
    }
    int64_t t = run.steps.begin_ns[step], number = run.steps.number[step];
    edit_list_host(&found.finding[0].edits, host, t + 1000, t + 2000, 0);
    edit_list_host(&found.finding[0].edits, host, t + 1500, t + 3000, 0);
    edit_list_host(&found.finding[0].edits, host, t + 900 * MS, t + 901 * MS, 0);
    edit_list_work(&found.finding[1].edits, kernel, 0);
    found.finding[2].of_collectives = true;
    fixture_render(
        &out, &run, REPORT_HTML,
        &(struct report_options){.findings = &found.f, .steps = &number, .n_steps = 1});
    char *data = timeline_data(out.s);
    long long mark[64];
    assert_int_equal(integers_of(data, "marks", mark, 64), 3 * 4);
    assert_int_equal(mark[0], 0); /* what overlaps is one, what is elsewhere is not */
    assert_int_equal(mark[2], 1000);
    assert_int_equal(mark[3], 3000);
    assert_int_equal(mark[4], 1);
    assert_int_equal(mark[7] - mark[6], run.spans.dur_ns[kernel]);
    assert_int_equal(mark[8], 2);
    assert_int_equal(mark[11] - mark[10], 20 * MS);
    free(data);
    strbuf_release(&out);
    edit_list_release(&found.finding[0].edits);
    edit_list_release(&found.finding[1].edits);
    run_release(&run);
}

/* Four steps; a step computes 60 of 110 ms, and 10 of its collective are not hidden. */
static void the_map_has_each_step_with_its_shares(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_gpu(&run);
    fixture_render(&out, &run, REPORT_HTML, NULL);
    char *data = timeline_data(out.s);
    long long bar[64];
    assert_int_equal(integers_of(data, "map", bar, 64), 4 * 6);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(bar[i * 6 + 1] - bar[i * 6], 110 * MS);
        assert_int_equal(bar[i * 6 + 2], 10 + i);
        assert_int_equal(bar[i * 6 + 3], 545);
        assert_int_equal(bar[i * 6 + 4], 91);
        assert_int_equal(bar[i * 6 + 5], 45);
    }
    free(data);
    strbuf_release(&out);
    run_release(&run);
}

/* A kernel in the first half of 200 ms, waiting in all of the second: 300 stretches. */
static void without_steps_the_map_is_of_stretches(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    run_init(&run);
    struct reducer *r = reducer_new(NULL, 1);
    struct reduce_shard *s = reducer_shard(r, 0);
    struct fixture_lane host = fixture_lane(s, LANE_KIND_CPU, -1, 1, "main");
    struct fixture_lane stream = fixture_lane(s, LANE_KIND_DEVICE, 0, 7, "stream 7");
    fixture_span(host, SPAN_KIND_OP, "aten::mm", 0, 200000, 0, 0);
    fixture_span(stream, SPAN_KIND_KERNEL, "gemm", 0, 100000, 0, 0);
    fixture_span(stream, SPAN_KIND_SYNC, "Stream Wait", 100000, 100000, 0, 0);
    reduced(r, &run, (struct rank){.source = RUN_SOURCE_KINETO, .complete = 1});
    reducer_free(r);
    fixture_render(&out, &run, REPORT_HTML, NULL);
    char *data = timeline_data(out.s);
    static long long bar[300 * 6 + 1];
    assert_int_equal(integers_of(data, "map", bar, 300 * 6 + 1), 300 * 6);
    for (int i = 0; i < 300; i++) {
        assert_int_equal(bar[i * 6 + 2], -1);
        assert_int_equal(bar[i * 6 + 3], i < 150 ? 1000 : 0);
    }
    free(data);
    strbuf_release(&out);
    run_release(&run);
}

static void other_ranks_are_a_lane_each(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_gpu(&run);
    fixture_render(&out, &run, REPORT_HTML, NULL);
    char *data = timeline_data(out.s);
    assert_non_null(
        strstr(data, "{\"name\":\"rank 0\",\"kind\":\"device\",\"rows\":2,\"rank\":1}"));
    free(data);
    strbuf_release(&out);
    run_release(&run);
}

/* Two ranks, one collective a step. */
static void ranks_are_held_against_their_collectives(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_gpu(&run);
    fixture_render(&out, &run, REPORT_HTML, NULL);
    const char *heat = strstr(out.s, "<svg class=\"heat\"");
    assert_non_null(heat);
    char *picture = strndup(heat, (size_t)(strstr(heat, "</svg>") - heat));
    assert_int_equal(count(picture, "<rect class=\"t-communication\""), 2);
    assert_int_equal(count(picture, ": waited "), 2);
    free(picture);
    strbuf_release(&out);
    run_release(&run);
}

/* What is held from 0 to 5 ms, then twice of it up to 10 ms, and a moment of more. */
static void memory_is_drawn_over_time_with_its_peaks(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    static const int64_t mib = 1024 * 1024;
    fixture_trainer(&run);
    const struct memory held[] = {
        {0, 0, 0, MEMORY_CLASS_ALLOCATED, 100 * mib, ORIGIN_MEASURED},
        {0, 0, 5 * MS, MEMORY_CLASS_ALLOCATED, 200 * mib, ORIGIN_MEASURED},
        {0, 0, 7 * MS, MEMORY_CLASS_ALLOCATED, 400 * mib, ORIGIN_MEASURED},
        {0, 0, 7 * MS + 10, MEMORY_CLASS_ALLOCATED, 200 * mib, ORIGIN_MEASURED},
        {0, 0, 10 * MS, MEMORY_CLASS_ALLOCATED, 200 * mib, ORIGIN_MEASURED},
    };
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        memories_add(&run.memories, held[i]);
    fixture_render(&out, &run, REPORT_HTML, NULL);
    const char *section = strstr(out.s, "<h3>Over time, GPU 0</h3>");
    assert_non_null(section);
    const char *curve = strstr(section, "points=\"");
    double x, y, first = 0, least = INFINITY;
    int n = 0, used = 0;
    for (const char *s = curve + strlen("points=\"");
         sscanf(s, "%lf,%lf %n", &x, &y, &used) == 2; s += used, n++) {
        first = n ? first : y;
        least = fmin(least, y);
    }
    assert_int_equal(n, 600);
    /* 220 is the axis, 14 the top: the peak of a moment is at the top, and the first
     * value a quarter of it. */
    assert_true(fabs(least - 14) < 0.1);
    assert_true(fabs((220 - first) / (220 - least) - 0.25) < 0.01);
    strbuf_release(&out);
    run_release(&run);
}

static void nested_calls_lie_one_row_deeper(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_trainer(&run);
    fixture_render(&out, &run, REPORT_HTML, NULL);
    char *data = timeline_data(out.s);
    assert_string_equal(json_at(data, "lanes.0.name"), "\"main\"");
    assert_string_equal(json_at(data, "lanes.0.rows"), "3"); /* step, phase, op */
    assert_string_equal(json_at(data, "window"), "10000000");
    assert_string_equal(json_at(data, "spans.1"), "0");  /* the step itself */
    assert_string_equal(json_at(data, "spans.10"), "1"); /* its first phase */
    assert_string_equal(json_at(data, "spans.28"), "2"); /* that one's first op */
    free(data);
    strbuf_release(&out);
    run_release(&run);
}

static void too_many_spans_are_cut_and_counted(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    run_init(&run);
    struct reducer *r = reducer_new(NULL, 1);
    struct fixture_lane l =
        fixture_lane(reducer_shard(r, 0), LANE_KIND_CPU, -1, 1, "main");
    fixture_span(l, SPAN_KIND_STEP, "step", 0, 1000000, 0, 1);
    for (int i = 0; i < 25000; i++)
        fixture_span(l, SPAN_KIND_OP, "op", 40 * i, 1 + i % 30, 0, 0);
    reduced(r, &run, (struct rank){.rank = 0, .complete = 1});
    reducer_free(r);
    fixture_render(&out, &run, REPORT_HTML, NULL);
    assert_non_null(strstr(out.s, "20000 spans are drawn; left out: 5001 that are"));
    char *data = timeline_data(out.s);
    assert_true(json_is_valid(data));
    free(data);
    strbuf_release(&out);
    run_release(&run);
}

static void nothing_that_is_not_a_number_is_drawn(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_trainer(&run);
    for (size_t i = 0; i < run.losses.table.n; i++)
        run.losses.loss[i] = i % 2 ? NAN : INFINITY;
    run.losses.standard_error[0] = NAN;
    run.facts.value[0] = NAN;
    fixture_render(&out, &run, REPORT_HTML, NULL);
    assert_non_null(strstr(out.s, "train N/A → N/A"));
    assert_null(strstr(out.s, "nan"));
    assert_null(strstr(out.s, "inf\""));
    strbuf_release(&out);
    run_release(&run);
}

static void an_empty_run_is_a_whole_page(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    run_init(&run);
    fixture_render(&out, &run, REPORT_HTML, NULL);
    assert_non_null(strstr(out.s, "<h1><span>This run has no ranks"));
    assert_non_null(strstr(out.s, "</html>"));
    assert_null(timeline_data(out.s));
    assert_tags_are_ours(out.s);
    strbuf_release(&out);
    run_release(&run);
}

/* A damaged file may hold any number in its columns. */
static void absurd_times_do_no_harm(void **state)
{
    (void)state;
    static const int64_t absurd[] = {INT64_MIN, INT64_MAX, -1, 0};
    struct run run;
    fixture_gpu(&run);
    for (size_t i = 0; i < run.spans.table.n; i++) {
        run.spans.begin_ns[i] = absurd[i % 4];
        run.spans.dur_ns[i] = absurd[i / 4 % 4];
    }
    for (size_t i = 0; i < run.ops.table.n; i++)
        run.ops.total_ns[i] = run.ops.count[i] = absurd[i % 4];
    for (int f = REPORT_TERMINAL; f <= REPORT_JSON; f++) {
        struct strbuf out;
        fixture_render(&out, &run, f, NULL);
        assert_true(out.len > 0);
        strbuf_release(&out);
    }
    run_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_names_never_become_markup),
        cmocka_unit_test(hostile_names_stay_text_in_a_comparison),
        cmocka_unit_test(embedded_data_is_valid_and_cannot_end_its_element),
        cmocka_unit_test(the_page_is_valid_utf8_whatever_the_names_are),
        cmocka_unit_test(the_page_loads_nothing),
        cmocka_unit_test(the_policy_names_the_style_and_the_script_of_the_page),
        cmocka_unit_test(no_tag_has_a_style_or_an_event_handler),
        cmocka_unit_test(sections_come_in_reading_order),
        cmocka_unit_test(findings_mark_what_they_are_about),
        cmocka_unit_test(the_map_has_each_step_with_its_shares),
        cmocka_unit_test(without_steps_the_map_is_of_stretches),
        cmocka_unit_test(other_ranks_are_a_lane_each),
        cmocka_unit_test(ranks_are_held_against_their_collectives),
        cmocka_unit_test(memory_is_drawn_over_time_with_its_peaks),
        cmocka_unit_test(nested_calls_lie_one_row_deeper),
        cmocka_unit_test(too_many_spans_are_cut_and_counted),
        cmocka_unit_test(nothing_that_is_not_a_number_is_drawn),
        cmocka_unit_test(an_empty_run_is_a_whole_page),
        cmocka_unit_test(absurd_times_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
