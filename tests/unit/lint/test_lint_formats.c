/* What programs read, where sources and paths are hostile; whole outputs are read back by
 * tests/e2e/lint_outputs.py. */
#include "base/json_writer.h"
#include "cmocka_setup.h"
#include "lint/file_uri.h"
#include "lint/lint_github.h"
#include "lint/lint_json.h"
#include "lint/lint_junit.h"
#include "lint/lint_sarif.h"
#include "lint_fixture.h"

#include <stdio.h>

static struct lint_result result;
static struct strbuf out;

static int setup(void **state)
{
    (void)state;
    result = (struct lint_result){0};
    arena_init(&result.text);
    strbuf_init(&out);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lint_result_release(&result);
    strbuf_release(&out);
    return 0;
}

static struct lint_file *file_of(const char *path, const char *text)
{
    return fixture_file(&result, path, text, strlen(text));
}

static void write_json(void)
{
    lint_json_write(&out, &result,
                    &(struct lint_json_options){.rules_checked = 3, .fixed = 4});
}

static void write_sarif(void)
{
    lint_sarif_write(&out, &result,
                     &(struct lint_sarif_options){"0", fixture_rules, FIXTURE_RULES});
}

static void assert_says(const char *needle)
{
    if (!strstr(out.s, needle))
        fail_msg("no \"%s\" in:\n%s", needle, out.s);
}

static void assert_clean(void)
{
    for (size_t i = 0; i < out.len;) {
        int n = utf8_sequence_len(out.s + i, out.len - i);
        assert_true(n > 0);
        assert_true((unsigned char)out.s[i] >= 0x20 || out.s[i] == '\n');
        i += (size_t)n;
    }
}

static void write_junit(void)
{
    lint_junit_write(&out, &result, &(struct lint_junit_options){.n_folders = 0});
}

static void an_empty_result_is_a_whole_document(void **state)
{
    (void)state;
    write_json();
    assert_string_equal(out.s, "{\n"
                               "  \"format\": \"gait-lint\",\n"
                               "  \"version\": 2,\n"
                               "  \"rules_checked\": 3,\n"
                               "  \"files\": [],\n"
                               "  \"folders_unreadable\": [],\n"
                               "  \"statistics\": null,\n"
                               "  \"summary\": {\n"
                               "    \"files\": 0,\n"
                               "    \"files_unreadable\": 0,\n"
                               "    \"files_partly_checked\": 0,\n"
                               "    \"folders_unreadable\": 0,\n"
                               "    \"files_with_findings\": 0,\n"
                               "    \"findings\": 0,\n"
                               "    \"suppressed\": 0,\n"
                               "    \"fixable\": 0,\n"
                               "    \"fixable_unsafe\": 0,\n"
                               "    \"fixed\": 4\n"
                               "  }\n"
                               "}\n");
    strbuf_clear(&out);
    lint_github_write(&out, &result);
    assert_string_equal(out.s, "");
    write_junit();
    assert_says("<testsuite name=\"gait lint\" tests=\"0\" failures=\"0\" skipped=\"0\" "
                "errors=\"0\">\n</testsuite>");
}

/* Of two findings both are failures, and listed, for readers of the first alone. */
static void junit_has_a_test_case_for_each_file(void **state)
{
    (void)state;
    struct lint_path_failure folder = {"secret", "it may not be read"};
    struct lint_file *f = file_of("<a>&\".py", "x = a.item() < b.item()\n");
    struct lint_finding *x = fixture_at(&result, f, FIXTURE_COPY, "a.item()");
    x->price = "]]>";
    fixture_at(&result, f, FIXTURE_COPY, "b.item()");
    file_of("clean.py", "");
    file_of("broken.py", "(")->error_line = 1;
    file_of("gone.py", "")->failure = "there is no file";
    lint_junit_write(&out, &result, &(struct lint_junit_options){&folder, 1});
    assert_says("tests=\"5\" failures=\"1\" skipped=\"0\" errors=\"2\"");
    assert_says(
        "<testcase classname=\"gait.lint\" name=\"&lt;a&gt;&amp;&quot;.py\">\n"
        "<failure message=\"&lt;a&gt;&amp;&quot;.py:1:5: GT203 blocking-copy: the "
        "copy to the device blocks\" type=\"GT203\">");
    assert_says("cost: ]]&gt;\n</failure>\n<failure");
    assert_says("<system-out>&lt;a&gt;&amp;&quot;.py:1:5: ");
    assert_says("name=\"clean.py\"></testcase>");
    assert_says("<system-out>line 1 could not be parsed; the rest was checked\n");
    assert_says("<error message=\"there is no file\" type=\"not_checked\">");
    assert_says("name=\"secret\">\n<error message=\"it may not be read\"");
    assert_clean();
}

