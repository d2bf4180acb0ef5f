/*
 * tests/lint/: what each rule must flag and must not, and what its edits write;
 * docs/lint-rules.md says how a case is written. tests/lint/seeds/: what all rules that
 * are on must find in whole scripts, and nothing else. Without tree-sitter in the build the
 * cases are skipped. UPDATE_GOLDEN=1 in the environment writes what edits write: read it
 * before you keep it.
 */
#include "cmocka_setup.h"

#include "lint/lint_rounds.h"
#include "program_fixture.h"
#include "source/source_query.h"

enum { CASES_LEAST = 2, CODE_LEN = 5 }; /* GT101 */

static bool only(const void *context, const struct lint_rule *rule, const char *path)
{
    (void)path;
    return rule == context;
}

/* Does a finding of this rule (NULL: of any) cover the line? */
static bool found_at(const struct lint_file *f, int32_t line, const char *code)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->findings[i].line <= line && line <= f->findings[i].end_line &&
            (!code || !strncmp(code, f->findings[i].rule->code, CODE_LEN)))
            return true;
    return false;
}

/* Codes are what follows "# expect" up to the end of its line: " GT101 GT106", or nothing. */
static bool all_found(const struct lint_file *f, int32_t line, const char *codes,
                      const char *end)
{
    if (codes == end)
        return found_at(f, line, NULL);
    for (; end - codes > CODE_LEN; codes += 1 + CODE_LEN)
        if (!found_at(f, line, codes + 1))
            return false;
    return codes == end;
}

static bool is_expected(const char *codes, const char *end, const struct lint_rule *rule)
{
    return codes == end || memmem(codes, (size_t)(end - codes), rule->code, CODE_LEN);
}

/* Returns how many lines are expected. */
static int compare_lines(const struct lint_file *f, const char *path, const char *text)
{
    int line = 0, expected = 0;
    while (*text) {
        size_t len = strcspn(text, "\n");
        line++;
        const char *end = text + len, *mark = memmem(text, len, "# expect", 8);
        const char *codes = mark ? mark + 8 : NULL;
        expected += codes != NULL;
        if (codes && !all_found(f, line, codes, end))
            complain(path, line, "is not flagged");
        for (size_t i = 0; i < f->n; i++)
            if (f->findings[i].line == line &&
                !(codes && is_expected(codes, end, f->findings[i].rule)))
                complain(path, line, f->findings[i].rule->title);
        text += len + (text[len] == '\n');
    }
    return expected;
}

