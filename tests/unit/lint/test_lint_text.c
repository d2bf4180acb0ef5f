#include "base/json_writer.h"
#include "base/text_fit.h"
#include "cmocka_setup.h"
#include "lint/lint_explain.h"
#include "lint/lint_text.h"
#include "lint/source_window.h"
#include "lint_fixture.h"

#include <stdio.h>

static struct lint_result result;
static struct strbuf out;
static const struct lint_text_options plain = {0};

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

static void assert_says(const char *needle)
{
    if (!strstr(out.s, needle))
        fail_msg("no \"%s\" in:\n%s", needle, out.s);
}

static void a_finding_has_its_place_line_reason_and_help(void **state)
{
    (void)state;
    struct lint_file *f = file_of("train.py", "for x in y:\n    total += loss.item()\n");
    fixture_at(&result, f, FIXTURE_SYNC, "loss.item()");
    lint_text_write(&out, &result, &plain);
    assert_string_equal(
        out.s,
        "train.py:2:14: GT101 sync-item: the host waits for the device in every step\n"
        "    |\n"
        "  2 |     total += loss.item()\n"
        "    |              ^^^^^^^^^^^\n"
        "    = why: reading a value copies it from the device; the host stops until all "
        "queued work is done,\n"
        "           and launches nothing meanwhile\n"
        "    = help: add the value up on the device (total += x.detach()) and read it "
        "every N steps\n"
        "\n"
        "1 finding in 1 of 1 file\n");
}

static void reason_and_common_help_stand_at_the_first_finding_of_a_rule(void **state)
{
    (void)state;
    struct lint_file *f = file_of("a.py", "a.item()\nb.item()\nc.item()\n");
    fixture_at(&result, f, FIXTURE_SYNC, "a.item()");
    fixture_at(&result, f, FIXTURE_SYNC, "b.item()");
    fixture_at(&result, f, FIXTURE_SYNC, "c.item()")->advice = "keep c on the device";
    lint_text_write(&out, &result, &plain);
    const char *second = strstr(out.s, "a.py:2:1"), *third = strstr(out.s, "a.py:3:1");
    assert_non_null(second);
    assert_non_null(third);
    assert_true(strstr(out.s, "= why:") < second);
    assert_null(strstr(second, "= why:"));
    assert_ptr_equal(strstr(second, "= help:"), strstr(third, "= help:"));
    assert_says("= help: keep c on the device\n");
}

static void what_fix_would_do_is_marked(void **state)
{
    (void)state;
    struct lint_text_options o = {.unsafe_fixes = true};
    struct lint_file *f = file_of("a.py", "a.item()\nb.to(d)\n");
    struct lint_finding *x = fixture_at(&result, f, FIXTURE_SYNC, "a.item()");
    fixture_edit(&result, x, LINT_SAFE, x->begin, x->end, "a");
    x = fixture_at(&result, f, FIXTURE_COPY, "b.to(d)");
    fixture_edit(&result, x, LINT_UNSAFE, x->begin, x->end, "b");
    lint_text_write(&out, &result, &plain);
    assert_says("every N steps [*]\n");
    assert_says("pass non_blocking=True [* with --unsafe-fixes]\n");
    assert_says("[*] 1 can be fixed with --fix, 1 more with --fix --unsafe-fixes\n");
    strbuf_clear(&out);
    lint_text_write(&out, &result, &o);
    assert_says("pass non_blocking=True [*]\n");
    assert_says("[*] 2 can be fixed with --fix\n");
    strbuf_clear(&out);
    lint_text_write_concise(&out, &result, &plain);
    assert_says("a.py:1:1: GT101 [*] the host waits for the device in every step\n"
                "a.py:2:1: GT203 the copy to the device blocks\n");
}

static void what_a_run_says_it_costs_stands_beside_it(void **state)
{
    (void)state;
    struct lint_file *f = file_of("a.py", "a.item()\nb.to(d)\n");
    fixture_at(&result, f, FIXTURE_SYNC, "a.item()")->price =
        "measured: 3.1 ms per step (4.2 %)";
    fixture_at(&result, f, FIXTURE_COPY, "b.to(d)")->price = "";
    lint_text_write(&out, &result, &plain);
    assert_says("    = cost: measured: 3.1 ms per step (4.2 %)\n");
    assert_null(strstr(strstr(out.s, "GT203"), "cost:"));
}

