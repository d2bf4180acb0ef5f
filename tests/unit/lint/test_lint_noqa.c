#include "base/mem.h"
#include "base/strbuf.h"
#include "cmocka_setup.h"
#include "lint/lint_noqa.h"
#include "rules_fixture.h"
#include "source/source_query.h"

#include <stdio.h>
#include <string.h>

/* Wanted are the rules whose codes are in `context`, NULL: those on by default. */
static bool wants(const void *context, const struct lint_rule *rule, const char *path)
{
    (void)path;
    return context ? strstr(context, rule->code) != NULL : rule->on;
}

static size_t lint(struct lint_result *r, const char *text, const char *wanted)
{
    struct lint_input in = {"a.py", text, strlen(text)};
    struct lint_check_options o = {.threads = 1, .wants = wants, .context = wanted};
    struct err err = ERR_INIT;
    if (lint_check(r, &in, 1, &o, &err))
        fail_msg("%s", err.text);
    return lint_noqa_apply(r, &o);
}

/* The findings that are left, as "line:code", then how many were suppressed. */
static void assert_left(const char *text, const char *want)
{
    struct lint_result r;
    char got[500] = "";
    size_t suppressed = lint(&r, text, NULL);
    assert_int_equal(suppressed, r.files[0].suppressed);
    for (size_t i = 0; i < r.files[0].n; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%d:%s ",
                 r.files[0].findings[i].line, r.files[0].findings[i].rule->code + 2);
    snprintf(got + strlen(got), sizeof got - strlen(got), "-%zu", suppressed);
    assert_string_equal(got, want);
    lint_result_release(&r);
}

static void edited(struct strbuf *out, const char *text, const struct lint_edit *e,
                   size_t n)
{
    size_t at = 0;
    strbuf_init(out);
    for (size_t i = 0; i < n; i++) {
        assert_true(e[i].begin >= at && e[i].end >= e[i].begin);
        assert_true(e[i].end <= strlen(text));
        strbuf_add(out, text + at, e[i].begin - at);
        strbuf_puts(out, e[i].text);
        at = e[i].end;
    }
    strbuf_puts(out, text + at);
}

/* One GT001 with this advice, whose edit makes `fixed` of the text. */
static void assert_unused(const char *text, const char *wanted, const char *advice,
                          const char *fixed)
{
    struct lint_result r;
    struct strbuf out;
    lint(&r, text, wanted);
    const struct lint_finding *found = NULL;
    for (size_t i = 0; i < r.files[0].n; i++)
        if (!strcmp(r.files[0].findings[i].rule->code, "GT001")) {
            assert_null(found);
            found = &r.files[0].findings[i];
        }
    if (!found || !advice) {
        assert_true(!found && !advice);
    } else {
        assert_string_equal(found->advice, advice);
        assert_int_equal(found->safety, LINT_SAFE);
        edited(&out, text, found->edits, found->n_edits);
        assert_string_equal(out.s, fixed);
        strbuf_release(&out);
    }
    lint_result_release(&r);
}

/* Afterwards nothing is left, and nothing unused. */
static void assert_added(const char *text, const char *want)
{
    struct lint_result r;
    struct strbuf out;
    const struct lint_edit *edits;
    lint(&r, text, NULL);
    size_t n = lint_noqa_additions(&edits, &r, &r.files[0], text, strlen(text));
    edited(&out, text, edits, n);
    assert_string_equal(out.s, want);
    lint_result_release(&r);
    lint(&r, out.s, NULL);
    assert_int_equal(r.files[0].n, 0);
    lint_result_release(&r);
    strbuf_release(&out);
}

