/* Gates as XML and Markdown: whatever a name holds stays text. Targets from YAML. */
#include "cmocka_setup.h"
#include "verify/gate_fill.h"
#include "verify/targets.h"
#include "verify/verify_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fill(struct verify_result *r)
{
    *r = (struct verify_result){.shared = {NAN, NAN}};
    gate_decide(r, gate_add(r, "step time"), VERDICT_PASS, "", "-3.0 %%");
    gate_decide(r, gate_add(r, "gradients"), VERDICT_FAIL, "gradients_differ",
                "worst: <b>\"h|1`&'\"");
    gate_decide(r, gate_add(r, "movement"), VERDICT_UNSURE, "within_spread", "?");
    does_not_apply(gate_add(r, "same losses"), "no_common_losses", "none");
}

static void junit_counts_and_escapes(void **state)
{
    (void)state;
    struct verify_result r;
    struct strbuf out;
    strbuf_init(&out);
    fill(&r);
    verify_print_junit(&out, &r, &(struct verify_shown){.recordings = true});
    assert_non_null(strstr(out.s, "<testsuite name=\"gait verify\" tests=\"4\" "
                                  "failures=\"2\" skipped=\"1\" errors=\"0\">"));
    assert_non_null(strstr(out.s, "&lt;b&gt;&quot;h|1`&amp;&apos;&quot;\" "
                                  "type=\"gradients_differ\">"));
    assert_null(strstr(out.s, "<b>"));
    assert_non_null(strstr(out.s, "<skipped message=\"none\""));
    strbuf_clear(&out);
    verify_print_junit(&out, &r, &(struct verify_shown){.unread = 1});
    assert_non_null(
        strstr(out.s, "tests=\"5\" failures=\"2\" skipped=\"1\" errors=\"1\""));
    assert_non_null(strstr(out.s, "type=\"files_unread\">1 file could not be read"));
    strbuf_release(&out);
}

static void print_markdown(struct strbuf *out, const struct verify_result *r,
                           const struct verify_shown *shown)
{
    strbuf_clear(out);
    verify_print_markdown(out, r, shown);
}

static void assert_says(const struct strbuf *out, const char *needle)
{
    if (!strstr(out->s, needle))
        fail_msg("no \"%s\" in:\n%s", needle, out->s);
}

static void markdown_begins_with_the_verdict(void **state)
{
    (void)state;
    struct verify_result r = {.shared = {NAN, NAN}};
    struct strbuf out;
    strbuf_init(&out);
    struct gate_result *g = gate_add(&r, "step time");
    g->numbers.change = -0.25;
    g->numbers.change_low = -0.3;
    g->numbers.change_high = -0.2;
    gate_decide(&r, g, VERDICT_PASS, "", "faster");
    print_markdown(&out, &r, &(struct verify_shown){.recordings = true});
    assert_string_equal(out.s,
                        "### gait verify: PASS, step time −25.0 % [−30.0, −20.0]\n\n"
                        "1 of 1 gates passed.\n\n"
                        "| gate | before | after | verdict | |\n|:--|--:|--:|:--|:--|\n"
                        "| step time | | | PASS | faster |\n\n"
                        "In brackets: the interval of the change.\n");
    gate_decide(&r, gate_add(&r, "peak memory"), VERDICT_FAIL, "more_memory", "+9 %%");
    does_not_apply(gate_add(&r, "same losses"), "no_common_losses", "none");
    does_not_apply(gate_add(&r, "same movement"), "no_common_movement", "none");
    print_markdown(&out, &r, &(struct verify_shown){.recordings = true});
    assert_int_equal(strncmp(out.s, "### gait verify: FAIL, step", 27), 0);
    assert_says(&out, "1 of 2 gates failed: peak memory. Not compared: same losses, same "
                      "movement.\n");
    assert_says(&out,
                "\nNext:\n\n- Memory over time: `gait report AFTER -o after.html`.\n"
                "- Losses, gradients");
    assert_null(strstr(strstr(out.s, "- Losses, gradients") + 1, "- Losses"));
    strbuf_release(&out);
}

