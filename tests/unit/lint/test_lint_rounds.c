#include "base/file.h"
#include "cmocka_setup.h"
#include "lint/lint_rounds.h"
#include "lint_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A linter of texts: "ab" is to be "b", "grow" is to be "grow.", "break" is to be "(((",
 * which is not Python. */
static const struct {
    const char *cause, *fix;
    enum lint_safety safety;
} rules[] = {
    {"ab", "b", LINT_SAFE},
    {"grow", "grow.", LINT_SAFE},
    {"break", "(((", LINT_SAFE},
    {"odd", "even", LINT_UNSAFE},
};

static int checks;

static void check_text(struct lint_result *r, const struct lint_input *in, char *read)
{
    const char *text = in->text ? in->text : read;
    size_t len = in->text ? in->len : strlen(read);
    struct lint_file *file = fixture_file(r, in->path, text, len);
    for (size_t i = 0; i < len; i++)
        for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
            size_t n = strlen(rules[k].cause);
            if (i + n > len || memcmp(text + i, rules[k].cause, n) != 0)
                continue;
            uint32_t at = (uint32_t)i;
            struct lint_finding *f =
                fixture_finding(r, file, FIXTURE_SYNC, at, at + (uint32_t)n);
            fixture_edit(r, f, rules[k].safety, at, at + (uint32_t)n, rules[k].fix);
        }
    const char *bad = strstr(text, "(((");
    int32_t column;
    if (bad)
        fixture_place(text, (uint32_t)(bad - text), &file->error_line, &column);
    file->text = in->text; /* as lint_check() says it */
}

static enum status check(void *context, struct lint_result *r,
                         const struct lint_input *inputs, size_t n, struct err *err)
{
    const int *fails_at = context;
    if (fails_at && checks == *fails_at)
        return err_set(err, STATUS_ENVIRONMENT, "no more");
    checks++;
    *r = (struct lint_result){0};
    arena_init(&r->text);
    for (size_t i = 0; i < n; i++) {
        char *read = NULL;
        size_t len;
        if (!inputs[i].text && file_read(&read, &len, inputs[i].path, 1000, err)) {
            fixture_file(r, inputs[i].path, "", 0)->failure = "cannot read it";
            continue;
        }
        check_text(r, &inputs[i], read);
        mem_free(read);
    }
    return STATUS_OK;
}

static struct lint_rounds rounds;

static void run(const char *text, bool unsafe)
{
    struct lint_input in = {"train.py", text, strlen(text)};
    struct lint_rounds_options o = {.unsafe = unsafe, .check = check};
    checks = 0;
    assert_int_equal(lint_rounds_run(&rounds, &in, 1, &o, NULL), STATUS_OK);
}

static void assert_became(const char *text, size_t fixed)
{
    if (text)
        assert_string_equal(rounds.files[0].text, text);
    else
        assert_null(rounds.files[0].text);
    assert_int_equal(rounds.files[0].fixed, fixed);
    assert_int_equal(rounds.fixed, fixed);
}

static void fixes_uncover_others_until_none_is_left(void **state)
{
    (void)state;
    run("aaaab ab", false);
    assert_became("b b", 5);
    assert_string_equal(rounds.files[0].old, "aaaab ab");
    assert_false(rounds.unfinished);
    assert_int_equal(rounds.result.files[0].n, 0);
    assert_int_equal(checks, 5); /* four rounds, and a last look */
    lint_rounds_release(&rounds);
}

static void a_clean_text_is_checked_once(void **state)
{
    (void)state;
    run("x", true);
    assert_became(NULL, 0);
    assert_int_equal(checks, 1);
    lint_rounds_release(&rounds);
}

static void unsafe_fixes_wait_to_be_asked_for(void **state)
{
    (void)state;
    run("odd ab", false);
    assert_became("odd b", 1);
    assert_int_equal(rounds.result.files[0].n, 1); /* left, and still told */
    assert_false(rounds.unfinished);
    lint_rounds_release(&rounds);
    run("odd ab", true);
    assert_became("even b", 2);
    lint_rounds_release(&rounds);
}

