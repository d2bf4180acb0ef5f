#include "cmocka_setup.h"
#include "folder_fixture.h"
#include "lint/lint_settings.h"
#include "rules_fixture.h"
#include "source/source_query.h"

static struct lint_settings *settings(const struct lint_flags *flags)
{
    struct lint_settings *s;
    struct err err = ERR_INIT;
    if (lint_settings_new(&s, flags, &err))
        fail_msg("%s", err.text);
    return s;
}

/* The codes that are wanted for a path, without "GT". */
static void assert_wanted_by(struct lint_settings *s, const char *path, const char *want)
{
    char got[100] = "";
    struct err err = ERR_INIT;
    if (lint_settings_prepare(s, path, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < lint_rule_count; i++)
        if (lint_settings_wants(s, &lint_rules[i], path))
            snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", *got ? " " : "",
                     lint_rules[i].code + 2);
    assert_string_equal(got, want);
}

static void assert_wanted(struct lint_flags flags, const char *path, const char *want)
{
    struct lint_settings *s = settings(&flags);
    assert_wanted_by(s, path, want);
    lint_settings_free(s);
}

/* pyproject.toml has these lines below [tool.gait.lint]. */
static void assert_gives(const char *lines, const char *path, const char *want)
{
    char text[1000];
    snprintf(text, sizeof text, "[tool.gait.lint]\n%s\n", lines);
    write_at("pyproject.toml", text);
    assert_wanted((struct lint_flags){0}, path, want);
}

static void assert_refused(const char *text, const char *message)
{
    struct lint_settings *s = settings(&(struct lint_flags){0});
    struct err err = ERR_INIT;
    write_at("pyproject.toml", text);
    assert_int_equal(lint_settings_prepare(s, "a.py", &err), STATUS_USAGE);
    assert_string_equal(err.text, message);
    lint_settings_free(s);
}

static void without_settings_the_rules_that_are_on_by_default_are_wanted(void **state)
{
    (void)state;
    assert_wanted((struct lint_flags){0}, "a.py", "001 101 102 201");
    assert_wanted((struct lint_flags){0}, "/no/such/folder/a.py", "001 101 102 201");
}

static void the_more_specific_selector_wins(void **state)
{
    (void)state;
    assert_gives("select = ['GT101']\nignore = ['GT1']", "a.py", "101");
    assert_gives("select = ['GT1']\nignore = ['GT101']", "a.py", "102 110");
    assert_gives("select = ['GT10', 'GT2']\nignore = ['GT1']", "a.py", "101 102 201");
    assert_gives("select = ['ALL']\nignore = ['sync-item']", "a.py",
                 "001 102 110 201 310");
    assert_gives("select = ['GT101']\nignore = ['sync-item']", "a.py", "");
    assert_gives("select = ['pedantic']", "a.py", "110");
    assert_gives("extend-select = ['GT110']\nextend-ignore = ['GT2']", "a.py",
                 "001 101 102 110");
    assert_gives("select = []", "a.py", "");
}

static bool respects(struct lint_flags flags)
{
    struct lint_settings *s = settings(&flags);
    struct err err = ERR_INIT;
    if (lint_settings_prepare(s, "", &err))
        fail_msg("%s", err.text);
    bool yes = lint_settings_respects_gitignore(s, "");
    lint_settings_free(s);
    return yes;
}

static void what_git_ignores_is_asked_for_by_flag_or_file(void **state)
{
    (void)state;
    assert_true(respects((struct lint_flags){0}));
    assert_false(respects((struct lint_flags){.no_respect_gitignore = true}));
    write_at("pyproject.toml", "[tool.gait.lint]\nrespect-gitignore = false\n");
    assert_false(respects((struct lint_flags){0}));
    assert_true(respects((struct lint_flags){.respect_gitignore = true}));
    assert_true(respects((struct lint_flags){.isolated = true}));
    assert_refused("[tool.gait.lint]\nrespect-gitignore = 'no'\n",
                   "pyproject.toml:2: respect-gitignore wants true or false, not a "
                   "string; write true");
}

static void flags_stand_above_the_file(void **state)
{
    (void)state;
    write_at("pyproject.toml", "[tool.gait.lint]\nselect = ['GT101']\nignore=['GT2']\n");
    assert_wanted((struct lint_flags){.select = "GT2, pedantic"}, "a.py", "110 201");
    assert_wanted((struct lint_flags){.extend_select = "GT2"}, "a.py", "101 201");
    assert_wanted((struct lint_flags){.ignore = "GT1"}, "a.py", "");
    assert_wanted((struct lint_flags){.select = ""}, "a.py", "");
}