static void a_finding_is_written_with_its_edits_and_price(void **state)
{
    (void)state;
    struct lint_file *f = file_of("a.py", "x = a.item()\n");
    struct lint_finding *x = fixture_at(&result, f, FIXTURE_COPY, "a.item()");
    fixture_edit(&result, x, LINT_UNSAFE, 5, 12, "\n\"\\");
    x->price = "not measured";
    write_json();
    assert_says("          \"code\": \"GT203\",\n"
                "          \"rule\": \"blocking-copy\",\n"
                "          \"line\": 1,\n"
                "          \"column\": 5,\n"
                "          \"end_line\": 1,\n"
                "          \"end_column\": 13,\n"
                "          \"title\": \"the copy to the device blocks\",\n"
                "          \"source\": \"x = a.item()\",\n"
                "          \"why\": \"the host waits until the batch has arrived\",\n"
                "          \"advice\": \"pass non_blocking=True\",\n"
                "          \"price\": \"not measured\",\n"
                "          \"cost\": null,\n"
                "          \"also_lines\": [],\n"
                "          \"safety\": \"unsafe\",\n"
                "          \"edits\": [\n"
                "            {\n"
                "              \"begin\": 5,\n"
                "              \"end\": 12,\n"
                "              \"text\": \"\\n\\\"\\\\\"\n"
                "            }\n"
                "          ]\n");
    assert_says("\"fixable_unsafe\": 1,");
    strbuf_clear(&out);
    write_sarif();
    assert_says("\"price\": \"not measured\"");
    assert_says("\\ncost: not measured\"");
    strbuf_clear(&out);
    lint_github_write(&out, &result);
    assert_says("%0Acost: not measured\n");
}

static void statistics_stand_in_place_of_the_files(void **state)
{
    (void)state;
    struct lint_path_failure folder = {"", "cannot read .: permission denied"};
    struct lint_file *f = file_of("a.py", "x = a.item()\n");
    struct lint_finding *x = fixture_at(&result, f, FIXTURE_COPY, "a.item()");
    fixture_edit(&result, x, LINT_UNSAFE, 5, 12, "");
    fixture_at(&result, f, FIXTURE_SYNC, "a.item()");
    fixture_at(&result, f, FIXTURE_SYNC, "item");
    lint_json_write(&out, &result,
                    &(struct lint_json_options){
                        .statistics = true, .folders = &folder, .n_folders = 1});
    assert_says("  \"files\": null,\n"
                "  \"folders_unreadable\": [\n"
                "    {\n"
                "      \"path\": \".\",\n"
                "      \"failure\": \"cannot read .: permission denied\"\n"
                "    }\n"
                "  ],\n"
                "  \"statistics\": [\n"
                "    {\n"
                "      \"code\": \"GT101\",\n"
                "      \"rule\": \"sync-item\",\n"
                "      \"findings\": 2,\n"
                "      \"fixable\": 0,\n"
                "      \"fixable_unsafe\": 0\n"
                "    },\n"
                "    {\n"
                "      \"code\": \"GT203\",\n"
                "      \"rule\": \"blocking-copy\",\n"
                "      \"findings\": 1,\n"
                "      \"fixable\": 0,\n"
                "      \"fixable_unsafe\": 1\n"
                "    }\n"
                "  ],\n");
    assert_says("\"folders_unreadable\": 1,");
}

static void hostile_bytes_leave_every_document_valid(void **state)
{
    (void)state;
    static const char odd[] = "\033[2J\xff\xc2\x9b\x01\"\\\r\n::error::x";
    char text[100];
    snprintf(text, sizeof text, "x = '\033]\xff\xfe'; y.item()\n");
    struct lint_file *f = file_of(odd, text);
    struct lint_finding *x = fixture_at(&result, f, FIXTURE_ODD, "y.item()");
    x->advice = odd;
    x->price = odd;
    file_of(odd, "")->failure = odd;
    write_json();
    assert_clean();
    strbuf_clear(&out);
    write_sarif();
    assert_clean();
    strbuf_clear(&out);
    lint_github_write(&out, &result);
    size_t lines = 0;
    for (const char *s = out.s; *s; s++)
        lines += *s == '\n';
    assert_int_equal(lines, 2); /* nothing begins a command of its own */
    assert_null(strchr(out.s, '\r'));
    assert_null(strstr(out.s, "\n::error::x"));
}