static void a_fix_that_never_settles_ends_and_is_said(void **state)
{
    (void)state;
    run("grow", false);
    assert_became("grow..........", LINT_ROUNDS_MAX);
    assert_true(rounds.unfinished);
    lint_rounds_release(&rounds);
}

static void a_round_that_breaks_a_file_is_taken_back(void **state)
{
    (void)state;
    run("aab\nabreak", false); /* the first round makes "break" of "abreak" too */
    assert_became("ab\nbreak", 2);
    assert_non_null(strstr(rounds.files[0].failure, "taken back"));
    assert_non_null(strstr(rounds.files[0].failure, "line 2"));
    assert_int_equal(rounds.result.files[0].error_line, 0);
    assert_false(rounds.unfinished);
    lint_rounds_release(&rounds);
    run("break", false);
    assert_became(NULL, 0);
    assert_int_equal(rounds.result.files[0].n, 1);
    lint_rounds_release(&rounds);
}

static void what_is_not_all_python_is_left_alone(void **state)
{
    (void)state;
    run("((( ab", false);
    assert_became(NULL, 0);
    assert_non_null(strstr(rounds.files[0].failure, ": line 1 could not be parsed"));
    lint_rounds_release(&rounds);
}

static void a_check_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    struct lint_input in = {"train.py", "aab", 3};
    for (int at = 0; at < 2; at++) {
        struct err err = ERR_INIT;
        struct lint_rounds_options o = {.check = check, .context = &at};
        checks = 0;
        assert_int_equal(lint_rounds_run(&rounds, &in, 1, &o, &err), STATUS_ENVIRONMENT);
        assert_string_equal(err.text, "no more");
    }
}

static void files_on_the_disk_are_written_in_the_end_alone(void **state)
{
    (void)state;
    char dir[] = "/tmp/gait-test-XXXXXX", good[64], spoilt[64], gone[64];
    struct err err = ERR_INIT;
    struct lint_rounds_options o = {.check = check};
    assert_non_null(mkdtemp(dir));
    snprintf(good, sizeof good, "%s/good.py", dir);
    snprintf(spoilt, sizeof spoilt, "%s/spoilt.py", dir);
    snprintf(gone, sizeof gone, "%s/gone.py", dir);
    assert_int_equal(file_write(good, "aaab\n", 5, &err), STATUS_OK);
    assert_int_equal(file_write(spoilt, "aab\n", 4, &err), STATUS_OK);
    struct lint_input in[] = {{good, NULL, 0}, {spoilt, NULL, 0}, {gone, NULL, 0}};
    assert_int_equal(lint_rounds_run(&rounds, in, 3, &o, &err), STATUS_OK);
    assert_int_equal(rounds.fixed, 5);
    assert_int_equal(file_write(spoilt, "mine\n", 5, &err), STATUS_OK);
    assert_int_equal(lint_rounds_write(&rounds, 0, &err), STATUS_OK);
    assert_int_equal(lint_rounds_write(&rounds, 1, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "changed since it was checked"));
    assert_int_equal(lint_rounds_write(&rounds, 2, &err), STATUS_OK);
    lint_rounds_release(&rounds);
    char *text;
    size_t len;
    assert_int_equal(file_read(&text, &len, good, 100, &err), STATUS_OK);
    assert_string_equal(text, "b\n");
    mem_free(text);
    assert_int_equal(file_read(&text, &len, spoilt, 100, &err), STATUS_OK);
    assert_string_equal(text, "mine\n");
    mem_free(text);
    unlink(good);
    unlink(spoilt);
    assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixes_uncover_others_until_none_is_left),
        cmocka_unit_test(a_clean_text_is_checked_once),
        cmocka_unit_test(unsafe_fixes_wait_to_be_asked_for),
        cmocka_unit_test(a_fix_that_never_settles_ends_and_is_said),
        cmocka_unit_test(a_round_that_breaks_a_file_is_taken_back),
        cmocka_unit_test(what_is_not_all_python_is_left_alone),
        cmocka_unit_test(a_check_that_fails_leaves_nothing_behind),
        cmocka_unit_test(files_on_the_disk_are_written_in_the_end_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