static void a_comment_is_for_its_line(void **state)
{
    (void)state;
    assert_left("x.item()\n", "1:101 -0");
    assert_left("x.item()  # noqa\n", "-1");
    assert_left("x.item()  # NoQA\r\n", "-1");
    assert_left("x.item()  #noqa:GT101\nx.item()\n", "2:101 -1");
    assert_left("x.item()  # noqa : gt1, E501\n", "-1");
    assert_left("x.item()  # type: ignore  # noqa: GT101 it is rare\n", "-1");
    assert_left("print(x.item())  # noqa: GT101\n", "1:102 -1");
    assert_left("print(x.item())  # noqa: GT101,GT102\n", "-2");
    assert_left("print(x.item())  # noqa: GT101 GT10\n", "-2");
    assert_left("x.item()  # noqa: E501\n", "1:101 -0");
}

static void a_rule_may_be_named_instead_of_its_code(void **state)
{
    (void)state;
    assert_left("x.item()  # noqa: sync-item\n", "-1");
    assert_left("x.item()  # noqa:Sync-Item, E501 because\n", "-1");
    assert_left("print(x.item())  # noqa: GT102 sync-item\n", "-2");
    assert_left("print(x.item())  # noqa: sync-item\n", "1:102 -1");
    assert_left("# gait: noqa: sync-item\nx.item()\n", "-1");
    assert_left("x.item()  # noqa: sync-items\n", "1:101 -0");
    assert_left("x.item()  # noqa: sync-item-\n", "1:101 -0");
    assert_left("x.item()  # noqa: sync\n", "1:101 -0");
    assert_left("x.item()  # noqa: because sync-item\n", "1:101 -0");
    assert_unused("x = 1  # noqa: sync-item\n", NULL,
                  "remove sync-item: nothing here is suppressed", "x = 1\n");
    assert_unused("x.item()  # noqa: E501, pedantic, sync-item\n", "GT001 GT101 GT110",
                  "remove pedantic: nothing here is suppressed",
                  "x.item()  # noqa: E501, sync-item\n");
    assert_unused("x = 1  # noqa: sync-item, unused-noqa\n", NULL, NULL, NULL);
    assert_added("print(x.item())  # noqa: sync-item\n",
                 "print(x.item())  # noqa: GT102, sync-item\n");
}

static void what_only_looks_like_one_is_none(void **state)
{
    (void)state;
    assert_left("x.item()  # noqa:\n", "1:101 -0");
    assert_left("x.item()  # noqa: because\n", "1:101 -0");
    assert_left("x.item()  # noqatall\n", "1:101 -0");
    assert_left("x.item()  # no noqa\n", "1:101 -0");
    assert_left("x.item()  # ruff: noqa\n", "1:101 -0");
    assert_left("x.item('# noqa')\n", "1:101 -0");
    assert_left("x.item()  # gait: noqa\n", "1:101 -0");
}

static void a_finding_over_lines_has_two_places_for_it(void **state)
{
    (void)state;
    assert_left("x.item(  # noqa: GT101\n  1,\n)\n", "-1");
    assert_left("x.item(\n  1,\n)  # noqa: GT101\n", "-1");
    assert_left("x.item(\n  1,  # noqa: GT101\n)\n", "1:101 2:001 -0");
    assert_left("x.item(); s = '''\n\n'''  # noqa: GT101\n", "-1");
    assert_left("x.item() + \\\n  1  # noqa: GT101\n", "-1");
    assert_left("x.item() + \\\n  1\ny = 1  # noqa: GT101\n", "1:101 3:001 -0");
}

static void a_long_comment_suppresses_too(void **state)
{
    struct strbuf text;
    (void)state;
    strbuf_init(&text);
    strbuf_puts(&text, "x.item()  # ");
    strbuf_repeat(&text, "words ", 1000);
    strbuf_puts(&text, "# noqa: GT101\n");
    assert_left(text.s, "-1");
    strbuf_release(&text);
}

static void a_comment_of_its_own_line_is_for_the_file(void **state)
{
    (void)state;
    assert_left("x.item()\n# gait: noqa\nprint(1)\n", "-2");
    assert_left("x.item()\n# gait: noqa: GT102\nprint(1)\n", "1:101 -1");
    assert_left("\xef\xbb\xbf# gait: noqa\nx.item()\n", "-1"); /* a byte order mark */
    assert_left("  # gait:noqa:GT1\nx.item()\nprint(1)\n", "-2");
    assert_left("# flake8: noqa\nx.item()\n", "2:101 -0");
}

