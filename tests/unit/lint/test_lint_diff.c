#include "base/mem.h"
#include "cmocka_setup.h"
#include "lint/lint_diff.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_diff(const char *path, const char *old, const char *new,
                        const char *expected)
{
    struct strbuf out;
    strbuf_init(&out);
    lint_diff_write(&out, path, old, strlen(old), new, strlen(new));
    assert_string_equal(out.s, expected);
    strbuf_release(&out);
}

static void equal_texts_have_no_diff(void **state)
{
    (void)state;
    assert_diff("a.py", "", "", "");
    assert_diff("a.py", "x\ny", "x\ny", "");
}

static void a_change_stands_between_three_lines_of_context(void **state)
{
    (void)state;
    assert_diff("a.py", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
                "--- a.py\n+++ a.py\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n "
                "8\n");
    assert_diff("a.py", "1\n2\n", "0\n1\n2\n",
                "--- a.py\n+++ a.py\n@@ -1,2 +1,3 @@\n+0\n 1\n 2\n");
    assert_diff("a.py", "1\n2\n", "1\n", "--- a.py\n+++ a.py\n@@ -1,2 +1 @@\n 1\n-2\n");
    assert_diff("a.py", "1\n", "", "--- a.py\n+++ a.py\n@@ -1 +0,0 @@\n-1\n");
    assert_diff("a.py", "", "1\n", "--- a.py\n+++ a.py\n@@ -0,0 +1 @@\n+1\n");
}

