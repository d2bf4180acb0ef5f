#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "cmocka_setup.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void a_file_is_written_whole_and_read_back(void **state)
{
    (void)state;
    char dir[] = "/tmp/gait-test-XXXXXX";
    assert_non_null(mkdtemp(dir));
    char path[64];
    snprintf(path, sizeof path, "%s/f", dir);
    struct err err = ERR_INIT;
    assert_int_equal(file_write(path, "one\0two", 7, &err), STATUS_OK);
    assert_int_equal(file_write(path, "three", 5, &err), STATUS_OK);
    char *text;
    size_t len;
    assert_int_equal(file_read(&text, &len, path, 100, &err), STATUS_OK);
    assert_int_equal(len, 5);
    assert_string_equal(text, "three");
    mem_free(text);
    assert_int_equal(file_read(&text, &len, path, 4, &err), STATUS_INPUT);
    unlink(path);
    assert_int_equal(file_read(&text, &len, path, 4, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "no such file"));
    assert_int_equal(rmdir(dir), 0); /* no temporary file was left */
    assert_int_equal(file_write("/nonexistent/dir/f", "x", 1, &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "its folder does not exist"));
}

static mode_t mode_of(const char *path)
{
    struct stat s;
    assert_int_equal(lstat(path, &s), 0);
    return s.st_mode;
}

