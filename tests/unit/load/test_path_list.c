/* Compiled in: the program itself is not a library. */
#include "base/path.h"
#include "cmocka_setup.h"

#include "load/path_list.c"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void touch(const char *folder, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
}

static void remove_all(const char *folder, const char *const *names, size_t n)
{
    char path[300];
    for (size_t i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void a_folder_stands_for_its_runs_and_traces_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {"b.json",    "a.pt.trace.json.gz", "c.gait",
                                        "notes.txt", ".hidden.json",       "x.json.tmp"};
    char folder[] = "/tmp/gait-path-list-XXXXXX";
    struct path_list l;
    struct err err = ERR_INIT;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < 6; i++)
        touch(folder, names[i]);
    path_list_init(&l);
    assert_int_equal(path_list_add(&l, "z.json", &err), STATUS_OK);
    assert_int_equal(path_list_add(&l, folder, &err), STATUS_OK);
    assert_int_equal(l.n, 4);
    assert_string_equal(l.path[0], "z.json");
    assert_string_equal(path_name(l.path[1]), "a.pt.trace.json.gz");
    assert_string_equal(path_name(l.path[2]), "b.json");
    assert_string_equal(path_name(l.path[3]), "c.gait");
    path_list_release(&l);
    remove_all(folder, names, 6);
}

static void a_dash_is_standard_input(void **state)
{
    (void)state;
    struct path_list l;
    struct err err = ERR_INIT;
    path_list_init(&l);
    assert_int_equal(path_list_add(&l, "-", &err), STATUS_OK);
    assert_int_equal(path_list_add(&l, "./-", &err), STATUS_OK);
    assert_string_equal(l.path[0], "/dev/stdin");
    assert_string_equal(l.path[1], "./-");
    path_list_release(&l);
}

static void a_folder_without_any_is_an_error(void **state)
{
    (void)state;
    char folder[] = "/tmp/gait-path-list-XXXXXX";
    struct path_list l;
    struct err err = ERR_INIT;
    assert_non_null(mkdtemp(folder));
    path_list_init(&l);
    assert_int_equal(path_list_add(&l, folder, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "holds no run or trace"));
    path_list_release(&l);
    rmdir(folder);
}

static void the_ending_tells_what_a_folder_offers(void **state)
{
    (void)state;
    assert_true(path_is_run_or_trace("a.pt.trace.json"));
    assert_true(path_is_run_or_trace("d/a.json.gz"));
    assert_true(path_is_run_or_trace("a.gait"));
    assert_false(path_is_run_or_trace("a.gz"));
    assert_false(path_is_run_or_trace(".gait"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_stands_for_its_runs_and_traces_by_name),
        cmocka_unit_test(a_dash_is_standard_input),
        cmocka_unit_test(a_folder_without_any_is_an_error),
        cmocka_unit_test(the_ending_tells_what_a_folder_offers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
