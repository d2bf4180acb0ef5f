#include "base/mem.h"
#include "base/path.h"
#include "cmocka_setup.h"

static void expect(char *got, const char *want)
{
    assert_string_equal(got, want);
    mem_free(got);
}

static void a_path_has_a_folder_and_a_name(void **state)
{
    (void)state;
    expect(path_folder("a/b/c"), "a/b/");
    expect(path_folder("/c"), "/");
    expect(path_folder("c"), "./");
    assert_string_equal(path_name("a/b/c"), "c");
    assert_string_equal(path_name("/c"), "c");
    assert_string_equal(path_name("c"), "c");
    assert_string_equal(path_name("a/"), "");
}

static void parts_are_joined_by_one_slash(void **state)
{
    (void)state;
    expect(path_join("a", "b"), "a/b");
    expect(path_join("a/", "b"), "a/b");
    expect(path_join("/", "b"), "/b");
    expect(path_join(".", "b"), "./b");
}

static void parts_that_say_nothing_are_left_out(void **state)
{
    (void)state;
    expect(path_plain("a/b.py"), "a/b.py");
    expect(path_plain("./a/.//b.py"), "a/b.py");
    expect(path_plain("//a//./b"), "/a/b");
    expect(path_plain("../.a/b."), "../.a/b.");
    expect(path_plain("a/"), "a/");
    expect(path_plain("."), ".");
    expect(path_plain("/"), "/");
    expect(path_plain(""), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_has_a_folder_and_a_name),
        cmocka_unit_test(parts_are_joined_by_one_slash),
        cmocka_unit_test(parts_that_say_nothing_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