static void writing_follows_links_keeps_modes_and_spares_devices(void **state)
{
    (void)state;
    char dir[] = "/tmp/gait-test-XXXXXX", file[64], link[64], pipe[64];
    struct err err = ERR_INIT;
    assert_non_null(mkdtemp(dir));
    snprintf(file, sizeof file, "%s/file", dir);
    snprintf(link, sizeof link, "%s/link", dir);
    snprintf(pipe, sizeof pipe, "%s/pipe", dir);
    assert_int_equal(file_write(file, "one", 3, &err), STATUS_OK);
    assert_int_equal(chmod(file, 0600), 0);
    assert_int_equal(symlink("file", link), 0);
    assert_int_equal(file_write(link, "second", 6, &err), STATUS_OK);
    assert_true(S_ISLNK(mode_of(link)));
    assert_int_equal(mode_of(file) & 07777, 0600);
    char *text;
    size_t len;
    assert_int_equal(file_read(&text, &len, file, 100, &err), STATUS_OK);
    assert_string_equal(text, "second");
    mem_free(text);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    struct new_file f;
    assert_int_equal(new_file_open(&f, pipe, NEW_FILE_REGULAR, &err), STATUS_ENVIRONMENT);
    assert_true(S_ISFIFO(mode_of(pipe)));
    assert_int_equal(file_write("/dev/null", "x", 1, &err), STATUS_OK);
    assert_true(S_ISCHR(mode_of("/dev/null")));
    assert_int_equal(file_write("/dev/full", "x", 1, &err), STATUS_ENVIRONMENT);
    unlink(link);
    unlink(pipe);
    unlink(file);
    assert_int_equal(rmdir(dir), 0);
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void holds(const char *path, const char *expected)
{
    char *text;
    size_t len;
    struct err err = ERR_INIT;
    assert_int_equal(file_read(&text, &len, path, 100, &err), STATUS_OK);
    assert_string_equal(text, expected);
    mem_free(text);
}

/* Whoever can write to the folder knows the process's number. */
static void a_link_at_a_foreseen_name_is_not_followed(void **state)
{
    (void)state;
    char dir[] = "/tmp/gait-test-XXXXXX", file[64], victim[64], planted[128];
    struct err err = ERR_INIT;
    assert_non_null(mkdtemp(dir));
    snprintf(file, sizeof file, "%s/r.html", dir);
    snprintf(victim, sizeof victim, "%s/victim", dir);
    snprintf(planted, sizeof planted, "%s.tmp.%ld", file, (long)getpid());
    put(victim, "precious");
    assert_int_equal(symlink("victim", planted), 0);
    assert_int_equal(file_write(file, "report", 6, &err), STATUS_OK);
    holds(victim, "precious");
    holds(file, "report");
    unlink(planted);
    unlink(victim);
    unlink(file);
    assert_int_equal(rmdir(dir), 0);
}

static void two_drafts_of_one_file_do_not_meet(void **state)
{
    (void)state;
    char dir[] = "/tmp/gait-test-XXXXXX", file[64];
    struct err err = ERR_INIT;
    struct new_file a, b;
    assert_non_null(mkdtemp(dir));
    snprintf(file, sizeof file, "%s/f", dir);
    assert_int_equal(new_file_open(&a, file, NEW_FILE_REGULAR, &err), STATUS_OK);
    assert_int_equal(new_file_open(&b, file, NEW_FILE_REGULAR, &err), STATUS_OK);
    assert_string_not_equal(a.tmp, b.tmp);
    assert_true(write_fully(a.fd, "a", 1) && write_fully(b.fd, "b", 1));
    assert_int_equal(new_file_commit(&b, &err), STATUS_OK);
    holds(file, "b");
    new_file_discard(&a);
    holds(file, "b");
    unlink(file);
    assert_int_equal(rmdir(dir), 0);
}

static void links_of_others_in_a_folder_of_all_are_not_followed(void **state)
{
    (void)state;
    char dir[] = "/tmp/gait-test-XXXXXX", link[64], victim[64];
    struct err err = ERR_INIT;
    enum { SOMEBODY = 65534 };
    if (geteuid()) {
        print_message("skipped: only root can make another user's link\n");
        skip();
    }
    assert_non_null(mkdtemp(dir));
    assert_int_equal(chmod(dir, 01777), 0);
    snprintf(link, sizeof link, "%s/r.html", dir);
    snprintf(victim, sizeof victim, "%s/victim", dir);
    put(victim, "precious");
    assert_int_equal(symlink("victim", link), 0);
    assert_int_equal(file_write(link, "mine", 4, &err), STATUS_OK); /* our own link */
    holds(victim, "mine");
    assert_int_equal(lchown(link, SOMEBODY, SOMEBODY), 0);
    assert_int_equal(file_write(link, "bad", 3, &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "another user"));
    holds(victim, "mine");
    assert_int_equal(chmod(dir, 0755), 0); /* nobody else can write here: as usual */
    assert_int_equal(file_write(link, "good", 4, &err), STATUS_OK);
    holds(victim, "good");
    unlink(link);
    unlink(victim);
    assert_int_equal(rmdir(dir), 0);
}

static void pipes_of_others_in_a_folder_of_all_are_not_written_to(void **state)
{
    (void)state;
    char dir[] = "/tmp/gait-test-XXXXXX", path[64];
    struct err err = ERR_INIT;
    enum { SOMEBODY = 65534 };
    if (geteuid()) {
        print_message("skipped: only root can make another user's pipe\n");
        skip();
    }
    assert_non_null(mkdtemp(dir));
    assert_int_equal(chmod(dir, 01777), 0);
    snprintf(path, sizeof path, "%s/r.html", dir);
    assert_int_equal(mkfifo(path, 0666), 0);
    assert_int_equal(lchown(path, SOMEBODY, SOMEBODY), 0);
    alarm(20); /* nobody reads from it */
    assert_int_equal(file_write(path, "secret", 6, &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "another user"));
    alarm(0);
    unlink(path);
    assert_int_equal(rmdir(dir), 0);
}

/* /dev/stdout may be a file that holds something already. */
static void an_own_descriptor_is_written_to_where_it_stands(void **state)
{
    (void)state;
    char file[] = "/tmp/gait-test-XXXXXX", path[32];
    struct err err = ERR_INIT;
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    assert_true(write_fully(fd, "before ", 7));
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    assert_int_equal(file_write(path, "report", 6, &err), STATUS_OK);
    assert_true(write_fully(fd, " after", 6));
    holds(file, "before report after");
    close(fd);
    unlink(file);
}

static void links_in_a_circle_end(void **state)
{
    (void)state;
    char dir[] = "/tmp/gait-test-XXXXXX", link[64];
    struct err err = ERR_INIT;
    assert_non_null(mkdtemp(dir));
    snprintf(link, sizeof link, "%s/a", dir);
    assert_int_equal(symlink("a", link), 0);
    assert_int_equal(file_write(link, "x", 1, &err), STATUS_ENVIRONMENT);
    unlink(link);
    assert_int_equal(rmdir(dir), 0);
}

static void pipes_and_devices_are_refused_at_once_as_inputs(void **state)
{
    (void)state;
    char dir[] = "/tmp/gait-test-XXXXXX", pipe_path[64], *text;
    size_t len;
    int fd;
    struct err err = ERR_INIT;
    assert_non_null(mkdtemp(dir));
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", dir);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    alarm(20); /* nobody will ever write to it */
    assert_int_equal(file_open_input(&fd, pipe_path, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "it is a pipe"));
    assert_int_equal(file_read(&text, &len, pipe_path, 100, &err), STATUS_INPUT);
    assert_int_equal(file_read(&text, &len, "/dev/zero", 100, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "it is a device"));
    assert_int_equal(file_read(&text, &len, dir, 100, &err), STATUS_INPUT);
    alarm(0);
    unlink(pipe_path);
    assert_int_equal(rmdir(dir), 0);
}

/* <(command) of a shell is such a path: there the user asked for a pipe. */
static void a_pipe_that_the_process_was_given_is_read(void **state)
{
    (void)state;
    int ends[2];
    char path[32];
    assert_int_equal(pipe(ends), 0);
    assert_true(write_fully(ends[1], "given", 5));
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    holds(path, "given");
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_written_whole_and_read_back),
        cmocka_unit_test(writing_follows_links_keeps_modes_and_spares_devices),
        cmocka_unit_test(a_link_at_a_foreseen_name_is_not_followed),
        cmocka_unit_test(two_drafts_of_one_file_do_not_meet),
        cmocka_unit_test(links_of_others_in_a_folder_of_all_are_not_followed),
        cmocka_unit_test(pipes_of_others_in_a_folder_of_all_are_not_written_to),
        cmocka_unit_test(an_own_descriptor_is_written_to_where_it_stands),
        cmocka_unit_test(links_in_a_circle_end),
        cmocka_unit_test(pipes_and_devices_are_refused_at_once_as_inputs),
        cmocka_unit_test(a_pipe_that_the_process_was_given_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