static void near_changes_share_a_hunk_and_far_ones_do_not(void **state)
{
    (void)state;
    assert_diff(
        "a", "a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
        "--- a\n+++ a\n@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
    assert_diff("a", "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
                "--- a\n+++ a\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n "
                "5\n 6\n 7\n-b\n+B\n");
}

static void a_missing_last_line_end_is_said(void **state)
{
    (void)state;
    assert_diff("a", "x\ny", "x\nz",
                "--- a\n+++ a\n@@ -1,2 +1,2 @@\n x\n-y\n\\ No newline at end of file\n"
                "+z\n\\ No newline at end of file\n");
    assert_diff("a", "x", "x\n",
                "--- a\n+++ a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n");
    assert_diff("a", "x\ny", "w\ny",
                "--- a\n+++ a\n@@ -1,2 +1,2 @@\n-x\n+w\n y\n\\ No newline at end of "
                "file\n");
}

static void line_ends_of_the_file_stay_in_the_diff(void **state)
{
    (void)state;
    assert_diff("a", "x\r\ny\r\n", "x\r\nz\r\n",
                "--- a\n+++ a\n@@ -1,2 +1,2 @@\n x\r\n-y\r\n+z\r\n");
}

static void odd_paths_are_quoted(void **state)
{
    (void)state;
    static const char rest[] = "@@ -1 +1 @@\n-a\n+b\n";
    static const char *const cases[][2] = {
        {"src/ü.py", "src/ü.py"},
        {"my file.py", "my file.py\t"},
        {"./a//b/./c.py", "a/b/c.py"},
        {"a\nb\t\033[2J", "\"a\\012b\\011\\033[2J\""},
        {"q\"uo\\te", "\"q\\042uo\\134te\""},
        {"\xff.py", "\"\\377.py\""},
        {"\xc2\x9b.py", "\"\\302\\233.py\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[200];
        snprintf(expected, sizeof expected, "--- %s\n+++ %s\n%s", cases[i][1],
                 cases[i][1], rest);
        assert_diff(cases[i][0], "a\n", "b\n", expected);
    }
}

/* --- any two texts: what the diff says of the old one gives the new one */

struct applied {
    struct strbuf text;
    const char *old;
    size_t lines; /* of old that are passed */
};

/* The next line of *at, with its end; moves *at behind it. */
static size_t next_line(const char **at)
{
    const char *begin = *at, *end = strchr(begin, '\n');
    *at = end ? end + 1 : begin + strlen(begin);
    return (size_t)(*at - begin);
}

static void copy_lines(struct applied *a, size_t until)
{
    for (; a->lines < until; a->lines++) {
        const char *begin = a->old;
        size_t len = next_line(&a->old);
        assert_true(len > 0);
        strbuf_add(&a->text, begin, len);
    }
}

/* One line of a hunk, without a line end where the next line of the diff says so. */
static void apply_line(struct applied *a, const char *line, size_t len, bool no_end)
{
    len -= no_end;
    if (*line != '+') {
        const char *begin = a->old;
        size_t old_len = next_line(&a->old);
        assert_int_equal(old_len, len - 1);
        assert_memory_equal(begin, line + 1, old_len);
        a->lines++;
    }
    if (*line != '-')
        strbuf_add(&a->text, line + 1, len - 1);
}

static void apply(struct applied *a, const char *diff)
{
    next_line(&diff);
    next_line(&diff); /* --- and +++ */
    while (*diff) {
        size_t first, old_n = 1, new_n = 1;
        const char *line = diff;
        assert_memory_equal(line, "@@ -", 4);
        next_line(&diff);
        first = strtoul(line + 4, (char **)&line, 10);
        if (*line == ',')
            old_n = strtoul(line + 1, (char **)&line, 10);
        assert_memory_equal(line, " +", 2);
        strtoul(line + 2, (char **)&line, 10);
        if (*line == ',')
            new_n = strtoul(line + 1, (char **)&line, 10);
        copy_lines(a, old_n ? first - 1 : first);
        while (*diff && *diff != '@') {
            line = diff;
            size_t len = next_line(&diff);
            bool no_end = *diff == '\\';
            if (no_end)
                next_line(&diff);
            old_n -= *line != '+';
            new_n -= *line != '-';
            apply_line(a, line, len, no_end);
        }
        assert_int_equal(old_n, 0);
        assert_int_equal(new_n, 0);
    }
    strbuf_puts(&a->text, a->old);
}

/* Returns the lines that it removes and adds. */
static size_t assert_applies(const char *old, const char *new)
{
    struct strbuf diff;
    struct applied a = {.old = old};
    size_t changed = 0;
    strbuf_init(&diff);
    strbuf_init(&a.text);
    lint_diff_write(&diff, "a", old, strlen(old), new, strlen(new));
    apply(&a, diff.s);
    assert_string_equal(a.text.s, new);
    const char *at = diff.s;
    next_line(&at);
    next_line(&at);
    while (*at) {
        changed += *at == '-' || *at == '+';
        next_line(&at);
    }
    strbuf_release(&diff);
    strbuf_release(&a.text);
    return changed;
}

static uint64_t seed = 11;

static uint32_t random_below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

static void random_text(struct strbuf *b, uint32_t lines, uint32_t kinds)
{
    strbuf_clear(b);
    for (uint32_t i = 0; i < lines; i++)
        strbuf_printf(b, "line %u\n", random_below(kinds));
    if (b->len && random_below(3) == 0)
        b->s[--b->len] = '\0';
}

static void any_text_becomes_any_other(void **state)
{
    (void)state;
    struct strbuf old, new;
    strbuf_init(&old);
    strbuf_init(&new);
    for (int i = 0; i < 400; i++) {
        uint32_t kinds = random_below(60) + 1;
        random_text(&old, random_below(60), kinds);
        random_text(&new, random_below(60), kinds);
        assert_applies(old.s, new.s);
    }
    for (int i = 0; i < 10; i++) { /* too long to be solved exactly */
        random_text(&old, 300 + random_below(400), 5);
        random_text(&new, 300 + random_below(400), 5);
        assert_applies(old.s, new.s);
    }
    strbuf_release(&old);
    strbuf_release(&new);
}

static void few_edits_give_a_small_diff(void **state)
{
    (void)state;
    enum { LINES = 3000, EDITS = 40 };
    struct strbuf old, new;
    strbuf_init(&old);
    strbuf_init(&new);
    for (int i = 0; i < LINES; i++) { /* half of the lines are the same everywhere */
        char line[32] = "    return x\n";
        if (i % 2)
            snprintf(line, sizeof line, "x = %d\n", i);
        strbuf_puts(&old, line);
        strbuf_puts(&new, i % (LINES / EDITS) == 7 ? "fixed\n" : line);
    }
    assert_int_equal(assert_applies(old.s, new.s), 2 * EDITS);
    strbuf_release(&old);
    strbuf_release(&new);
}

/* A quadratic diff of these would take hours and gigabytes. */
static void a_million_equal_lines_are_compared_at_once(void **state)
{
    (void)state;
    enum { LINES = 1000000 };
    struct strbuf old, new;
    strbuf_init(&old);
    strbuf_init(&new);
    strbuf_puts(&new, "first\n");
    for (int i = 0; i < LINES; i++) {
        strbuf_puts(&old, i % 2 ? "a\n" : "b\n");
        strbuf_puts(&new, i % 3 ? "a\n" : "b\n");
    }
    assert_applies(old.s, new.s);
    strbuf_release(&old);
    strbuf_release(&new);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_texts_have_no_diff),
        cmocka_unit_test(a_change_stands_between_three_lines_of_context),
        cmocka_unit_test(near_changes_share_a_hunk_and_far_ones_do_not),
        cmocka_unit_test(a_missing_last_line_end_is_said),
        cmocka_unit_test(line_ends_of_the_file_stay_in_the_diff),
        cmocka_unit_test(odd_paths_are_quoted),
        cmocka_unit_test(any_text_becomes_any_other),
        cmocka_unit_test(few_edits_give_a_small_diff),
        cmocka_unit_test(a_million_equal_lines_are_compared_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
