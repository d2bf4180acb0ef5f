/* What git leaves out, held against `git check-ignore`. */
#include "cmocka_setup.h"
#include "folder_fixture.h"
#include "lint/git_ignore.h"

#include "base/clock.h"
#include "base/strbuf.h"

static enum status ask(bool *ignored, const char *folder, const char *name,
                       bool is_folder, struct err *err)
{
    struct git_ignore *g = git_ignore_new();
    const struct git_folder *in;
    enum status st = git_ignore_open(g, &in, folder, err);
    if (!st)
        st = git_ignore_has(g, ignored, in, name, is_folder, err);
    git_ignore_free(g);
    return st;
}

static bool ignores(const char *folder, const char *name, bool is_folder)
{
    bool ignored;
    struct err err = ERR_INIT;
    if (ask(&ignored, folder, name, is_folder, &err))
        fail_msg("%s", err.text);
    return ignored;
}

static void without_a_repository_nothing_is_ignored(void **state)
{
    (void)state;
    write_at(".gitignore", "a.py\n");
    assert_false(ignores("", "a.py", false));
    write_at(".git/HEAD", "");
    assert_true(ignores("", "a.py", false));
}

static void a_repository_in_another_has_its_own_patterns(void **state)
{
    (void)state;
    write_at(".git/HEAD", "");
    write_at(".gitignore", "a.py\n");
    write_at("inner/.git/info/exclude", "b.py\n");
    assert_true(ignores("", "a.py", false));
    assert_false(ignores("inner", "a.py", false));
    assert_true(ignores("inner", "b.py", false));
    assert_false(ignores("", "b.py", false));
}

static void a_second_work_tree_shares_the_exclude_of_the_first(void **state)
{
    (void)state;
    write_at("main/.git/info/exclude", "a.py\n");
    write_at("main/.git/worktrees/two/commondir", "../..\n");
    write_at("two/.git", "gitdir: ../main/.git/worktrees/two\n");
    assert_true(ignores("two", "a.py", false));
    write_at("three/.git", "gitdir: ../main/.git\n");
    assert_true(ignores("three", "a.py", false));
    write_at("broken/.git", "what is this?\n");
    assert_false(ignores("broken", "a.py", false));
    write_at("empty/.git", "");
    assert_false(ignores("empty", "a.py", false));
}

static void a_link_is_no_gitignore(void **state)
{
    (void)state;
    write_at(".git/HEAD", "");
    write_at("patterns", "a.py\n");
    assert_int_equal(symlink("patterns", ".gitignore"), 0);
    assert_false(ignores("", "a.py", false));
}

static void hostile_patterns_end(void **state)
{
    (void)state;
    /* CPU time, with sanitizers too; what grows with the square takes minutes */
    const int64_t HOSTILE_NS_MAX = INT64_C(20) * 1000 * 1000 * 1000;
    struct strbuf text;
    struct err err = ERR_INIT;
    bool ignored;
    char name[201];
    memset(name, 'a', 200);
    name[200] = '\0';
    write_at(".git/HEAD", "");
    strbuf_init(&text);
    for (int i = 0; i < 500 * 1000; i++)
        strbuf_puts(&text, "*a");
    strbuf_puts(&text, "b\n");
    write_at(".gitignore", text.s);
    struct git_ignore *g = git_ignore_new();
    const struct git_folder *in;
    enum status st = git_ignore_open(g, &in, "", &err);
    for (int i = 0; i < 1000 && !st; i++)
        st = git_ignore_has(g, &ignored, in, name, false, &err);
    assert_int_equal(st, STATUS_INPUT);
    assert_non_null(strstr(err.text, "--no-respect-gitignore"));
    git_ignore_free(g);
    text.len = 0;
    strbuf_puts(&text, "[");
    for (int i = 0; i < 450 * 1000; i++)
        strbuf_puts(&text, "[:");
    strbuf_puts(&text, "a]\n");
    write_at(".gitignore", text.s);
    g = git_ignore_new();
    int64_t begin_ns = clock_thread_cpu_ns();
    assert_int_equal(git_ignore_open(g, &in, "", &err), STATUS_OK);
    st = git_ignore_has(g, &ignored, in, name, false, &err);
    assert_true(st == STATUS_OK || st == STATUS_INPUT);
    assert_true(clock_thread_cpu_ns() - begin_ns < HOSTILE_NS_MAX);
    git_ignore_free(g);
    for (int i = 0; i < 200 * 1000; i++)
        strbuf_puts(&text, "x");
    write_at(".gitignore", text.s);
    assert_int_equal(ask(&ignored, "", "a.py", false, &err), STATUS_INPUT);
    strbuf_release(&text);
}

/* --- the oracle */

static void run(const char *command)
{
    if (system(command)) /* of a test's own folder */
        fail_msg("%s", command);
}

static const char *const tree[] = {
    "a.py",
    "b.py",
    "ab.py",
    "a/a.py",
    "a/b.py",
    "a/b/a.py",
    "a/b/c/a.py",
    "a/bc/a.py",
    "b/a.py",
    "b/a/a.py",
    "b/a/b.py",
    "build/a.py",
    "a/build/b.py",
    "src/build/a.py",
    "src/a/b/c.py",
    "src/x.py",
    "src/x y.py",
    "x[1].py",
    "x1.py",
    "#a.py",
    "!a.py",
    "a b.py ",
    "a-b.py",
    "a]b.py",
    "A.py",
    "a\\b.py",
    "data/2024/a.py",
    "data/x/a.py",
    "data/x/b/a.py",
    "b/build",
    "a/b/build/c.py",
    "ab/a.py",
    "a/x/b.py",
    "x.pyc",
    "deep/a/b/c/d/e/f.py",
};

