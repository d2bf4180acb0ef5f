#include "metrics_fixture.h"

#include "base/log.h"
#include "metrics/metrics.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static off_t size_of(const char *path)
{
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    return s.st_size;
}

static void open_metrics(struct metrics *m, struct folder *d, int64_t first_step)
{
    struct err err = ERR_INIT;
    enum status st = metrics_open(m, d->dir, first_step, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(st, STATUS_OK);
}

static void a_commit_writes_one_line_of_the_agreed_keys(void **state)
{
    struct folder *d = *state;
    struct metrics m;
    open_metrics(&m, d, 0);
    metrics_scalar(&m, "train/loss", 100, 3.25);
    metrics_scalar(&m, "train/learning_rate", 100, 1e-3);
    metrics_scalar(&m, "train/gradient_norm", 100, 0.5);
    metrics_scalar(&m, "train/tokens_per_s", 100, 1000);
    metrics_scalar(&m, "train/step_ms", 100, 12.5);
    metrics_scalar(&m, "train/data_wait_frac", 100, 0);
    metrics_scalar(&m, "memory/peak_rss_bytes", 100, 1e9);
    metrics_commit(&m, 100);
    assert_file(
        d, "metrics.jsonl",
        "{\"step\":100,\"loss\":3.25,\"learning_rate\":0.001,\"gradient_norm\":0.5,"
        "\"tokens_per_s\":1000,\"step_ms\":12.5,\"data_wait_frac\":0}\n");
    metrics_commit(&m, 100); /* nothing new */
    metrics_scalar(&m, "validation/loss", 100, 3.5);
    metrics_close(&m); /* what is pending is written */
    assert_file(
        d, "metrics.jsonl",
        "{\"step\":100,\"loss\":3.25,\"learning_rate\":0.001,\"gradient_norm\":0.5,"
        "\"tokens_per_s\":1000,\"step_ms\":12.5,\"data_wait_frac\":0}\n"
        "{\"step\":100,\"validation_loss\":3.5}\n");
}

static void records_wait_for_the_commit(void **state)
{
    struct folder *d = *state;
    struct metrics m;
    open_metrics(&m, d, 0);
    assert_int_equal(folder_event_files(d), 1);
    off_t empty = size_of(d->path);
    assert_true(empty > 0);
    metrics_scalar(&m, "train/loss", 1, 1);
    assert_int_equal(size_of(d->path), empty);
    metrics_commit(&m, 1);
    assert_true(size_of(d->path) > empty);
    metrics_close(&m);
}

static void each_opening_makes_a_file_that_sorts_last(void **state)
{
    struct folder *d = *state;
    struct metrics m;
    char before[512] = "";
    folder_write(d, "events.out.tfevents.4000000000.host.1.0", "from a clock set back");
    for (int i = 2; i < 6; i++) {
        open_metrics(&m, d, i);
        metrics_close(&m);
        assert_int_equal(folder_event_files(d), i);
        assert_true(strcmp(d->path, before) > 0);
        strcpy(before, d->path);
    }
    folder_write(d, "events.out.tfevents.9999999999.zzzz.1.0", "nothing sorts after");
    open_metrics(&m, d, 0);
    metrics_close(&m);
    assert_int_equal(folder_event_files(d), 7);
}

static void without_a_folder_nothing_happens(void **state)
{
    (void)state;
    struct metrics m;
    struct err err = ERR_INIT;
    const char *const nowhere[] = {NULL, ""};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(metrics_open(&m, nowhere[i], 0, &err), STATUS_OK);
        metrics_scalar(&m, "train/loss", 1, 1);
        metrics_commit(&m, 2);
        metrics_close(&m);
    }
}

static void missing_folders_are_made(void **state)
{
    struct folder *d = *state;
    struct metrics m;
    struct err err = ERR_INIT;
    char deep[128];
    snprintf(deep, sizeof deep, "%s/a/b/", d->dir);
    assert_int_equal(metrics_open(&m, deep, 0, &err), STATUS_OK);
    metrics_close(&m);
    snprintf(deep, sizeof deep, "rm -r %s/a", d->dir);
    assert_int_equal(system(deep), 0);
}

static void a_folder_that_cannot_be_is_refused(void **state)
{
    struct folder *d = *state;
    struct metrics m;
    struct err err = ERR_INIT;
    folder_write(d, "file", "");
    assert_int_equal(metrics_open(&m, folder_path(d, "file"), 0, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "is not a folder; choose another log_dir"));
    assert_false(m.is_on);
    metrics_scalar(&m, "train/loss", 1, 1);
    metrics_close(&m);
}

/* stderr into a file while the function runs; its text. */
static char *warnings_of(struct folder *d, void (*act)(struct metrics *),
                         struct metrics *m)
{
    char *text;
    size_t len;
    fflush(stderr);
    int screen = dup(STDERR_FILENO);
    int file = open(folder_path(d, "stderr"), O_CREAT | O_WRONLY | O_TRUNC, 0666);
    dup2(file, STDERR_FILENO);
    act(m);
    fflush(stderr);
    dup2(screen, STDERR_FILENO);
    close(screen);
    close(file);
    assert_int_equal(file_read(&text, &len, folder_path(d, "stderr"), 1 << 16, NULL), 0);
    return text;
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes == RLIM_INFINITY ? limit.rlim_max : bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void log_steps(struct metrics *m, int64_t first, int64_t end)
{
    for (int64_t step = first; step < end; step++) {
        metrics_scalar(m, "train/loss", step, 0.5);
        metrics_commit(m, step);
    }
}

static void fill_the_disk(struct metrics *m)
{
    limit_files(1000);
    log_steps(m, 0, 100);
    limit_files(RLIM_INFINITY);
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (; (text = strstr(text, word)); text++)
        n++;
    return n;
}

/* Lines are whole before, during and after; only those that did not fit are missing. */
static void a_full_disk_is_said_once_and_leaves_whole_lines(void **state)
{
    struct folder *d = *state;
    struct metrics m;
    char *text;
    size_t len;
    signal(SIGXFSZ, SIG_IGN);
    log_quiet(false);
    open_metrics(&m, d, 0);
    text = warnings_of(d, fill_the_disk, &m);
    assert_int_equal(count(text, "warning: cannot write "), 1);
    assert_int_equal(count(text, "the training goes on"), 1);
    assert_int_equal(count(text, "\n"), 1);
    mem_free(text);
    log_steps(&m, 100, 110);
    metrics_close(&m);
    assert_int_equal(
        file_read(&text, &len, folder_path(d, "metrics.jsonl"), 1 << 16, NULL),
        STATUS_OK);
    int lines = count(text, "\n");
    assert_true(lines > 20 && lines < 110);
    assert_int_equal(count(text, "}\n{\"step\":"), lines - 1);
    assert_int_equal(count(text, ",\"loss\":0.5}\n"), lines);
    assert_non_null(strstr(text, "{\"step\":109,"));
    mem_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_folder(a_commit_writes_one_line_of_the_agreed_keys),
        test_in_folder(records_wait_for_the_commit),
        test_in_folder(each_opening_makes_a_file_that_sorts_last),
        cmocka_unit_test(without_a_folder_nothing_happens),
        test_in_folder(missing_folders_are_made),
        test_in_folder(a_folder_that_cannot_be_is_refused),
        test_in_folder(a_full_disk_is_said_once_and_leaves_whole_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
