/*
 * A step that is saved again takes the place of the folder that has its name. Every state
 * that a crash leaves of that is built here by hand, with and without an exchange of
 * names; from each, a reader finds the step, a training that starts brings it back, and
 * the next save leaves nothing else.
 */
#include "checkpoint/step_folder.h"
#include "checkpoint_fixture.h"

#include <dirent.h>
#include <sys/stat.h>

#define STEP "step-00000002"
/* Of a process that has ended: no system gives out this number. */
#define TEMPORARY STEP ".tmp-2147483647-0123456789abcdef"
#define ASIDE STEP ".gait-old"

enum content { NOTHING, PART, OLD, NEW };

struct crash {
    const char *after; /* the last call that was done */
    enum content temporary, named, aside;
    enum content found; /* what a start must find under the step's name */
};

static const struct crash crashes[] = {
    {"some of the files", PART, OLD, NOTHING, OLD},
    {"the last fsync", NEW, OLD, NOTHING, OLD},
    {"RENAME_EXCHANGE", OLD, NEW, NOTHING, NEW},
    {"a part of the removal", PART, NEW, NOTHING, NEW},
    {"rename(named, aside)", NEW, NOTHING, OLD, OLD},
    {"the same, and what was not named is lost", NOTHING, NOTHING, OLD, OLD},
    {"rename(temporary, named)", NOTHING, NEW, OLD, NEW},
    {"rename(aside, temporary)", OLD, NEW, NOTHING, NEW},
};

static void path_in(char out[160], const char *name)
{
    snprintf(out, 160, "%s/%s", dir, name);
}

/* Old and new hold the same numbers; a file that nobody looks at tells them apart. */
static enum content content_of(const char *name)
{
    static const char *const marks[] = {[PART] = "part", [OLD] = "old", [NEW] = "new"};
    char path[160];
    for (int i = PART; i <= NEW; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", dir, name, marks[i]);
        if (file_exists(path))
            return (enum content)i;
    }
    path_in(path, name);
    if (file_exists(path))
        fail_msg("%s has no mark", path);
    return NOTHING;
}

static void put(const char *name, enum content c)
{
    static const char *const marks[] = {[PART] = "part", [OLD] = "old", [NEW] = "new"};
    char from[160], to[160], mark[200];
    if (c == NOTHING)
        return;
    path_in(to, name);
    if (c == PART) {
        assert_int_equal(mkdir(to, 0777), 0);
    } else { /* in a place of its own, so that the states stay independent of the code */
        char saved[80];
        strcpy(saved, dir);
        snprintf(dir, sizeof dir, "%s/apart", top);
        save_well(2, 0);
        path_in(from, STEP);
        assert_int_equal(rename(from, to), 0);
        remove_dir(NULL);
        strcpy(dir, saved);
    }
    snprintf(mark, sizeof mark, "%s/%s", to, marks[c]);
    assert_int_equal(durable_write(mark, "", 0, NULL), STATUS_OK);
}

static void build(const struct crash *c)
{
    char path[160];
    remove_dir(NULL);
    save_well(1, 0);
    save_well(2, 0);
    path_in(path, STEP);
    assert_int_equal(durable_remove(path, NULL), STATUS_OK);
    put(TEMPORARY, c->temporary);
    put(STEP, c->named);
    put(ASIDE, c->aside);
}

/* Names in dir that are no part of a dir at rest. */
static int left_over(void)
{
    int n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        int64_t step;
        n += e->d_name[0] != '.' && strcmp(e->d_name, "latest") != 0 &&
             strcmp(e->d_name, "lock") != 0 && !step_folder_parse(e->d_name, &step);
    }
    closedir(d);
    return n;
}

static void expect_latest(int64_t step, const char *after)
{
    struct err err = ERR_INIT;
    int64_t found = load_latest(&err);
    if (found != step)
        fail_msg("after %s latest is %lld: %s", after, (long long)found, err.text);
}