static void an_unused_code_is_found_and_removed(void **state)
{
    (void)state;
    static const char here[] = "remove GT101: nothing here is suppressed";
    assert_unused("x = 1  # noqa: GT101\n", NULL, here, "x = 1\n");
    assert_unused("x = 1\t# noqa: GT101\r\ny\n", NULL, here, "x = 1\r\ny\n");
    assert_unused("x = 1  # noqa: GT101", NULL, here, "x = 1");
    assert_unused("x\n    # noqa: GT101\ny\n", NULL, here, "x\ny\n");
    assert_unused("x = 1  # noqa: GT101, E501\n", NULL, here, "x = 1  # noqa: E501\n");
    assert_unused("x = 1  # noqa:E501,GT101\n", NULL, here, "x = 1  # noqa:E501\n");
    assert_unused("x = 1  # noqa:A1,GT101,B2\tC3,,D4\n", NULL, here,
                  "x = 1  # noqa:A1,B2\tC3,,D4\n");
    assert_unused("x = 1  # noqa: GT101  # type: ignore\n", NULL, here,
                  "x = 1  # type: ignore\n");
    assert_unused("x = 1  # type: ignore  # noqa: GT101\n", NULL, here,
                  "x = 1  # type: ignore\n");
    assert_unused("x = 1  # noqa: GT101 - it is rare\n", NULL, here,
                  "x = 1  # it is rare\n");
    assert_unused("print(1)  # noqa: GT102, GT101, GT2\n", NULL,
                  "remove GT101, GT2: nothing here is suppressed",
                  "print(1)  # noqa: GT102\n");
    assert_unused("x = 1  # noqa: GT999\n", NULL,
                  "remove GT999: nothing here is suppressed", "x = 1\n");
}

static void an_unused_comment_for_the_file_is_found(void **state)
{
    (void)state;
    assert_unused("# gait: noqa\nx = 1\n", NULL,
                  "remove the comment: nothing in this file is suppressed", "x = 1\n");
    assert_unused("# gait: noqa: GT101, GT102\nprint(1)\n", NULL,
                  "remove GT101: nothing in this file is suppressed",
                  "# gait: noqa: GT102\nprint(1)\n");
}

static void what_may_have_a_use_is_not_reported(void **state)
{
    (void)state;
    assert_unused("x = 1  # noqa\n", NULL, NULL, NULL);
    assert_unused("x = 1  # noqa: E501, F401\n", NULL, NULL, NULL);
    assert_unused("x = 1  # noqa: GT101\n", "GT001 GT102", NULL, NULL);
    assert_unused("x = 1  # noqa: GT1\n", "GT001 GT102", NULL, NULL);
    assert_unused("x = 1  # noqa: GT110\n", NULL, NULL, NULL);
    assert_unused("x = 1  # noqa: GT101\n", "GT101", NULL, NULL);
    assert_unused("x = 1  # noqa: GT101, GT001\n", NULL, NULL, NULL);
    assert_unused("# gait: noqa: GT001\nx = 1  # noqa: GT101\n", NULL, NULL, NULL);
    assert_unused("# gait: noqa\nx.item()  # noqa: GT102\n", NULL, NULL, NULL);
    assert_unused("# gait: noqa\nx = 1\n", "GT001 GT101", NULL, NULL);
    assert_unused("x = (  # noqa: GT101\n", NULL, NULL, NULL);
}

static void the_place_of_an_unused_code_is_shown(void **state)
{
    (void)state;
    struct lint_result r;
    lint(&r, "\xc3\xa9 = 1\n\t\xc3\xa9 = 1  # \xc3\xa9 # noqa: GT101 x\n", NULL);
    const struct lint_finding *f = &r.files[0].findings[0];
    assert_int_equal(r.files[0].n, 1);
    assert_int_equal(f->line, 2);
    assert_int_equal(f->column, 13);
    assert_int_equal(f->end_column, 26);
    assert_string_equal(f->source, " \xc3\xa9 = 1  # \xc3\xa9 # noqa: GT101 x");
    assert_int_equal(f->caret, 12);
    assert_int_equal(f->caret_width, 13);
    lint_result_release(&r);
}