static void check_lines(const struct lint_rule *rule, const char *path,
                        const struct program *p, bool flagged)
{
    struct lint_result r;
    struct err err = ERR_INIT;
    struct lint_check_options o = {.threads = 2, .wants = only, .context = rule};
    int expected = 0;
    if (lint_check(&r, p->inputs, p->n, &o, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < p->n; i++) {
        assert_null(r.files[i].failure);
        if (r.files[i].error_line)
            complain(p->paths[i], r.files[i].error_line, "is not Python");
        expected += compare_lines(&r.files[i], p->paths[i], p->texts[i]);
    }
    if (flagged != (expected > 0))
        complain(path, 1, flagged ? "expects nothing" : "is a silent case");
    lint_result_release(&r);
}

/* --- what is written instead */

static enum status check_again(void *context, struct lint_result *r,
                               const struct lint_input *inputs, size_t n, struct err *err)
{
    struct lint_check_options o = {.threads = 2, .wants = only, .context = context};
    return lint_check(r, inputs, n, &o, err);
}

/* name.py beside name.fixed */
static char *path_of_fixed(const char *path)
{
    size_t stem = strlen(path) - strlen(".py");
    char *fixed = mem_alloc(stem + sizeof ".fixed");
    memcpy(fixed, path, stem);
    memcpy(fixed + stem, ".fixed", sizeof ".fixed");
    return fixed;
}

static void compare_fixed(const char *path, const struct lint_rounds_file *f)
{
    struct err err = ERR_INIT;
    char *golden = path_of_fixed(path), *text = NULL;
    size_t len = 0;
    if (f->failure)
        complain(path, 1, f->failure);
    if (getenv("UPDATE_GOLDEN") && f->text && file_write(golden, f->text, f->len, &err))
        fail_msg("%s", err.text);
    bool there = file_exists(golden);
    if (there && file_read(&text, &len, golden, 1 << 20, &err))
        fail_msg("%s", err.text);
    if (f->text && !there)
        complain(golden, 1, "is missing: the file before it has edits");
    if (!f->text && there)
        complain(golden, 1, "stands beside a file without edits");
    if (f->text && there && (len != f->len || memcmp(text, f->text, len) != 0))
        complain(golden, 1, "is not what the edits write");
    mem_free(text);
    mem_free(golden);
}

/* With this rule alone, all rounds, unsafe edits too. Returns how many files it fixes. */
static int check_fixed(const struct lint_rule *rule, const struct program *p)
{
    struct lint_rounds rounds;
    struct err err = ERR_INIT;
    struct lint_rounds_options o = {
        .unsafe = true, .check = check_again, .context = (void *)(uintptr_t)rule};
    int fixed = 0;
    if (lint_rounds_run(&rounds, p->inputs, p->n, &o, &err))
        fail_msg("%s", err.text);
    if (rounds.unfinished)
        complain(p->paths[0], 1, "is still to be fixed after all rounds");
    for (size_t i = 0; i < p->n; i++) {
        compare_fixed(p->paths[i], &rounds.files[i]);
        fixed += rounds.files[i].text != NULL;
    }
    lint_rounds_release(&rounds);
    return fixed;
}

static bool has_edit(const struct lint_rule *rule)
{
    static const char *const directives[] = {
        "#replace!", "#insert-after!", "#line-before!",  "#line-after!",
        "#delete!",  "#set-argument!", "#drop-argument!"};
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (strstr(rule->query, directives[i]))
            return true;
    return false;
}

/* --- all of it */

struct cases {
    int flagged, silent, fixed;
};

static void check_case(struct cases *c, const struct lint_rule *rule, const char *path,
                       bool flagged)
{
    struct program p;
    program_read(&p, path);
    assert_true(p.n > 0);
    check_lines(rule, path, &p, flagged);
    c->fixed += check_fixed(rule, &p);
    *(flagged ? &c->flagged : &c->silent) += 1;
    program_release(&p);
}

static void check_cases(struct cases *c, const struct lint_rule *rule, const char *folder)
{
    struct dirent **names;
    int n = scandir(folder, &names, is_visible, alphasort);
    for (int i = 0; i < n; i++) {
        char *path = path_join(folder, names[i]->d_name);
        bool flagged = !strncmp(names[i]->d_name, "flagged-", 8),
             silent = !strncmp(names[i]->d_name, "silent-", 7);
        if ((flagged || silent) && (is_python(names[i]) || file_is_dir(path)))
            check_case(c, rule, path, flagged);
        mem_free(path);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
}

static void each_rule_flags_spares_and_fixes_its_cases(void **state)
{
    (void)state;
    if (!source_available())
        skip();
    int cases = 0, fixed = 0;
    for (size_t i = 0; i < lint_rule_count; i++) {
        const struct lint_rule *rule = &lint_rules[i];
        if (!strchr(rule->query, '(')) /* of comments, not of code: test_lint_noqa.c */
            continue;
        char folder[300];
        struct cases c = {0};
        snprintf(folder, sizeof folder, "%s/lint/%s-%s", TESTS_DIR, rule->code,
                 rule->name);
        check_cases(&c, rule, folder);
        if (c.flagged < CASES_LEAST || c.silent < CASES_LEAST)
            complain(folder, 1, "has too few cases");
        if (has_edit(rule) && !c.fixed)
            complain(folder, 1, "has no case of the rule's edits");
        cases += c.flagged + c.silent;
        fixed += c.fixed;
    }
    print_message("%d cases of %zu rules, %d files fixed\n", cases, lint_rule_count,
                  fixed);
    assert_int_equal(complaints, 0);
}

/* --- whole scripts under all rules */

/* Those that are on, also with a run, and those of a first line "# select GT405 GT505". */
static bool on_or_selected(const void *context, const struct lint_rule *rule,
                           const char *path)
{
    const char *text = context;
    (void)path;
    return rule->on || rule->with_run ||
           (!strncmp(text, "# select ", 9) &&
            memmem(text, strcspn(text, "\n"), rule->code, strlen(rule->code)));
}

/* Returns how many lines are expected. */
static int check_script(const char *folder, const char *name)
{
    struct program p;
    struct lint_result r;
    struct err err = ERR_INIT;
    char *path = path_join(folder, name);
    program_read(&p, path);
    struct lint_check_options o = {
        .threads = 2, .wants = on_or_selected, .context = p.texts[0]};
    if (lint_check(&r, p.inputs, p.n, &o, &err))
        fail_msg("%s", err.text);
    assert_null(r.files[0].failure);
    int expected = compare_lines(&r.files[0], path, p.texts[0]);
    lint_result_release(&r);
    program_release(&p);
    mem_free(path);
    return expected;
}

/* before.py must have causes, after.py none; others say themselves what they have. */
static void check_pair(const char *folder)
{
    struct dirent **names;
    int n = scandir(folder, &names, is_python, alphasort), before = 0, after = -1;
    for (int i = 0; i < n; i++) {
        int expected = check_script(folder, names[i]->d_name);
        if (!strcmp(names[i]->d_name, "before.py"))
            before = expected;
        if (!strcmp(names[i]->d_name, "after.py"))
            after = expected;
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    if (before == 0)
        complain(folder, 1, "has no before.py that expects something");
    if (after != 0)
        complain(folder, 1, "has no after.py that is silent");
}

static void each_seed_is_flagged_before_and_silent_after(void **state)
{
    (void)state;
    if (!source_available())
        skip();
    struct dirent **names;
    int pairs = 0, n = scandir(TESTS_DIR "/lint/seeds", &names, is_visible, alphasort);
    complaints = 0;
    for (int i = 0; i < n; i++) {
        char *folder = path_join(TESTS_DIR "/lint/seeds", names[i]->d_name);
        if (file_is_dir(folder)) {
            check_pair(folder);
            pairs++;
        }
        mem_free(folder);
        free(names[i]);
    }
    assert_true(pairs > 0);
    free(names);
    print_message("%d pairs\n", pairs);
    assert_int_equal(complaints, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_flags_spares_and_fixes_its_cases),
        cmocka_unit_test(each_seed_is_flagged_before_and_silent_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