static void nothing_of_a_source_drives_the_terminal(void **state)
{
    (void)state;
    static const char path[] = "a\033[2J\n\xff\xe2\x80\xae.py";
    struct lint_file *f = file_of(path, "x = \"\033]0;t\a\xc2\x9b\xfe\"; y.item()\n");
    fixture_at(&result, f, FIXTURE_SYNC, "y.item()");
    f->findings[0].advice = "write \033[31m\xff";
    f->findings[0].price = "\b\b";
    file_of("b\r.py", "")->failure = "cannot read b\r.py: \033c";
    file_of("c\033.py", "")->error_line = 3;
    lint_text_write(&out, &result, &plain);
    lint_text_write_concise(&out, &result, &plain);
    lint_text_write_statistics(&out, &result, &plain);
    for (const char *s = out.s; *s; s++)
        assert_true((unsigned char)*s >= 0x20 || *s == '\n');
    assert_null(strstr(out.s, "\xe2\x80\xae"));
    assert_null(strstr(out.s, "\xc2\x9b"));
    for (size_t i = 0; i < out.len;) {
        int n = utf8_sequence_len(out.s + i, out.len - i);
        assert_true(n > 0);
        i += (size_t)n;
    }
}

static void assert_lines_fit(int columns)
{
    char line[1000];
    for (const char *s = out.s; *s;) {
        size_t len = strcspn(s, "\n");
        assert_true(len < sizeof line);
        memcpy(line, s, len);
        line[len] = '\0';
        if (text_columns(line) > columns && !strstr(line, ": GT"))
            fail_msg("%d columns: %s", text_columns(line), line);
        s += len + 1;
    }
}

static void lines_fit_the_screen_and_show_the_cause(void **state)
{
    (void)state;
    char text[400];
    struct lint_file *f;
    for (int before = 0; before < 300; before += 7) {
        memset(text, 'x', sizeof text);
        memcpy(text + before, "y.item()", 8);
        text[before + 8 + before % 50] = '\0';
        f = file_of("a.py", text);
        fixture_at(&result, f, FIXTURE_SYNC, "y.item()");
        struct source_window w;
        source_window_init(&w, text, before, 8, 90);
        assert_true(text_columns(w.text.s) <= 90);
        assert_int_equal(w.width, 8);
        /* the ellipsis before it has three bytes and one column */
        int bytes = w.caret + (strncmp(w.text.s, "…", 3) ? 0 : 2);
        assert_memory_equal(w.text.s + bytes, "y.item()", 8);
        source_window_release(&w);
    }
    lint_text_write(&out, &result, &plain);
    assert_lines_fit(100);
    strbuf_clear(&out);
    lint_text_write(&out, &result, &(struct lint_text_options){.columns = 60});
    assert_lines_fit(60);
}

static void a_cause_wider_than_the_screen_is_underlined_as_far_as_it_shows(void **state)
{
    (void)state;
    struct source_window w;
    char text[501];
    memset(text, 'x', 500);
    text[500] = '\0';
    source_window_init(&w, text, 10, 400, 50);
    assert_true(text_columns(w.text.s) <= 50);
    assert_true(w.width >= 1 && w.caret + w.width <= 50);
    source_window_release(&w);
    source_window_init(&w, "short", 200, 1, 50); /* the source was cut before it */
    assert_string_equal(w.text.s, "short");
    assert_int_equal(w.caret, 5);
    assert_int_equal(w.width, 1);
    source_window_release(&w);
    source_window_init(&w, "", 0, 1, 50);
    assert_int_equal(w.width, 1);
    source_window_release(&w);
}

static void carets_count_columns_not_characters(void **state)
{
    (void)state;
    struct source_window w;
    source_window_init(&w, "f(\"日本\", y.item())", 8, 8, 90);
    assert_int_equal(w.caret, 10);
    assert_int_equal(w.width, 8);
    source_window_release(&w);
}

static void the_summary_counts_what_there_is(void **state)
{
    (void)state;
    lint_text_summary(&out, &result, &plain);
    assert_string_equal(out.s, "No findings in 0 files\n");
    strbuf_clear(&out);
    file_of("a.py", "x")->suppressed = 2;
    file_of("b.py", "x");
    lint_text_summary(&out, &result, &plain);
    assert_string_equal(out.s, "No findings in 2 files (2 suppressed by noqa)\n");
    strbuf_clear(&out);
    file_of("c.py", "")->failure = "cannot read c.py: no such file; check the path";
    file_of("d.py", "x")->error_line = 12;
    lint_text_write(&out, &result, &(struct lint_text_options){.fixed = 3});
    assert_string_equal(out.s,
                        "not checked: cannot read c.py: no such file; check the path\n"
                        "d.py:12:1: line 12 could not be parsed; the rest was checked\n"
                        "Fixed 3 findings; 0 left in 3 files (2 suppressed by noqa)\n"
                        "1 file could not be read\n");
}