static void comments_are_added_one_for_each_line(void **state)
{
    (void)state;
    assert_added("x.item()\n", "x.item()  # noqa: GT101\n");
    assert_added("x.item()", "x.item()  # noqa: GT101");
    assert_added("print(x.item())  \r\ny\r\n",
                 "print(x.item())  # noqa: GT101, GT102\r\ny\r\n");
    assert_added("x.item()  # words\n", "x.item()  # words  # noqa: GT101\n");
    assert_added("x.item()  # noqa: E501\n", "x.item()  # noqa: E501, GT101\n");
    assert_added("x.item(\n  1,\n)\n", "x.item(  # noqa: GT101\n  1,\n)\n");
    assert_added("x.item(); s = '''\n\n'''\ny\n",
                 "x.item(); s = '''\n\n'''  # noqa: GT101\ny\n");
    assert_added("x.item() + \\\n  1\nprint(1)\n",
                 "x.item() + \\\n  1  # noqa: GT101\nprint(1)  # noqa: GT102\n");
    assert_added("x = 1\n", "x = 1\n");
    assert_added("x.item()  # noqa:because\n", "x.item()  # noqa: GT101 because\n");
    assert_added("x.item()  # noqa:\n", "x.item()  # noqa: GT101\n");
    assert_added("x.item()  # noqa: why\n", "x.item()  # noqa: GT101 why\n");
    assert_added("print(x.item())  # noqa: GT102 why\n",
                 "print(x.item())  # noqa: GT101, GT102 why\n");
}

static void no_comments_are_added_to_what_is_not_python(void **state)
{
    (void)state;
    struct lint_result r;
    const struct lint_edit *edits;
    const char *text = "x.item()\ny = ((\n";
    lint(&r, text, NULL);
    assert_int_equal(lint_noqa_additions(&edits, &r, &r.files[0], text, strlen(text)), 0);
    lint_result_release(&r);
}

/* 50 kB of comments, codes and findings: linear enough. */
static void hostile_comments_take_no_long_time(void **state)
{
    (void)state;
    struct strbuf text;
    struct lint_result r;
    strbuf_init(&text);
    strbuf_repeat(&text, "# gait: noqa: GT2,GT3,GT4,GT5\n", 1000);
    strbuf_puts(&text, "x = [");
    strbuf_repeat(&text, "x.item(), print(1), ", 1000);
    strbuf_puts(&text, "]  # noqa: ");
    strbuf_repeat(&text, "GT1,", 1000);
    lint(&r, text.s, NULL);
    assert_true(r.files[0].n >= 1000);
    lint_result_release(&r);
    strbuf_release(&text);
}

int main(void)
{
    if (!source_available())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_comment_is_for_its_line),
        cmocka_unit_test(a_rule_may_be_named_instead_of_its_code),
        cmocka_unit_test(what_only_looks_like_one_is_none),
        cmocka_unit_test(a_finding_over_lines_has_two_places_for_it),
        cmocka_unit_test(a_long_comment_suppresses_too),
        cmocka_unit_test(a_comment_of_its_own_line_is_for_the_file),
        cmocka_unit_test(an_unused_code_is_found_and_removed),
        cmocka_unit_test(an_unused_comment_for_the_file_is_found),
        cmocka_unit_test(what_may_have_a_use_is_not_reported),
        cmocka_unit_test(the_place_of_an_unused_code_is_shown),
        cmocka_unit_test(comments_are_added_one_for_each_line),
        cmocka_unit_test(no_comments_are_added_to_what_is_not_python),
        cmocka_unit_test(hostile_comments_take_no_long_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
