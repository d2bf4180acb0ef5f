/* Reads that wait for the same work are one wait where they are shown. */
#include "cmocka_setup.h"

#include "lint/lint_check.h"
#include "lint/lint_rows.h"
#include "source/source_query.h"

#include <string.h>

static const char head[] = "import torch\n"
                           "def train(model, loader, optimizer, scaler, log, extra):\n"
                           "    model.cuda()\n"
                           "    for x, y in loader:\n"
                           "        loss = model(x.cuda()).loss\n";

static bool reads(const void *context, const struct lint_rule *rule, const char *path)
{
    (void)context, (void)path;
    return !strcmp(rule->code, "GT101") || !strcmp(rule->code, "GT102");
}

/* The lines that are shown, each with those that it stands for: "7(8 9) 12". */
static void assert_rows(const char *body, const char *want)
{
    struct lint_result r;
    struct err err = ERR_INIT;
    struct strbuf text, got;
    strbuf_init(&text);
    strbuf_init(&got);
    strbuf_printf(&text, "%s%s", head, body);
    struct lint_input input = {"train.py", text.s, text.len};
    struct lint_check_options o = {.threads = 1, .wants = reads};
    if (lint_check(&r, &input, 1, &o, &err))
        fail_msg("%s", err.text);
    lint_rows_merge(&r);
    for (size_t i = 0; i < r.files[0].n; i++) {
        const struct lint_finding *f = &r.files[0].findings[i];
        strbuf_printf(&got, "%s%d", got.len ? " " : "", (int)f->line);
        for (size_t k = 0; k < f->n_also; k++)
            strbuf_printf(&got, "%s%d%s", k ? " " : "(", (int)f->also_lines[k],
                          k + 1 == f->n_also ? ")" : "");
    }
    assert_string_equal(got.s ? got.s : "", want);
    lint_result_release(&r);
    strbuf_release(&text);
    strbuf_release(&got);
}

static void reads_with_no_pass_between_are_one_wait(void **state)
{
    (void)state;
    assert_rows("        loss.backward()\n"
                "        optimizer.step()\n"
                "        a = loss.item()\n"
                "        b = loss.detach().cpu()\n"
                "        log.append((a, b, loss.item()))\n",
                "8(9 10)");
}

static void a_pass_between_makes_two(void **state)
{
    (void)state;
    assert_rows("        a = loss.item()\n"
                "        loss.backward()\n"
                "        optimizer.step()\n"
                "        log.append((a, loss.item()))\n",
                "6 9");
}

static void the_optimizers_step_alone_does_not(void **state)
{
    (void)state;
    assert_rows("        loss.backward()\n"
                "        a = loss.item()\n"
                "        optimizer.step()\n"
                "        log.append((a, loss.item()))\n",
                "7(9)");
}

static void what_always_runs_stands_for_what_may_not(void **state)
{
    (void)state;
    assert_rows("        loss.backward()\n"
                "        optimizer.step()\n"
                "        if extra:\n"
                "            log.append(loss.item())\n"
                "        log.append(loss.item())\n",
                "10(9)");
}

static void two_ways_of_one_if_are_two_waits(void **state)
{
    (void)state;
    assert_rows("        loss.backward()\n"
                "        optimizer.step()\n"
                "        if extra:\n"
                "            log.append(loss.item())\n"
                "        else:\n"
                "            log.append(2 * loss.item())\n",
                "9 11");
}

static void a_read_at_the_beginning_follows_the_turn_before(void **state)
{
    (void)state;
    assert_rows("        loss.backward()\n"
                "        optimizer.step()\n"
                "        log.append(loss.item())\n"
                "    for x, y in loader:\n"
                "        n = y.cuda().float().mean().item()\n"
                "        loss = model(x.cuda()).loss\n"
                "        loss.backward()\n"
                "        optimizer.step()\n"
                "        log.append((n, loss.item()))\n",
                "8 14(10)");
}

static void lines_are_told_in_words(void **state)
{
    (void)state;
    int32_t lines[] = {7, 9, 12};
    struct lint_finding f = {.also_lines = lines};
    struct strbuf out;
    strbuf_init(&out);
    lint_rows_tell(&out, &f);
    assert_int_equal(out.len, 0);
    f.n_also = 1;
    lint_rows_tell(&out, &f);
    assert_string_equal(out.s, "line 7 waits for the same work");
    strbuf_clear(&out);
    f.n_also = 3;
    lint_rows_tell(&out, &f);
    assert_string_equal(out.s, "lines 7, 9 and 12 wait for the same work");
    strbuf_release(&out);
}

int main(void)
{
    if (!source_available())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_with_no_pass_between_are_one_wait),
        cmocka_unit_test(a_pass_between_makes_two),
        cmocka_unit_test(the_optimizers_step_alone_does_not),
        cmocka_unit_test(what_always_runs_stands_for_what_may_not),
        cmocka_unit_test(two_ways_of_one_if_are_two_waits),
        cmocka_unit_test(a_read_at_the_beginning_follows_the_turn_before),
        cmocka_unit_test(lines_are_told_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
