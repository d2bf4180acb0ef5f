#include "base/folder_reader.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "cmocka_setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/gait-reader-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    folder_remove(folder);
    return file_exists(folder) ? -1 : 0;
}

static void write_in_folder(const char *name)
{
    char *path = path_join(folder, name);
    assert_int_equal(file_write(path, "x", 1, NULL), STATUS_OK);
    mem_free(path);
}

static int count(const char *path, enum status wanted, struct err *err)
{
    struct folder_reader f;
    int n = 0;
    folder_open(&f, path);
    while (folder_next(&f))
        n++;
    assert_int_equal(folder_close(&f, err), wanted);
    return n;
}

static void names_are_those_of_files_and_folders(void **state)
{
    (void)state;
    bool empty = false;
    assert_int_equal(folder_is_empty(&empty, folder, NULL), STATUS_OK);
    assert_true(empty);
    write_in_folder("a");
    write_in_folder(".hidden");
    assert_int_equal(count(folder, STATUS_OK, NULL), 2);
    assert_int_equal(folder_is_empty(&empty, folder, NULL), STATUS_OK);
    assert_false(empty);
}

static void a_folder_that_is_not_there_is_told_when_closed(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(count("/nowhere", STATUS_INPUT, &err), 0);
    assert_non_null(strstr(err.text, "cannot read /nowhere: no such file"));
}

/* The disk's part is played by a descriptor that is gone: the same call fails. */
static void a_folder_that_fails_in_the_middle_is_not_taken_for_whole(void **state)
{
    (void)state;
    struct folder_reader f;
    struct err err = ERR_INIT;
    folder_open(&f, folder);
    assert_int_equal(f.failed, 0);
    close(dirfd(f.dir));
    assert_null(folder_next(&f));
    assert_null(folder_next(&f));
    assert_int_equal(folder_close(&f, &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, folder));
}

static void a_folder_with_folders_in_it_is_not_removed(void **state)
{
    (void)state;
    char *inner = path_join(folder, "inner");
    assert_int_equal(mkdir(inner, 0700), 0);
    write_in_folder("a");
    folder_remove(folder);
    assert_true(file_is_dir(inner));
    assert_int_equal(rmdir(inner), 0);
    mem_free(inner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_are_those_of_files_and_folders, make_folder,
                                        remove_folder),
        cmocka_unit_test(a_folder_that_is_not_there_is_told_when_closed),
        cmocka_unit_test_setup_teardown(
            a_folder_that_fails_in_the_middle_is_not_taken_for_whole, make_folder,
            remove_folder),
        cmocka_unit_test_setup_teardown(a_folder_with_folders_in_it_is_not_removed,
                                        make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
