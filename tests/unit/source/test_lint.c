#include "cmocka_setup.h"

#include "base/mem.h"
#include "source/lint.h"
#include "source/source_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int skip_without_parser(void **state)
{
    (void)state;
    if (source_available())
        return 0;
    print_message("skipped: built without tree-sitter (scripts/fetch-tree-sitter)\n");
    exit(77);
}

/* The lines with findings, as "3 7 ". */
static void assert_lines(const char *text, const char *lines)
{
    struct lint_report r;
    struct err err = ERR_INIT;
    char got[200] = "";
    assert_int_equal(lint_text(&r, text, strlen(text), "t.py", &err), STATUS_OK);
    for (size_t i = 0; i < r.n; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%d ",
                 (int)r.findings[i].line);
    assert_string_equal(got, lines);
    lint_report_release(&r);
}

static void a_sync_in_a_training_loop_is_found(void **state)
{
    (void)state;
    assert_lines("for x, y in loader:\n"
                 "    loss = model(x, y)\n"
                 "    loss.backward()\n"
                 "    opt.step()\n"
                 "    total += loss.item()\n"
                 "    seen = out.cpu()\n"
                 "    print(float(loss), out.tolist())\n",
                 "5 6 7 ");
    assert_lines("while loss.item() > 1:\n"
                 "    loss = f()\n"
                 "    loss.backward()\n",
                 "1 ");
}

static void an_inner_loop_of_a_step_counts(void **state)
{
    (void)state;
    assert_lines("def train():\n"
                 "    for batch in loader:\n"
                 "        loss.backward()\n"
                 "        for p in params:\n"
                 "            norms.append(p.grad.norm().item())\n"
                 "        losses = [l.item() for l in parts]\n",
                 "5 6 ");
}

static void once_an_epoch_does_not_count(void **state)
{
    (void)state;
    assert_lines("for epoch in range(9):\n"
                 "    for x in loader:\n"
                 "        loss = f(x)\n"
                 "        loss.backward()\n"
                 "    lr_scheduler.step()\n"
                 "    print(loss.item())\n",
                 "");
}

static void every_n_steps_does_not_count(void **state)
{
    (void)state;
    assert_lines("for step, x in enumerate(loader):\n"
                 "    loss.backward()\n"
                 "    if step % 100 == 0:\n"
                 "        print(loss.item())\n"
                 "        for p in params:\n"
                 "            print(p.norm().item())\n"
                 "    elif step % 7 == 1:\n"
                 "        print(loss.item())\n"
                 "    else:\n"
                 "        print(loss.item())\n",
                 "10 ");
}

static void a_loop_that_does_not_train_is_left_alone(void **state)
{
    (void)state;
    assert_lines("for x in loader:\n"
                 "    total += f(x).item()\n"
                 "step()\n"
                 "for i in t.tolist():\n"
                 "    opt.step()\n"
                 "for k in d:\n"
                 "    loss.backward()\n"
                 "    n = d.items()\n"
                 "    v = d.item('key')\n"
                 "    lr = float(text)\n",
                 "");
}

static void what_is_defined_in_a_loop_does_not_run_there(void **state)
{
    (void)state;
    assert_lines("for x in loader:\n"
                 "    loss.backward()\n"
                 "    def show():\n"
                 "        return loss.item()\n"
                 "    hooks.append(lambda: loss.item())\n",
                 "");
}

static void a_finding_stands_once_a_line_with_its_text(void **state)
{
    (void)state;
    const char *text =
        "for x in l:\n\tloss.backward()\n\ty = float(loss.item()) # \x1b[1m\n";
    struct lint_report r;
    struct err err = ERR_INIT;
    assert_int_equal(lint_text(&r, text, strlen(text), "t.py", &err), STATUS_OK);
    assert_int_equal(r.n, 1);
    assert_string_equal(r.findings[0].text, "y = float(loss.item()) # ?[1m");
    assert_string_equal(r.findings[0].rule->id, "device-sync-in-loop");
    assert_int_equal(r.error_line, 0);
    lint_report_release(&r);
}

