#include "base/glob.h"
#include "base/mem.h"
#include "cmocka_setup.h"

#include <string.h>

static bool shell(const char *pattern, const char *text)
{
    return glob_match(pattern, text, GLOB_STAR_IN_NAME);
}

static bool ruff(const char *pattern, const char *text)
{
    return glob_match(pattern, text, GLOB_STAR_CROSSES);
}

static void a_star_stays_within_a_name_unless_it_may_cross(void **state)
{
    (void)state;
    assert_true(shell("*.py", "a.py"));
    assert_true(shell("*.py", ".py"));
    assert_false(shell("*.py", "a/b.py"));
    assert_true(ruff("*.py", "a/b.py"));
    assert_true(shell("src/*/b.py", "src/a/b.py"));
    assert_false(shell("src/*/b.py", "src/a/c/b.py"));
    assert_true(ruff("tests/*", "tests/a/b.py"));
    assert_false(shell("a?b", "a/b"));
    assert_true(shell("", ""));
    assert_false(shell("", "a"));
    assert_false(shell("a", ""));
}

static void two_stars_take_any_number_of_folders(void **state)
{
    (void)state;
    assert_true(shell("**/a.py", "a.py"));
    assert_true(shell("**/a.py", "x/y/a.py"));
    assert_false(shell("**/a.py", "x/ba.py"));
    assert_true(shell("src/**/a.py", "src/a.py"));
    assert_true(shell("src/**/a.py", "src/x/y/a.py"));
    assert_false(shell("src/**/a.py", "srca.py"));
    assert_true(shell("src/**", "src/x/y/a.py"));
    assert_true(shell("**/x/**/*.py", "a/x/b/c.py"));
    assert_true(shell("**/**/a", "a"));
    assert_false(shell("a**b", "a/b"));
    assert_true(shell("a**b", "axxb"));
}

static void sets_and_backslashes_are_as_in_a_shell(void **state)
{
    (void)state;
    assert_true(shell("[abc]x", "bx"));
    assert_false(shell("[!abc]x", "bx"));
    assert_true(shell("[^abc]x", "dx"));
    assert_true(shell("[a-f0-9].py", "7.py"));
    assert_true(shell("[]]", "]"));
    assert_true(shell("[a-]", "-"));
    assert_false(shell("a[!b]c", "a/c"));
    assert_true(shell("[a", "[a"));
    assert_true(shell("\\*", "*"));
    assert_false(shell("\\*", "a"));
    assert_true(shell("a\\", "a\\"));
    assert_true(glob_is_pattern("a?"));
    assert_false(glob_is_pattern("a"));
}

static void sets_know_classes_and_backslashes(void **state)
{
    (void)state;
    assert_true(shell("[[:digit:]_]", "7"));
    assert_true(shell("[[:digit:]_]", "_"));
    assert_false(shell("[[:digit:]_]", "a"));
    assert_true(shell("[![:alpha:]]", "1"));
    assert_false(shell("[[:alpha:]]", "\xc3"));
    assert_true(shell("[\\]]", "]"));
    assert_true(shell("[a\\-c]", "-"));
    assert_false(shell("[a\\-c]", "b"));
    assert_true(shell("[[:a]", ":"));
    assert_true(shell("[a-c-e]", "-"));
    assert_false(shell("[a-c-e]", "d"));
}

static void what_is_not_whole_is_known(void **state)
{
    (void)state;
    assert_true(glob_is_whole("a[]b]*\\[[[:space:]]"));
    assert_false(glob_is_whole("a["));
    assert_false(glob_is_whole("a[]"));
    assert_false(glob_is_whole("a[b\\]"));
    assert_false(glob_is_whole("a\\"));
    assert_false(glob_is_whole("[[:nothing:]]"));
}

/* 200 stars over 10000 letters: backtracking would not end in our time. */
static void no_pattern_takes_long(void **state)
{
    (void)state;
    char pattern[402], *text = mem_alloc(10001);
    for (int i = 0; i < 400; i += 2)
        memcpy(pattern + i, "*a", 2);
    memcpy(pattern + 400, "b", 2);
    memset(text, 'a', 10000);
    text[10000] = '\0';
    assert_false(shell(pattern, text));
    mem_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_star_stays_within_a_name_unless_it_may_cross),
        cmocka_unit_test(two_stars_take_any_number_of_folders),
        cmocka_unit_test(sets_and_backslashes_are_as_in_a_shell),
        cmocka_unit_test(sets_know_classes_and_backslashes),
        cmocka_unit_test(what_is_not_whole_is_known),
        cmocka_unit_test(no_pattern_takes_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
