#include "cmocka_setup.h"
#include "folder_fixture.h"
#include "lint/lint_paths.h"
#include "source/source_query.h"

static enum status find(struct lint_paths *p, const char *const *operands, size_t n,
                        struct err *err)
{
    struct lint_settings *s;
    struct lint_flags flags = {0};
    *err = (struct err)ERR_INIT;
    if (lint_settings_new(&s, &flags, err))
        fail_msg("%s", err->text);
    enum status st = lint_paths_find(p, operands, n, s, err);
    lint_settings_free(s);
    return st;
}

/* Operands and paths with blanks between them. */
static void assert_found(const char *words, const char *want)
{
    struct lint_paths p;
    struct err err;
    const char *operands[10];
    size_t n = 0;
    char copy[200], got[500] = "";
    snprintf(copy, sizeof copy, "%s", words);
    for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
        operands[n++] = w;
    if (find(&p, operands, n, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < p.n; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i ? " " : "",
                 p.path[i]);
    assert_string_equal(got, want);
    assert_int_equal(p.n_failures, 0);
    lint_paths_release(&p);
}

static void assert_refused(const char *operand, enum status st, const char *message)
{
    struct lint_paths p;
    struct err err;
    const char *twice[] = {operand, operand};
    assert_int_equal(find(&p, twice, 2, &err), st);
    assert_string_equal(err.text, message);
}

static int make_tree(void **state)
{
    static const char *const files[] = {
        "a.py",           "b.pyi",          "c.txt",
        "src/m.py",       "src/deep/n.py",  "tests/t.py",
        ".venv/lib/v.py", "src/build/o.py", "src/__pycache__/p.py",
        ".hidden.py"};
    int st = folder_make(state);
    for (size_t i = 0; !st && i < sizeof files / sizeof *files; i++)
        write_at(files[i], "");
    return st;
}

static void folders_are_searched_for_python_files(void **state)
{
    (void)state;
    assert_found("", ".hidden.py a.py src/deep/n.py src/m.py tests/t.py");
    assert_found("src", "src/deep/n.py src/m.py");
    write_at("env/a.py", "");
    write_at("my-env/pyvenv.cfg", "");
    write_at("my-env/lib/a.py", "");
    assert_found("*env*", "env/a.py");
    assert_found("./src/ tests", "src/deep/n.py src/m.py tests/t.py");
}

static void what_is_named_is_taken_whatever_it_is(void **state)
{
    (void)state;
    assert_found("c.txt .venv/lib/v.py", ".venv/lib/v.py c.txt");
    assert_found(".venv", ".venv/lib/v.py");
    assert_found("- a.py", "- a.py");
}

static void one_file_is_found_once(void **state)
{
    (void)state;
    assert_found("src src/m.py ./src//m.py .//src/./deep", "src/deep/n.py src/m.py");
    assert_int_equal(symlink("m.py", "src/link.py"), 0);
    assert_found("src", "src/deep/n.py src/m.py"); /* the file, not the link to it */
    assert_found("src/link.py", "src/link.py");
}

static void links_to_folders_cannot_make_a_loop(void **state)
{
    (void)state;
    assert_int_equal(symlink("..", "src/up"), 0);
    assert_int_equal(symlink("gone.py", "src/broken.py"), 0);
    assert_found("src", "src/deep/n.py src/m.py");
    assert_found("src/up/tests", "src/up/tests/t.py");
}

static void patterns_are_tried_where_no_such_file_exists(void **state)
{
    (void)state;
    assert_found("*.py", ".hidden.py a.py");
    assert_found("src/*.py", "src/m.py");
    assert_found("**/n.py", "src/deep/n.py");
    assert_found("s*/**/*.py", "src/deep/n.py src/m.py");
    assert_found("[st]*", "src/deep/n.py src/m.py tests/t.py");
    assert_found("./src/dee?", "src/deep/n.py");
    write_at("x[1].py", "");
    assert_found("x[1].py", "x[1].py");
}

static void the_settings_exclude_by_pattern(void **state)
{
    (void)state;
    write_at("pyproject.toml",
             "[tool.gait.lint]\nextend-exclude = ['deep', 't*/*.py']\n");
    write_at("src/pyproject.toml", "[tool.gait.lint]\nexclude = ['m.py']\n");
    assert_found("", ".hidden.py a.py src/__pycache__/p.py src/build/o.py src/deep/n.py");
    assert_found("tests", "");
    assert_found("tests/t.py", "tests/t.py");
}

static void what_git_ignores_is_left_out_of_folders(void **state)
{
    (void)state;
    write_at(".gitignore", "deep/\n*.gen.py\n!keep.gen.py\n");
    write_at("src/x.gen.py", "");
    write_at("src/keep.gen.py", "");
    write_at("tests/.gitignore", "/t.py\n");
    assert_found("src", "src/deep/n.py src/keep.gen.py src/m.py src/x.gen.py");
    write_at(".git/HEAD", "");
    assert_found("", ".hidden.py a.py src/keep.gen.py src/m.py");
    assert_found("src/*.py", "src/keep.gen.py src/m.py");
    assert_found("src/x.gen.py tests/t.py", "src/x.gen.py tests/t.py");
    assert_found("src/deep", "src/deep/n.py");
    write_at("src/pyproject.toml", "[tool.gait.lint]\nrespect-gitignore = false\n");
    assert_found("", ".hidden.py a.py src/deep/n.py src/keep.gen.py src/m.py "
                     "src/x.gen.py");
    write_at("src/deep/pyproject.toml", "[tool.gait.lint]\nrespect-gitignore = true\n");
    write_at("src/deep/y.gen.py", "");
    assert_found("src/deep", "src/deep/n.py");
}

static void what_is_not_there_is_an_error(void **state)
{
    (void)state;
    assert_refused("", STATUS_USAGE,
                   "an operand is empty, as \"$FILES\" is where FILES is not set; name "
                   "files, or none for the working folder");
    assert_refused("no.py", STATUS_INPUT,
                   "cannot read no.py: no such file; check the path");
    assert_refused("*.rs", STATUS_INPUT,
                   "no Python file (*.py) matches *.rs; check the pattern");
    assert_refused("nowhere/*.py", STATUS_INPUT,
                   "no Python file (*.py) matches nowhere/*.py; check the pattern");
    assert_refused("-", STATUS_USAGE, "standard input (-) is named twice; name it once");
}

static void a_folder_that_cannot_be_read_is_named(void **state)
{
    (void)state;
    struct lint_paths p;
    struct err err;
    const char *operand = ".";
    if (!geteuid())
        skip();
    chmod("src", 0);
    assert_int_equal(find(&p, &operand, 1, &err), STATUS_OK);
    assert_int_equal(p.n_failures, 1);
    assert_string_equal(p.failure[0].path, "src/");
    assert_int_equal(p.n, 3);
    lint_paths_release(&p);
}

/* Deeper than a path may be long: the last folders are failures, and it ends. */
static void a_very_deep_folder_is_a_failure(void **state)
{
    (void)state;
    struct lint_paths p;
    struct err err;
    const char *operand = ".";
    char name[201];
    memset(name, 'd', 200);
    name[200] = '\0';
    for (int i = 0; i < 30; i++)
        if (mkdir(name, 0700) || chdir(name))
            fail();
    assert_int_equal(chdir(fixture_folder), 0);
    assert_int_equal(find(&p, &operand, 1, &err), STATUS_OK);
    assert_int_equal(p.n_failures, 1);
    assert_int_equal(p.n, 5);
    lint_paths_release(&p);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_tree, folder_remove)

int main(void)
{
    if (!source_available())
        return 77;
    const struct CMUnitTest tests[] = {
        TEST(folders_are_searched_for_python_files),
        TEST(what_is_named_is_taken_whatever_it_is),
        TEST(one_file_is_found_once),
        TEST(links_to_folders_cannot_make_a_loop),
        TEST(patterns_are_tried_where_no_such_file_exists),
        TEST(the_settings_exclude_by_pattern),
        TEST(what_git_ignores_is_left_out_of_folders),
        TEST(what_is_not_there_is_an_error),
        TEST(a_folder_that_cannot_be_read_is_named),
        TEST(a_very_deep_folder_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