static void edits_that_are_not_text_are_left_out(void **state)
{
    (void)state;
    struct lint_file *f = file_of("a.py", "y.item()\n");
    struct lint_finding *x = fixture_at(&result, f, FIXTURE_SYNC, "y.item()");
    fixture_edit(&result, x, LINT_SAFE, 0, 1, "fine");
    fixture_edit(&result, x, LINT_SAFE, 1, 2, "\xe9"); /* Latin-1 */
    write_json();
    assert_says("\"edits\": []");
    assert_null(strstr(out.s, "fine"));
    strbuf_clear(&out);
    write_sarif();
    assert_null(strstr(out.s, "\"fixes\""));
}

static void fixes_of_a_file_that_was_changed_are_left_out_of_sarif(void **state)
{
    (void)state;
    struct lint_file *f = file_of("a.py", "y.item()\n");
    struct lint_finding *x = fixture_at(&result, f, FIXTURE_SYNC, "y.item()");
    fixture_edit(&result, x, LINT_SAFE, 0, 1, "z");
    write_sarif();
    assert_says("\"fixes\"");
    strbuf_clear(&out);
    f->text = "z.item()\n";
    write_sarif();
    assert_null(strstr(out.s, "\"fixes\""));
    assert_says("\"ruleId\": \"GT101\"");
}

static void what_was_not_checked_is_said_in_every_format(void **state)
{
    (void)state;
    file_of("a.py", "")->failure = "cannot read a.py: no such file; check the path";
    file_of("b,c:d.py", "x")->error_line = 12;
    write_json();
    assert_says("\"failure\": \"cannot read a.py: no such file; check the path\"");
    assert_says("\"syntax_error_line\": 12");
    assert_says("\"files_unreadable\": 1,\n    \"files_partly_checked\": 1,");
    strbuf_clear(&out);
    write_sarif();
    assert_says("\"executionSuccessful\": false");
    assert_says("cannot read a.py: no such file; check the path");
    assert_says("\"startLine\": 12");
    strbuf_clear(&out);
    lint_github_write(&out, &result);
    assert_string_equal(
        out.s,
        "::error file=a.py::not checked: cannot read a.py: no such file; check "
        "the path\n"
        "::warning file=b%2Cc%3Ad.py,line=12::line 12 could not be parsed; the rest "
        "was checked\n");
}

static void a_cause_of_several_lines_has_no_columns_on_github(void **state)
{
    (void)state;
    struct lint_file *f = file_of("a.py", "x = y(\n).item()\n");
    fixture_at(&result, f, FIXTURE_COPY, "y(\n).item()");
    lint_github_write(&out, &result);
    assert_says("::warning file=a.py,line=1,endLine=2,title=GT203 blocking-copy::");
}

static void assert_uri(const char *path, const char *uri)
{
    strbuf_clear(&out);
    file_uri(&out, path);
    assert_string_equal(out.s, uri);
}

static void paths_are_uris(void **state)
{
    (void)state;
    assert_uri("train.py", "train.py");
    assert_uri("./a/.//b.py", "a/b.py");
    assert_uri("../a.py", "../a.py");
    assert_uri("/tmp//x y.py", "file:///tmp/x%20y.py");
    assert_uri("c:d%e#?[].py", "c%3Ad%25e%23%3F%5B%5D.py");
    assert_uri("\xc3\xbc\xff\n", "%C3%BC%FF%0A");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_empty_result_is_a_whole_document),
        CASE(junit_has_a_test_case_for_each_file),
        CASE(a_finding_is_written_with_its_edits_and_price),
        CASE(statistics_stand_in_place_of_the_files),
        CASE(hostile_bytes_leave_every_document_valid),
        CASE(edits_that_are_not_text_are_left_out),
        CASE(fixes_of_a_file_that_was_changed_are_left_out_of_sarif),
        CASE(what_was_not_checked_is_said_in_every_format),
        CASE(a_cause_of_several_lines_has_no_columns_on_github),
        CASE(paths_are_uris),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
