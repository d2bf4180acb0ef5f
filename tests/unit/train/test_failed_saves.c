/*
 * A disk that fails for some saves, or for all: the program's own mkdir() comes before
 * libc's and refuses the temporary folders of chosen saves.
 */
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "checkpoint/durable.h"
#include "train/save.h"
#include "train/train.h"
#include "train_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int tried;             /* saves so far */
static unsigned failing_bits; /* bit i: save i fails */

int mkdir(const char *path, mode_t mode)
{
    if (strstr(path, ".tmp-") && failing_bits >> tried++ & 1) {
        errno = ENOSPC;
        return -1;
    }
    return (int)syscall(SYS_mkdir, path, mode);
}

static char dir[] = "/tmp/gait_failed_XXXXXX";

static int make_dir(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/gait_failed_XXXXXX");
    tried = 0;
    failing_bits = 0;
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
    (void)state;
    return durable_remove(dir, NULL) != STATUS_OK;
}

/* Saves after steps 3, 6, 9, and at the end, 12. */
static void saving_config(struct config *c)
{
    small_config(c);
    c->checkpoint_interval = 3;
    c->eval_interval = 0;
    assert_int_equal(config_set(c, "checkpoint_dir", dir, NULL), STATUS_OK);
}

static void expect_file(const char *name, bool there)
{
    char *path = path_join(dir, name);
    if (file_exists(path) != there)
        fail_msg("%s is %sthere", path, there ? "not " : "");
    mem_free(path);
}

static void expect_latest(const char *step)
{
    char *path = path_join(dir, "latest"), *text;
    size_t len;
    assert_int_equal(file_read(&text, &len, path, 100, NULL), STATUS_OK);
    text[strcspn(text, "\n")] = '\0';
    assert_string_equal(text, step);
    mem_free(text);
    mem_free(path);
}

static void a_failed_save_is_tried_again_at_the_next_interval(void **state)
{
    (void)state;
    struct config c;
    struct train_result result;
    struct err err = ERR_INIT;
    saving_config(&c);
    failing_bits = 1 << 0 | 1 << 1;
    if (train_run(&c, &result, NULL, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(tried, 4); /* neither at once nor at every step */
    assert_int_equal(result.steps, 12);
    assert_int_equal(result.usage.failed_saves, 2);
    expect_file("step-00000006", false);
    expect_file("step-00000009", true);
    expect_latest("step-00000012");
    config_release(&c);
}

static void the_last_save_is_tried_though_the_one_before_failed(void **state)
{
    (void)state;
    struct config c;
    struct train_result result;
    struct err err = ERR_INIT;
    saving_config(&c);
    failing_bits = 1 << 2;
    if (train_run(&c, &result, NULL, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(result.usage.failed_saves, 1);
    expect_latest("step-00000012");
    config_release(&c);
}

static void a_run_that_could_not_save_its_end_fails_at_its_end(void **state)
{
    (void)state;
    struct config c;
    struct train_result result;
    struct err err = ERR_INIT;
    saving_config(&c);
    failing_bits = 1 << 1 | 1 << 3;
    assert_int_equal(train_run(&c, &result, NULL, &err), STATUS_ENVIRONMENT);
    assert_int_equal(result.steps, 12);
    assert_true(result.complete); /* what it found is told all the same */
    assert_int_equal(result.usage.failed_saves, 2);
    assert_non_null(strstr(err.text, "step 12 of 12 (2 saves failed)"));
    assert_non_null(strstr(err.text, strerror(ENOSPC)));
    assert_non_null(strstr(err.text, "checkpoint of step 9"));
    expect_latest("step-00000009");

    failing_bits = 0; /* there is room again: the same command goes on */
    err = (struct err)ERR_INIT;
    if (train_run(&c, &result, NULL, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(result.resumed, 9);
    expect_latest("step-00000012");
    config_release(&c);
}

static void a_run_that_could_never_save_says_that_there_is_nothing(void **state)
{
    (void)state;
    struct config c;
    struct train_result result;
    struct err err = ERR_INIT;
    saving_config(&c);
    failing_bits = ~0u;
    assert_int_equal(train_run(&c, &result, NULL, &err), STATUS_ENVIRONMENT);
    assert_int_equal(result.steps, 12);
    assert_int_equal(tried, 4);
    assert_non_null(strstr(err.text, "there is no checkpoint"));
    expect_file("latest", false);
    config_release(&c);
}

static void a_save_by_minutes_waits_as_long_after_a_failure(void **state)
{
    (void)state;
    struct config c;
    struct trainer t;
    struct saver v = {0};
    struct err err = ERR_INIT;
    char next[128];
    saving_config(&c);
    c.checkpoint_interval = 0;
    c.checkpoint_minutes = 1;
    failing_bits = 1;
    assert_int_equal(trainer_open(&t, &c, &err), STATUS_OK);
    saver_init(&v, &t);
    assert_false(saver_due(&v, &t, 1));
    v.tried_ns -= 61000000000;
    assert_true(saver_due(&v, &t, 1));
    assert_int_not_equal(saver_save(&v, &t, 1, &err), STATUS_OK);
    assert_false(saver_due(&v, &t, 2));
    saver_next(next, sizeof next, &t, 1);
    assert_string_equal(next, "after step 12 of 12, or after 1 min");
    v.tried_ns -= 61000000000;
    assert_true(saver_due(&v, &t, 2));
    trainer_close(&t, STATUS_OK);
    config_release(&c);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_dir, remove_dir)
    const struct CMUnitTest tests[] = {
        TEST(a_failed_save_is_tried_again_at_the_next_interval),
        TEST(the_last_save_is_tried_though_the_one_before_failed),
        TEST(a_run_that_could_not_save_its_end_fails_at_its_end),
        TEST(a_run_that_could_never_save_says_that_there_is_nothing),
        TEST(a_save_by_minutes_waits_as_long_after_a_failure),
    };
    log_quiet(true);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