static bool needs_price(const struct lint_flags *flags, const char *code)
{
    struct lint_settings *s = settings(flags);
    bool needs = lint_settings_needs_price(s, lint_rule_find(code), "a.py");
    lint_settings_free(s);
    return needs;
}

static void a_run_wants_rules_whose_worth_it_alone_tells(void **state)
{
    (void)state;
    assert_wanted((struct lint_flags){.with_run = true}, "a.py", "001 101 102 201 310");
    assert_wanted((struct lint_flags){.with_run = true, .ignore = "GT3"}, "a.py",
                  "001 101 102 201");
    assert_wanted((struct lint_flags){.with_run = true, .select = "GT1"}, "a.py",
                  "101 102 110");
    assert_true(needs_price(&(struct lint_flags){.with_run = true}, "GT310"));
    assert_false(needs_price(&(struct lint_flags){.with_run = true}, "GT101"));
    assert_false(needs_price(
        &(struct lint_flags){.with_run = true, .extend_select = "GT310"}, "GT310"));
}

static void a_flag_that_names_no_rule_is_refused(void **state)
{
    (void)state;
    struct lint_settings *s;
    struct err err = ERR_INIT;
    struct lint_flags flags = {.ignore = "GT1,sync-itme"};
    assert_int_equal(lint_settings_new(&s, &flags, &err), STATUS_USAGE);
    assert_string_equal(err.text,
                        "--ignore: no rule is named \"sync-itme\"; did you mean "
                        "sync-item?");
}

static void the_nearest_file_with_the_table_holds(void **state)
{
    (void)state;
    write_at("pyproject.toml", "[tool.gait.lint]\nselect = ['GT101']\n");
    write_at("a/pyproject.toml", "[tool.gait.lint]\nselect = ['GT102']\n");
    write_at("a/b/pyproject.toml", "[tool.black]\n");
    write_at("a/b/c/x.py", "");
    write_at("d/x.py", "");
    struct lint_settings *s = settings(&(struct lint_flags){0});
    assert_wanted_by(s, "a/b/c/x.py", "102");
    assert_wanted_by(s, "a/b/x.py", "102");
    assert_wanted_by(s, "x.py", "101");
    assert_wanted_by(s, "d/x.py", "101");
    assert_wanted_by(s, "d/../a/x.py", "102");
    assert_string_equal(lint_settings_origin(s, "a/b/c/x.py"), "a/pyproject.toml");
    assert_string_equal(lint_settings_origin(s, "x.py"), "pyproject.toml");
    lint_settings_free(s);
}

static void a_pattern_ignores_rules_in_some_files(void **state)
{
    (void)state;
    const char *lines = "select = ['GT1']\n[tool.gait.lint.per-file-ignores]\n"
                        "'tests/**' = ['GT101']\n'__init__.py' = ['ALL']\n"
                        "'!src/**' = ['pedantic']";
    write_at("src/a.py", "");
    assert_gives(lines, "src/a.py", "101 102 110");
    write_at("tests/deep/a.py", "");
    assert_gives(lines, "tests/deep/a.py", "102");
    assert_gives(lines, "src/__init__.py", "");
    assert_gives("select = ['GT1']\nper-file-ignores = {'a*.py' = ['GT10']}", "src/a.py",
                 "110");
}

static void a_named_file_needs_no_table_of_its_own(void **state)
{
    (void)state;
    static const char *const texts[] = {"select = ['GT101']",
                                        "[lint]\nselect = ['GT101']",
                                        "[tool.gait.lint]\nselect = ['GT101']"};
    write_at("pyproject.toml", "[tool.gait.lint]\nselect = ['GT102']\n");
    for (size_t i = 0; i < 3; i++) {
        write_at("own.toml", texts[i]);
        assert_wanted((struct lint_flags){.config = "own.toml"}, "a.py", "101");
    }
    struct lint_settings *s;
    struct err err = ERR_INIT;
    write_at("own.toml", "[project]\nname = 'x'\n");
    assert_int_equal(
        lint_settings_new(&s, &(struct lint_flags){.config = "own.toml"}, &err),
        STATUS_USAGE);
    assert_string_equal(err.text,
                        "own.toml has no [tool.gait.lint]; add it, or leave out "
                        "--config");
    assert_int_equal(
        lint_settings_new(&s, &(struct lint_flags){.config = "no.toml"}, &err),
        STATUS_INPUT);
    assert_string_equal(err.text, "cannot read no.toml: no such file; check the path");
}

