/* A status is read as it was written; its curve is bounded; a process is told from a
 * later one of the same number. */
#include "base/mem.h"
#include "cmocka_setup.h"
#include "live/live_file.h"
#include "live/live_list.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void a_curve_of_a_million_steps_is_bounded(void **state)
{
    (void)state;
    struct live_curve c;
    live_curve_init(&c);
    for (int i = 1; i <= 1000000; i++)
        live_curve_add(&c, i, i, 10, 0.5);
    assert_true(c.n >= LIVE_POINTS_MAX / 2 - 1 && c.n < LIVE_POINTS_MAX);
    for (int i = 0; i < c.n; i++) {
        double last = (double)c.point[i].step, mean = last - (double)(c.stride - 1) / 2.0;
        assert_true(fabs(c.point[i].loss - mean) < 1e-6 * mean);
        assert_true(fabs(c.point[i].tokens_per_s - 20) < 1e-6);
        assert_int_equal(c.point[i].step, (i + 1) * c.stride);
    }
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    struct live_status *s = mem_zalloc(2, sizeof *s), *back = s + 1;
    struct strbuf text;
    struct err err = ERR_INIT;
    live_status_init(s);
    live_process_fill(s);
    s->doing = LIVE_DOING_SAVING;
    strcpy(s->model, "gpt2 \"4\" × 128");
    s->step = 42;
    s->loss = 2.5;
    s->phase_s[PHASE_BACKWARD] = 0.25;
    live_curve_add(&s->curve, 42, 2.5, 10, 0.5);
    strbuf_init(&text);
    live_status_text(&text, s);
    assert_int_equal(live_status_read(back, text.s, text.len, &err), STATUS_OK);
    assert_int_equal(back->doing, LIVE_DOING_SAVING);
    assert_string_equal(back->model, s->model);
    assert_string_equal(back->boot, s->boot);
    assert_int_equal(back->process_start, s->process_start);
    assert_int_equal(back->step, 42);
    assert_true(back->loss == 2.5 && isnan(back->validation_loss));
    assert_true(back->phase_s[PHASE_BACKWARD] == 0.25);
    assert_int_equal(back->curve.n, 1);
    assert_true(back->curve.point[0].tokens_per_s == 20);
    strbuf_release(&text);
    mem_free(s);
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "{}", "[1]", "{\"format\":\"gait-live\"",
                                        "{\"format\":\"gait-live\",\"version\":99}"};
    struct live_status *s = mem_zalloc(1, sizeof *s);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct err err = ERR_INIT;
        assert_int_equal(live_status_read(s, texts[i], strlen(texts[i]), &err),
                         STATUS_INPUT);
    }
    mem_free(s);
}

/* What no training writes is not known. */
static void numbers_out_of_range_are_not_known(void **state)
{
    (void)state;
    static const char text[] =
        "{\"format\":\"gait-live\",\"version\":1,\"step\":-9223372036854775808,"
        "\"steps\":9223372036854775807,\"pid\":-1,\"begun_ns\":-5,\"loss\":1e300,"
        "\"phase_s\":{\"data\":1000,\"forward\":-999.9,\"backward\":1e999},"
        "\"curve_stride\":-3,\"curve\":[[1000000,1,1],[1000001,0,1e300],[0,0.5,1],"
        "[1000001,2,2],[-4,1,1],[1000002]]}";
    struct live_status *s = mem_zalloc(1, sizeof *s);
    struct err err = ERR_INIT;
    assert_int_equal(live_status_read(s, text, sizeof text - 1, &err), STATUS_OK);
    assert_int_equal(s->step, 0);
    assert_int_equal(s->steps, 0);
    assert_int_equal(s->pid, 0);
    assert_int_equal(s->begun_ns, 0);
    assert_true(isnan(s->loss));
    assert_true(s->phase_s[PHASE_DATA] == 1000);
    assert_true(s->phase_s[PHASE_FORWARD] == 0 && s->phase_s[PHASE_BACKWARD] == 0);
    assert_int_equal(s->curve.stride, 1);
    assert_int_equal(s->curve.n, 2);
    assert_int_equal(s->curve.point[1].step, 1000001);
    assert_true(isnan(s->curve.point[1].tokens_per_s));
    mem_free(s);
}

