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
    *r = (struct verify_result){0};
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
    verify_print_junit(&out, &r);
    assert_non_null(strstr(out.s, "tests=\"4\" failures=\"2\" skipped=\"1\""));
    assert_non_null(strstr(out.s, "&lt;b&gt;&quot;h|1`&amp;&apos;&quot;\" "
                                  "type=\"gradients_differ\"/>"));
    assert_null(strstr(out.s, "<b>"));
    assert_non_null(strstr(out.s, "<skipped message=\"none\"/>"));
    strbuf_release(&out);
}

static void markdown_keeps_its_cells(void **state)
{
    (void)state;
    struct verify_result r;
    struct strbuf out;
    strbuf_init(&out);
    fill(&r);
    verify_print_markdown(&out, &r);
    assert_non_null(strstr(out.s, "&lt;b>\"h\\|1\\`&'\""));
    assert_non_null(strstr(out.s, "1 of 3 gates passed."));
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
        cmocka_unit_test(markdown_keeps_its_cells),
        cmocka_unit_test(targets_are_read),
        cmocka_unit_test(wrong_targets_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