static void where_no_file_was_read_nothing_is_called_clean(void **state)
{
    (void)state;
    file_of("c.py", "")->failure = "cannot read c.py: no such file; check the path";
    lint_text_summary(&out, &result, &plain);
    assert_string_equal(out.s, "1 file could not be read\n");
}

static void statistics_begin_with_the_most_frequent_rule(void **state)
{
    (void)state;
    static char text[200];
    for (int i = 0; i < 12; i++)
        strcat(text, "a.item()\n");
    struct lint_file *f = file_of("a.py", text);
    fixture_finding(&result, f, FIXTURE_ODD, 0, 1);
    fixture_finding(&result, f, FIXTURE_COPY, 0, 1);
    for (uint32_t i = 0; i < 12; i++) {
        struct lint_finding *x =
            fixture_finding(&result, f, FIXTURE_SYNC, 9 * i, 9 * i + 8);
        if (i)
            fixture_edit(&result, x, LINT_SAFE, x->begin, x->end, "a");
    }
    fixture_edit(&result, &f->findings[0], LINT_UNSAFE, 0, 1, "b");
    lint_text_write_statistics(&out, &result, &plain);
    assert_string_equal(
        out.s, "12  GT101  [-] sync-item\n"
               " 1  GT203  [ ] blocking-copy\n"
               " 1  GT999  [ ] odd-text\n"
               "14 findings in 1 of 1 file\n"
               "[*] 11 can be fixed with --fix, 1 more with --fix --unsafe-fixes\n");
    strbuf_clear(&out);
    lint_text_write_statistics(&out, &result,
                               &(struct lint_text_options){.unsafe_fixes = true});
    assert_says(" 1  GT999  [*] odd-text\n");
}

static void colour_changes_no_text(void **state)
{
    (void)state;
    struct lint_file *f = file_of("a.py", "x = a.item()\n");
    struct strbuf bare;
    fixture_at(&result, f, FIXTURE_SYNC, "a.item()");
    lint_text_write(&out, &result, &(struct lint_text_options){.colour = true});
    strbuf_init(&bare);
    for (const char *s = out.s; *s; s++)
        if (*s == '\033')
            s = strchr(s, 'm');
        else
            strbuf_putc(&bare, *s);
    strbuf_clear(&out);
    lint_text_write(&out, &result, &plain);
    assert_string_equal(bare.s, out.s);
    strbuf_release(&bare);
}

static void a_rule_is_explained_with_what_prices_it(void **state)
{
    (void)state;
    struct lint_explain_options o = {0};
    lint_explain_write(&out, &fixture_rules[FIXTURE_COPY], &o);
    assert_string_equal(out.s, "GT203 blocking-copy: the copy to the device blocks\n\n"
                               "why:    the host waits until the batch has arrived\n"
                               "fix:    pass non_blocking=True\n"
                               "price:  gait explain blocking-copy TRACE\n"
                               "        gait explain pageable-copy TRACE\n"
                               "state:  on by default\n"
                               "more:   gait help GT203\n");
    strbuf_clear(&out);
    lint_explain_write(&out, &fixture_rules[FIXTURE_ODD], &o);
    assert_says("state:  off by default; gait lint --extend-select GT999 adds it\n");
    assert_null(strstr(out.s, "price:"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_finding_has_its_place_line_reason_and_help),
        CASE(reason_and_common_help_stand_at_the_first_finding_of_a_rule),
        CASE(what_fix_would_do_is_marked),
        CASE(what_a_run_says_it_costs_stands_beside_it),
        CASE(nothing_of_a_source_drives_the_terminal),
        CASE(lines_fit_the_screen_and_show_the_cause),
        CASE(a_cause_wider_than_the_screen_is_underlined_as_far_as_it_shows),
        CASE(carets_count_columns_not_characters),
        CASE(the_summary_counts_what_there_is),
        CASE(where_no_file_was_read_nothing_is_called_clean),
        CASE(statistics_begin_with_the_most_frequent_rule),
        CASE(colour_changes_no_text),
        CASE(a_rule_is_explained_with_what_prices_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