static void markdown_names_what_cannot_tell(void **state)
{
    (void)state;
    struct verify_result r;
    struct strbuf out;
    strbuf_init(&out);
    fill(&r);
    r.gate[0].numbers.change = -0.9; /* of too few steps */
    print_markdown(&out, &r, &(struct verify_shown){.recordings = true});
    assert_says(&out,
                "### gait verify: FAIL\n\n1 of 3 gates failed: gradients; 1 of 3 gates "
                "cannot tell: movement. Not compared: same losses.\n");
    assert_says(&out, "- It cannot tell yet: record more steps");
    strbuf_release(&out);
}

/* As the exit code has it. */
static void markdown_proves_nothing_of_a_part(void **state)
{
    (void)state;
    struct verify_result r = {.shared = {NAN, NAN}};
    struct strbuf out;
    strbuf_init(&out);
    print_markdown(&out, &r, &(struct verify_shown){.recordings = true});
    assert_says(&out, "### gait verify: nothing is proved\n\nnothing could be compared");
    gate_decide(&r, gate_add(&r, "step time"), VERDICT_PASS, "", "faster");
    print_markdown(&out, &r, &(struct verify_shown){.unread = 2});
    assert_says(&out, "### gait verify: nothing is proved\n\n2 files could not be read");
    strbuf_release(&out);
}

static void markdown_holds_names_as_text(void **state)
{
    (void)state;
    struct verify_result r;
    struct strbuf out;
    strbuf_init(&out);
    fill(&r);
    snprintf(r.baseline.name, sizeof r.baseline.name, "<i>@all");
    print_markdown(&out, &r,
                   &(struct verify_shown){.subject = {"a `x` | <b>", "b\n# c"}});
    assert_says(&out, "| worst: &lt;b&gt;\"h&#124;1\\`&amp;'\" |\n");
    assert_says(&out, "\nBefore: `` a `x` | <b> ``, after: `b # c`.\n");
    assert_says(&out, "\nBaseline &lt;i&gt;@&#8203;all when it was saved");
    assert_null(strstr(out.s, "<i>"));
    snprintf(r.gate[1].remark, sizeof r.gate[1].remark, "cut \xc3"); /* by snprintf() */
    print_markdown(&out, &r, &(struct verify_shown){.recordings = true});
    assert_says(&out, "| cut \xef\xbf\xbd |\n");
    strbuf_release(&out);
}

static enum status read_targets(struct targets *t, const char *text, struct err *err)
{
    char path[] = "/tmp/gait-targets-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    enum status s = targets_read(t, path, err);
    unlink(path);
    return s;
}

static void targets_are_read(void **state)
{
    (void)state;
    struct targets t;
    struct err err = ERR_INIT;
    assert_int_equal(
        read_targets(&t, "# as agreed\nmin_speedup: 1.3\nmax_grad_error: 1e-5\n", &err),
        STATUS_OK);
    assert_true(t.min_speedup == 1.3 && t.max_grad_error == 1e-5);
    assert_true(isnan(t.max_memory_ratio));
    assert_int_equal(read_targets(&t, "", &err), STATUS_OK);
    assert_true(isnan(t.min_speedup));
}

static void wrong_targets_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"min_speedup: fast\n", ":1: this is no number"},
        {"a: 1\nb: 2\n", ":1: no target is called \"a\"; there are: min_speedup"},
        {"min_speedup: [1, 2]\n", "no list of numbers"},
        {"x:\n  min_speedup: 1\n", "a list inside a list"},
        {"- 1\n", "no list of numbers"},
        {"min_speedup: \"\x01\n", "not valid YAML"},
        {"hello\n", "no list of numbers"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct targets t;
        struct err err = ERR_INIT;
        assert_true(read_targets(&t, wrong[i].text, &err) != STATUS_OK);
        if (!strstr(err.text, wrong[i].says))
            fail_msg("\"%s\" gives \"%s\"", wrong[i].text, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(junit_counts_and_escapes),
        cmocka_unit_test(markdown_begins_with_the_verdict),
        cmocka_unit_test(markdown_names_what_cannot_tell),
        cmocka_unit_test(markdown_proves_nothing_of_a_part),
        cmocka_unit_test(markdown_holds_names_as_text),
        cmocka_unit_test(targets_are_read),
        cmocka_unit_test(wrong_targets_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
