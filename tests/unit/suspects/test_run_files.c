/* Which linted file a path of a run is. */
#include "cmocka_setup.h"

#include "suspects/run_files.h"

#include <string.h>

enum { PATHS_MAX = 4 };

/* The place in linted of each path of the run, whose frames and lines have these. */
static void expect(const char *const *linted, const char *const *paths,
                   const int32_t *file)
{
    struct lint_file files[PATHS_MAX];
    struct lint_result lint = {.files = files};
    struct run run;
    struct run_files f;
    name_id name[PATHS_MAX];
    run_init(&run);
    for (; linted[lint.n]; lint.n++)
        files[lint.n] = (struct lint_file){.path = linted[lint.n]};
    for (int i = 0; paths[i]; i++) {
        name[i] = names_add_z(&run.names, paths[i]);
        if (!strchr(paths[i], '('))
            lines_add(&run.lines, (struct source_line){.file = name[i], .caller = -1});
    }
    run_files_init(&f, &run, &lint);
    for (int i = 0; paths[i]; i++)
        if (f.file[name[i]] != file[i])
            fail_msg("%s is %d", paths[i], (int)f.file[name[i]]);
    run_files_release(&f);
    run_release(&run);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define ARE(...) ((const int32_t[]){__VA_ARGS__})

static void the_longest_common_end_decides(void **state)
{
    (void)state;
    expect(LIST("/home/me/job/train.py", "/home/me/job/data/train.py"),
           LIST("/workspace/job/train.py", "/workspace/job/data/train.py", "/x/eval.py"),
           ARE(0, 1, NO_FILE));
}

static void whole_names_of_folders_and_files_are_compared(void **state)
{
    (void)state;
    expect(LIST("/home/me/train.py"), LIST("/home/me/pretrain.py", "train.pyc"),
           ARE(NO_FILE, NO_FILE));
}

static void a_frame_has_its_path_before_the_line(void **state)
{
    (void)state;
    expect(LIST("/home/me/job/data/load.py", "/home/me/job/train.py"),
           LIST("data/load.py(12): read", "train.py(3): main", "aten::mm"),
           ARE(0, 1, NO_FILE));
}

static void two_files_that_fit_equally_well_are_not_taken(void **state)
{
    (void)state;
    expect(LIST("/a/x/model.py", "/a/y/model.py"),
           LIST("model.py(12): forward", "/b/z/model.py", "/b/x/model.py"),
           ARE(NO_FILE, NO_FILE, 0));
}

static void of_two_files_of_a_run_the_nearer_one_is_taken(void **state)
{
    (void)state;
    expect(LIST("/home/me/job/model.py"),
           LIST("/home/me/job/model.py", "/home/me/other/model.py"), ARE(0, NO_FILE));
    expect(LIST("/home/me/job/model.py"), LIST("/b/one/model.py", "/b/two/model.py"),
           ARE(NO_FILE, NO_FILE));
}

static void a_file_as_given_is_nearer_than_one_further_down(void **state)
{
    (void)state;
    expect(LIST("./train.py", "old/train.py"),
           LIST("train.py(30): main", "old/train.py(30): main"), ARE(0, 1));
}

static void an_installed_package_is_no_file_of_the_job(void **state)
{
    (void)state;
    expect(LIST("trainer.py"),
           LIST("/usr/lib/python3/site-packages/transformers/trainer.py",
                "/home/me/trainer.py"),
           ARE(NO_FILE, 0));
}

static void a_frame_is_read_in_its_parts(void **state)
{
    (void)state;
    struct frame_name f;
    assert_true(frame_name_read(&f, "a/train.py(42): <listcomp>"));
    assert_int_equal(f.path_len, strlen("a/train.py"));
    assert_int_equal(f.line, 42);
    assert_string_equal(f.function, "<listcomp>");
    assert_false(frame_name_read(&f, "torch/nn/modules/linear.py(130): forward"));
    assert_false(frame_name_read(&f, "train.py(42)"));
    assert_false(frame_name_read(&f, "train.py(99999999999): main"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_common_end_decides),
        cmocka_unit_test(whole_names_of_folders_and_files_are_compared),
        cmocka_unit_test(a_frame_has_its_path_before_the_line),
        cmocka_unit_test(two_files_that_fit_equally_well_are_not_taken),
        cmocka_unit_test(of_two_files_of_a_run_the_nearer_one_is_taken),
        cmocka_unit_test(a_file_as_given_is_nearer_than_one_further_down),
        cmocka_unit_test(an_installed_package_is_no_file_of_the_job),
        cmocka_unit_test(a_frame_is_read_in_its_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