static void a_reader_finds_the_step_after_any_crash(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
        build(&crashes[i]);
        expect_latest(2, crashes[i].after);
        assert_int_equal(content_of(TEMPORARY), crashes[i].temporary); /* it only reads */
        assert_int_equal(content_of(STEP), crashes[i].named);
        assert_int_equal(content_of(ASIDE), crashes[i].aside);
    }
}

static void a_start_brings_the_step_back_after_any_crash(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
        struct err err = ERR_INIT;
        int lock = -1;
        build(&crashes[i]);
        if (checkpoint_lock(&lock, dir, &err))
            fail_msg("%s", err.text);
        assert_int_equal(content_of(STEP), crashes[i].found);
        assert_int_equal(content_of(ASIDE), NOTHING);
        expect_latest(2, crashes[i].after);
        save_well(3, 0);
        assert_int_equal(content_of(STEP), crashes[i].found);
        assert_int_equal(left_over(), 0);
        expect_latest(3, crashes[i].after);
        close(lock);
    }
}

static void a_save_brings_the_step_back_after_any_crash(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
        build(&crashes[i]);
        save_well(3, 0);
        assert_int_equal(content_of(STEP), crashes[i].found);
        assert_int_equal(left_over(), 0);
    }
}

static void what_a_running_training_has_aside_is_left_alone(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char named[160], aside[160];
    int lock = -1, second = -1;
    build(&crashes[0]);
    assert_int_equal(checkpoint_lock(&lock, dir, &err), STATUS_OK);
    path_in(named, STEP);
    path_in(aside, ASIDE);
    assert_int_equal(rename(named, aside), 0); /* it is between two renames */
    assert_int_equal(checkpoint_lock(&second, dir, &err), STATUS_ENVIRONMENT);
    assert_int_equal(content_of(ASIDE), OLD);
    assert_int_equal(content_of(STEP), NOTHING);
    close(lock);
}

/* What somebody else put there is neither written through nor taken for ours. */
static void planted_links_are_not_followed(void **state)
{
    (void)state;
    char victim[100], path[160];
    struct err err = ERR_INIT;
    snprintf(victim, sizeof victim, "%s/victim", top);
    assert_int_equal(mkdir(victim, 0777), 0);
    save_well(1, 0);

    path_in(path, TEMPORARY);
    assert_int_equal(symlink(victim, path), 0);
    path_in(path, "step-00000007.gait-old");
    assert_int_equal(symlink(victim, path), 0);
    save_well(2, 0);
    assert_true(file_is_dir(victim));
    path_in(path, "step-00000007");
    assert_false(file_exists(path));
    path_in(path, TEMPORARY);
    assert_int_equal(access(path, F_OK), -1); /* the link alone was removed */

    snprintf(path, sizeof path, "%s/file", victim);
    assert_int_equal(durable_write(path, "kept", 4, &err), STATUS_OK);
    assert_int_equal(durable_write(path, "lost", 4, &err), STATUS_ENVIRONMENT);
    char link[160];
    path_in(link, "link");
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(durable_write(link, "lost", 4, &err), STATUS_ENVIRONMENT);
    path_in(link, "latest"); /* the name itself is replaced, not what it leads to */
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink(path, link), 0);
    save_well(3, 0);
    char *text;
    size_t len;
    assert_int_equal(file_read(&text, &len, path, 100, &err), STATUS_OK);
    assert_string_equal(text, "kept");
    mem_free(text);
    expect_latest(3, "a planted link");
    assert_int_equal(durable_remove(victim, NULL), STATUS_OK);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, remove_dir)
    const struct CMUnitTest tests[] = {
        TEST(a_reader_finds_the_step_after_any_crash),
        TEST(a_start_brings_the_step_back_after_any_crash),
        TEST(a_save_brings_the_step_back_after_any_crash),
        TEST(what_a_running_training_has_aside_is_left_alone),
        TEST(planted_links_are_not_followed),
    };
    return cmocka_run_group_tests(tests, make_top, remove_top);
}