/* Pieces that patterns are put together from. */
static const char *const pieces[] = {
    "a",     "b",    "*",     "**",    "***",         "?",           "/",    "/",
    "/",     "a.py", ".",     "py",    "[ab]",        "[!a]",        "[^b]", "[",
    "[a-c]", "\\",   "\\*",   "build", "x",           "src",         "*.py", "**/",
    "/**",   "/**/", "data",  " ",     "\\ ",         "[[:alpha:]]", "c",    "1",
    "[]a]",  "\\a",  "[\\]]", "[a-]",  "[[:digit:]]", "[[:no:]]",    "a/b",  "#",
};

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

static void add_random_line(struct strbuf *out, uint64_t *seed)
{
    enum { PIECES = sizeof pieces / sizeof *pieces, TREE = sizeof tree / sizeof *tree };
    if (next_random(seed) % 4 == 0)
        strbuf_putc(out, '!');
    if (next_random(seed) % 4 == 0)
        strbuf_putc(out, '/');
    if (next_random(seed) % 6 == 0) { /* what surely matches something */
        strbuf_puts(out, tree[next_random(seed) % TREE]);
    } else {
        for (uint32_t n = 1 + next_random(seed) % 5; n; n--)
            strbuf_puts(out, pieces[next_random(seed) % PIECES]);
    }
    if (next_random(seed) % 4 == 0)
        strbuf_putc(out, '/');
    strbuf_puts(out, next_random(seed) % 8 ? "\n" : "\r\n");
}

static void write_random(const char *path, int lines, uint64_t *seed)
{
    struct strbuf text;
    strbuf_init(&text);
    while (lines-- > 0)
        add_random_line(&text, seed);
    write_at(path, text.s);
    strbuf_release(&text);
}

/* Is the file, or a folder above it, left out? */
static bool is_left_out(struct git_ignore *g, const char *path)
{
    const struct git_folder *in;
    struct err err = ERR_INIT;
    bool ignored = false;
    enum status st = git_ignore_open(g, &in, "", &err);
    while (!st && !ignored) {
        size_t len = strcspn(path, "/");
        char *name = mem_strndup(path, len);
        st = git_ignore_has(g, &ignored, in, name, path[len] == '/', &err);
        if (!st && !ignored && path[len])
            st = git_ignore_enter(g, &in, in, name, &err);
        mem_free(name);
        if (!path[len])
            break;
        path += len + 1;
    }
    if (st)
        fail_msg("%s", err.text);
    return ignored;
}

static char *file_text(const char *path)
{
    char *text;
    size_t len;
    struct err err = ERR_INIT;
    if (file_read(&text, &len, path, 1 << 20, &err))
        fail_msg("%s", err.text);
    return text;
}

/* git names what it ignores; with -z, each path ends with a NUL byte. */
static void assert_same_as_git(uint64_t seed)
{
    run("git check-ignore -z --no-index --stdin <../list >../ignored || test $? = 1");
    run("tr '\\000' '\\n' <../ignored >../lines");
    char *ignored = file_text("../lines");
    struct git_ignore *g = git_ignore_new();
    for (size_t i = 0; i < sizeof tree / sizeof *tree; i++) {
        struct strbuf line;
        strbuf_init(&line);
        strbuf_printf(&line, "%s\n", tree[i]);
        const char *at = ignored;
        while ((at = strstr(at, line.s)) && at != ignored && at[-1] != '\n')
            at++;
        if (is_left_out(g, tree[i]) != (at != NULL))
            fail_msg("seed %d: git %s %s; .gitignore:\n%s", (int)seed,
                     at ? "ignores" : "keeps", tree[i], file_text(".gitignore"));
        strbuf_release(&line);
    }
    git_ignore_free(g);
    mem_free(ignored);
}

static void write_list(void)
{
    struct strbuf list;
    struct err err = ERR_INIT;
    strbuf_init(&list);
    for (size_t i = 0; i < sizeof tree / sizeof *tree; i++)
        strbuf_add(&list, tree[i], strlen(tree[i]) + 1);
    if (file_write("../list", list.s, list.len, &err))
        fail_msg("%s", err.text);
    strbuf_release(&list);
}

static void the_answers_are_those_of_git(void **state)
{
    (void)state;
    enum { ROUNDS = 150 };
    if (system("git --version >/dev/null 2>&1"))
        skip();
    int rounds = getenv("GIT_IGNORE_ROUNDS") ? atoi(getenv("GIT_IGNORE_ROUNDS")) : ROUNDS;
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    setenv("XDG_CONFIG_HOME", fixture_folder, 1); /* nothing of the user's */
    write_at("work/none", "");
    assert_int_equal(chdir("work"), 0);
    run("git init -q .");
    for (size_t i = 0; i < sizeof tree / sizeof *tree; i++)
        write_at(tree[i], "");
    write_list();
    for (int i = 0; i < rounds; i++) {
        uint64_t seed = (uint64_t)i;
        write_random(".gitignore", 1 + i % 6, &seed);
        write_random("a/.gitignore", i % 3, &seed);
        write_random("a/b/.gitignore", i % 2, &seed);
        write_random("src/.gitignore", i % 2, &seed);
        write_random(".git/info/exclude", i % 4, &seed);
        assert_same_as_git((uint64_t)i);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, folder_make, folder_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_a_repository_nothing_is_ignored),
        TEST(a_repository_in_another_has_its_own_patterns),
        TEST(a_second_work_tree_shares_the_exclude_of_the_first),
        TEST(a_link_is_no_gitignore),
        TEST(hostile_patterns_end),
        TEST(the_answers_are_those_of_git),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