static void a_later_process_of_the_same_number_is_another(void **state)
{
    (void)state;
    struct live_status *s = mem_zalloc(1, sizeof *s);
    live_status_init(s);
    live_process_fill(s);
    assert_int_equal(live_process_state(s), LIVE_RUNNING);
    s->process_start++;
    assert_int_equal(live_process_state(s), LIVE_GONE);
    s->process_start--;
    s->boot[0] ^= 1;
    assert_int_equal(live_process_state(s), LIVE_GONE);
    s->boot[0] ^= 1;
    s->doing = LIVE_DOING_ENDED;
    assert_int_equal(live_process_state(s), LIVE_FINISHED);
    mem_free(s);
}

/* With a runtime folder of its own; returns its path. */
static char *own_runtime(char *template)
{
    assert_non_null(mkdtemp(template));
    setenv("XDG_RUNTIME_DIR", template, 1);
    return template;
}

static void only_some_finished_ones_are_kept(void **state)
{
    (void)state;
    char template[] = "/tmp/gait-test-XXXXXX";
    own_runtime(template);
    struct live_status *s = mem_zalloc(1, sizeof *s);
    struct live_file f;
    struct live_list list;
    for (int i = 0; i < 40; i++) {
        live_status_init(s);
        s->doing = LIVE_DOING_ENDED;
        s->begun_ns = i;
        s->pid = i;
        live_file_open(&f);
        assert_non_null(f.path);
        snprintf(strrchr(f.path, '-') + 1, 8, "%d.json", i); /* shorter than a pid's */
        live_file_write(&f, s);
        live_file_close(&f);
    }
    assert_int_equal(live_list_read(&list, NULL), STATUS_OK);
    assert_int_equal(list.n, 17); /* 16, and the one that was written after the look */
    assert_int_equal(list.entry[0].status.pid, 39);
    assert_true(live_entry_is(&list.entry[0], "39"));
    assert_false(live_entry_is(&list.entry[0], "/tmp"));
    for (size_t i = 0; i < list.n; i++)
        unlink(list.entry[i].path);
    live_list_release(&list);
    mem_free(s);
}

static void assert_refused(const char *why)
{
    struct live_list list;
    struct err err = ERR_INIT;
    assert_int_equal(live_list_read(&list, &err), STATUS_ENVIRONMENT);
    assert_int_equal(list.n, 0);
    assert_non_null(strstr(err.text, why));
    live_list_release(&list);
}

static void a_half_written_file_is_removed_when_it_is_old(void **state)
{
    (void)state;
    char template[] = "/tmp/gait-test-XXXXXX", folder[64], old[96], young[96];
    struct live_file f;
    struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    own_runtime(template);
    snprintf(folder, sizeof folder, "%s/gait", template);
    snprintf(old, sizeof old, "%s/train-1.tmp", folder);
    snprintf(young, sizeof young, "%s/train-2.tmp", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(mknod(old, S_IFREG | 0600, 0), 0);
    assert_int_equal(mknod(young, S_IFREG | 0600, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, old, long_ago, 0), 0);
    live_file_open(&f);
    live_file_close(&f);
    assert_int_equal(access(old, F_OK), -1);
    assert_int_equal(access(young, F_OK), 0);
    unlink(young);
    rmdir(folder);
    rmdir(template);
}

/* Somebody else's folder, or one that others can write to, is not used. */
static void an_open_folder_is_not_used(void **state)
{
    (void)state;
    char template[] = "/tmp/gait-test-XXXXXX";
    struct strbuf folder;
    struct live_file f;
    own_runtime(template);
    strbuf_init(&folder);
    live_folder(&folder);
    assert_int_equal(strncmp(folder.s, template, strlen(template)), 0);
    mkdir(folder.s, 0777);
    chmod(folder.s, 0777);
    live_file_open(&f);
    assert_null(f.path);
    live_file_close(&f);
    assert_refused("others can write to it");
    rmdir(folder.s);
    assert_int_equal(symlink("/tmp", folder.s), 0);
    assert_refused("a link");
    unlink(folder.s);
    chmod(template, 0777);
    strbuf_clear(&folder);
    live_folder(&folder);
    assert_null(strstr(folder.s, template));
    rmdir(template);
    strbuf_release(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_curve_of_a_million_steps_is_bounded),
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(numbers_out_of_range_are_not_known),
        cmocka_unit_test(a_later_process_of_the_same_number_is_another),
        cmocka_unit_test(only_some_finished_ones_are_kept),
        cmocka_unit_test(a_half_written_file_is_removed_when_it_is_old),
        cmocka_unit_test(an_open_folder_is_not_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