static void usual_folders_are_excluded_unless_told_otherwise(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    write_at("pyproject.toml",
             "[tool.gait.lint]\nextend-exclude = ['gen/*.py', 'old/']\n");
    write_at("gen/a.py", "");
    struct lint_settings *s = settings(&(struct lint_flags){.extend_exclude = "b.py"});
    assert_int_equal(lint_settings_prepare(s, "a.py", &err), STATUS_OK);
    assert_int_equal(lint_settings_prepare(s, "gen/a.py", &err), STATUS_OK);
    assert_true(lint_settings_excludes(s, ".venv"));
    assert_true(lint_settings_excludes(s, "gen/a.py"));
    assert_true(lint_settings_excludes(s, "gen/b.py"));
    assert_true(lint_settings_excludes(s, "old"));
    assert_false(lint_settings_excludes(s, "a.py"));
    lint_settings_free(s);
    s = settings(&(struct lint_flags){.exclude = "x,y"});
    assert_int_equal(lint_settings_prepare(s, "a.py", &err), STATUS_OK);
    assert_false(lint_settings_excludes(s, ".venv"));
    assert_true(lint_settings_excludes(s, "y"));
    assert_true(lint_settings_excludes(s, "old"));
    lint_settings_free(s);
}

#define TABLE "[tool.gait.lint]\n"

static void what_is_wrong_is_said_with_its_line_and_a_remedy(void **state)
{
    (void)state;
    assert_refused(TABLE "\nselct = []\n",
                   "pyproject.toml:3: unknown key \"selct\"; did you mean select?");
    assert_refused(
        TABLE "zzzzzzzzzzzz = 1\n",
        "pyproject.toml:2: unknown key \"zzzzzzzzzzzz\"; docs/lint-settings.md lists the "
        "keys");
    assert_refused(TABLE "select = 'GT1'\n",
                   "pyproject.toml:2: \"select\" wants a list, not a string; write "
                   "[\"GT1\"]");
    assert_refused(TABLE "select = [\n'GT1',\n7]\n",
                   "pyproject.toml:4: \"select\" wants a list of texts, not of a number; "
                   "put each in quotes");
    assert_refused(
        TABLE "select = [\n'GT1',\n'GT11', 'GT9']\n",
        "pyproject.toml:4: no rule is named \"GT9\"; write ALL, a prefix (GT1), "
        "a code (GT101) or a rule's name");
    assert_refused(TABLE "select = ['GT103']\n",
                   "pyproject.toml:2: no rule is named \"GT103\"; did you mean GT101?");
    assert_refused(TABLE "select = []\nselect = []\n",
                   "pyproject.toml:3: select is given twice; keep one");
    assert_refused(TABLE "per-file-ignores = []\n",
                   "pyproject.toml:2: per-file-ignores wants a table, not a list; write "
                   "[tool.gait.lint.per-file-ignores]");
    assert_refused(
        TABLE "per-file-ignores.a.py = ['GT1']\n",
        "pyproject.toml:2: a pattern with a dot wants quotes, as in \"*.py\" = "
        "[\"GT1\"]");
    assert_refused("tool.gait.lint = 3\n", "pyproject.toml:1: the settings want a table; "
                                           "write [tool.gait.lint]");
    assert_refused("[tool.gait\n", "pyproject.toml:1: not valid TOML; write key = value, "
                                   "with texts in quotes");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, folder_make, folder_remove)

int main(void)
{
    if (!source_available())
        return 77;
    const struct CMUnitTest tests[] = {
        TEST(without_settings_the_rules_that_are_on_by_default_are_wanted),
        TEST(the_more_specific_selector_wins),
        TEST(what_git_ignores_is_asked_for_by_flag_or_file),
        TEST(flags_stand_above_the_file),
        TEST(a_run_wants_rules_whose_worth_it_alone_tells),
        TEST(a_flag_that_names_no_rule_is_refused),
        TEST(the_nearest_file_with_the_table_holds),
        TEST(a_pattern_ignores_rules_in_some_files),
        TEST(a_named_file_needs_no_table_of_its_own),
        TEST(usual_folders_are_excluded_unless_told_otherwise),
        TEST(what_is_wrong_is_said_with_its_line_and_a_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
