#include "base/leftover.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "cmocka_setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

static int make_folder_of_test(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/gait-leftover-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder_of_test(void **state)
{
    (void)state;
    leftover_note(folder);
    leftover_remove_all();
    return file_exists(folder) ? -1 : 0;
}

static const char *in_folder(const char *name)
{
    static char path[4][160];
    static unsigned turn;
    char *p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static void put(const char *name)
{
    FILE *f = fopen(in_folder(name), "w");
    assert_non_null(f);
    fclose(f);
}

static void what_was_noted_is_removed_with_all_that_is_in_it(void **state)
{
    (void)state;
    char name[64];
    mkdir(in_folder("tree"), 0777);
    mkdir(in_folder("tree/inner"), 0777);
    for (int i = 0; i < 300; i++) { /* more than one buffer of entries */
        snprintf(name, sizeof name, "tree/inner/a-file-of-some-length-%d", i);
        put(name);
    }
    put("file");
    put("other");
    leftover_note(in_folder("tree"));
    leftover_note(in_folder("file"));
    leftover_remove_all();
    assert_false(file_exists(in_folder("tree")));
    assert_false(file_exists(in_folder("file")));
    assert_true(file_exists(in_folder("other")));
}

static void what_was_forgotten_stays(void **state)
{
    (void)state;
    put("kept");
    leftover_note(in_folder("kept"));
    leftover_forget(in_folder("kept"));
    leftover_remove_all();
    assert_true(file_exists(in_folder("kept")));
}

static void a_link_is_removed_and_not_followed(void **state)
{
    (void)state;
    put("target");
    mkdir(in_folder("links"), 0777);
    assert_int_equal(symlink(in_folder("target"), in_folder("links/to")), 0);
    leftover_note(in_folder("links"));
    leftover_remove_all();
    assert_false(file_exists(in_folder("links")));
    assert_true(file_exists(in_folder("target")));
}

/* In a child: write half of a file and of a folder, then ask for more than there is. */
static void run_out_of_memory(void)
{
    struct new_file f;
    char *half;
    struct err err = ERR_INIT;
    if (new_file_open(&f, in_folder("result"), NEW_FILE_ANY, &err) ||
        new_folder_make(&half, in_folder("results"), &err) || chdir(half))
        _exit(1);
    FILE *in_half = fopen("part", "w");
    if (!in_half || chdir("/") || !freopen("/dev/null", "w", stderr))
        _exit(1);
    mem_alloc((size_t)1 << 60);
    _exit(1);
}

static void a_refused_allocation_leaves_no_temporary_file(void **state)
{
    (void)state;
    int status;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* their malloc ends the process itself */
#endif
    mkdir(in_folder("out"), 0777);
    strcat(folder, "/out");
    pid_t pid = fork();
    if (!pid)
        run_out_of_memory();
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), STATUS_ENVIRONMENT);
    assert_int_equal(rmdir(folder), 0); /* it is empty */
    *strrchr(folder, '/') = '\0';
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_noted_is_removed_with_all_that_is_in_it),
        cmocka_unit_test(what_was_forgotten_stays),
        cmocka_unit_test(a_link_is_removed_and_not_followed),
        cmocka_unit_test(a_refused_allocation_leaves_no_temporary_file),
    };
    return cmocka_run_group_tests(tests, make_folder_of_test, remove_folder_of_test);
}