/* The advice for one statement in a training loop. */
static void assert_fix(const char *statement, const char *holds, const char *holds_not)
{
    char text[200];
    struct lint_report r;
    struct err err = ERR_INIT;
    snprintf(text, sizeof text, "for x in l:\n    loss.backward()\n    %s\n", statement);
    assert_int_equal(lint_text(&r, text, strlen(text), "t.py", &err), STATUS_OK);
    assert_int_equal(r.n, 1);
    assert_non_null(strstr(r.findings[0].form->fix, holds));
    assert_null(strstr(r.findings[0].form->fix, holds_not));
    lint_report_release(&r);
}

static void each_form_has_its_own_advice(void **state)
{
    (void)state;
    assert_fix("t += loss.item()", "x.detach()", "pinned");
    assert_fix("t += float(loss)", "x.detach()", "pinned");
    assert_fix("seen = out.cpu()", "pinned", "detach");
    assert_fix("ids = out.tolist()", ".tolist() after the loop", "detach");
    assert_fix("ids = out.cpu().tolist()", ".tolist() after the loop", "pinned");
}

static void broken_python_is_still_read(void **state)
{
    (void)state;
    const char *text = "x = = 3\n"
                       "for x in loader:\n"
                       "    loss.backward()\n"
                       "    a.append(loss.item())\n"
                       "def (:\n";
    struct lint_report r;
    struct err err = ERR_INIT;
    assert_int_equal(lint_text(&r, text, strlen(text), "t.py", &err), STATUS_OK);
    assert_int_equal(r.error_line, 1);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.findings[0].line, 4);
    lint_report_release(&r);
}

static void any_bytes_are_survived(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",   "\n",  "\xff\xfe\x80",     "for", "if x:\n\t y(\n  z", "'''",
        "\\", "f'{", "\xef\xbb\xbfx()\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct lint_report r;
        struct err err = ERR_INIT;
        assert_int_equal(lint_text(&r, texts[i], strlen(texts[i]), "t", &err), STATUS_OK);
        lint_report_release(&r);
    }
}

static void lint_repeated(const char *head, const char *unit, size_t times)
{
    size_t h = strlen(head), u = strlen(unit), len = h + u * times;
    char *text = mem_alloc(len);
    memcpy(text, head, h);
    for (size_t i = 0; i < times; i++)
        memcpy(text + h + i * u, unit, u);
    struct lint_report r;
    struct err err = ERR_INIT;
    enum status st = lint_text(&r, text, len, "t", &err);
    if (!st)
        lint_report_release(&r);
    assert_true(st == STATUS_OK || st == STATUS_INPUT);
    mem_free(text);
}

static void deep_and_long_sources_end_in_time(void **state)
{
    (void)state;
    lint_repeated("", "(", 20000);
    lint_repeated("for x in l:\n  l.backward()\n  x", ".item()", 20000);
    lint_repeated("for x in l:\n  l.backward()\n  ", "float(loss,", 10000);
    lint_repeated("for x in l:\n  l.backward()\n  ", "x.item();", 20000);
    lint_repeated("", "if x:\n", 5000);
}

static void a_file_too_large_is_refused(void **state)
{
    (void)state;
    char *text = mem_zalloc(SOURCE_FILE_BYTES_MAX + 1, 1);
    struct lint_report r;
    struct err err = ERR_INIT;
    assert_int_equal(lint_text(&r, text, SOURCE_FILE_BYTES_MAX + 1, "t", &err),
                     STATUS_INPUT);
    mem_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sync_in_a_training_loop_is_found),
        cmocka_unit_test(an_inner_loop_of_a_step_counts),
        cmocka_unit_test(once_an_epoch_does_not_count),
        cmocka_unit_test(every_n_steps_does_not_count),
        cmocka_unit_test(a_loop_that_does_not_train_is_left_alone),
        cmocka_unit_test(what_is_defined_in_a_loop_does_not_run_there),
        cmocka_unit_test(a_finding_stands_once_a_line_with_its_text),
        cmocka_unit_test(each_form_has_its_own_advice),
        cmocka_unit_test(broken_python_is_still_read),
        cmocka_unit_test(any_bytes_are_survived),
        cmocka_unit_test(deep_and_long_sources_end_in_time),
        cmocka_unit_test(a_file_too_large_is_refused),
    };
    return cmocka_run_group_tests(tests, skip_without_parser, NULL);
}
