/* A history file: what is appended is read back; a kill, another process, a damaged or
 * foreign file lose nothing and crash nothing. */
#include "cmocka_setup.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "history/history.h"
#include "history/trend.h"
#include "run/run_file.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[64], journal[80];

static int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/gait-history-%ld.db", (long)getpid());
    snprintf(journal, sizeof journal, "%s-journal", path);
    unlink(path);
    return 0;
}

static int remove_path(void **state)
{
    (void)state;
    unlink(path);
    unlink(journal);
    return 0;
}

static enum status append(double change, const char *after, struct err *err)
{
    const struct history_gate gates[] = {
        {"step time", "PASS", "ms", "frac", 2, 2 + 2 * change, change, change - 0.01,
         NAN},
        {"same losses", "N/A", "", "", NAN, NAN, NAN, NAN, NAN}};
    const struct history_comparison c = {.utc = "2026-01-02T03:04:05Z",
                                         .kind = "recordings",
                                         .before = "a.gait",
                                         .after = after,
                                         .before_hash = "",
                                         .after_hash = "",
                                         .machine = "",
                                         .verdict = "PASS",
                                         .gate = gates,
                                         .n_gates = 2};
    return history_append(path, &c, err);
}

static void appends(double change, const char *after)
{
    struct err err = ERR_INIT;
    if (append(change, after, &err))
        fail_msg("%s", err.text);
}

static void loads(struct history *h)
{
    struct err err = ERR_INIT;
    history_init(h);
    if (history_load(h, path, &err))
        fail_msg("%s", err.text);
}

static void what_is_appended_is_read_back(void **state)
{
    (void)state;
    struct history h;
    appends(0.5, "b.gait");
    appends(-0.25, "b';\x1b[2Jx");
    loads(&h);
    assert_int_equal(h.n, 2);
    assert_int_equal(h.comparison[1].n_gates, 2);
    assert_string_equal(h.comparison[1].after, "b';\x1b[2Jx");
    assert_true(h.comparison[1].gate[0].change == -0.25);
    assert_true(isnan(h.comparison[1].gate[0].high));
    assert_string_equal(h.comparison[1].gate[1].name, "same losses");
    history_release(&h);
}

/* Texts of a file reach the screen without what moves a cursor, and JSON escaped. */
static void hostile_texts_are_escaped(void **state)
{
    (void)state;
    struct history h;
    struct trend t;
    struct strbuf out;
    appends(0.5, "b\x1b[2J\xc2\x9b"
                 "1m\xff\n\"x");
    loads(&h);
    trend_find(&t, &h);
    strbuf_init(&out);
    trend_print(&out, &t, &h);
    assert_non_null(strstr(out.s, "b?[2J?1m??\"x"));
    strbuf_clear(&out);
    trend_print_json(&out, &t, &h);
    assert_null(strchr(out.s, '\x1b'));
    assert_non_null(strstr(out.s, "\\u001b[2J"));
    strbuf_release(&out);
    trend_release(&t);
    history_release(&h);
}

static void baselines_are_kept_until_replaced(void **state)
{
    (void)state;
    struct history h;
    struct err err = ERR_INIT;
    struct history_baseline b = {.name = "main",
                                 .utc = "2026-01-02T03:04:05Z",
                                 .path = "a.yaml",
                                 .hash = "00",
                                 .machine = "m",
                                 .yaml = "layers: 2\n",
                                 .step_ms = 3,
                                 .memory_bytes = 5};
    assert_int_equal(history_save(path, &b, false, &err), STATUS_OK);
    b.yaml = "layers: 3\n";
    assert_int_equal(history_save(path, &b, false, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "--replace"));
    loads(&h);
    assert_string_equal(h.baseline[0].yaml, "layers: 2\n");
    history_release(&h);
    assert_int_equal(history_save(path, &b, true, &err), STATUS_OK);
    b.name = "other";
    assert_int_equal(history_save(path, &b, false, &err), STATUS_OK);
    loads(&h);
    assert_int_equal(h.n_baselines, 2);
    assert_string_equal(history_find(&h, path, "main", &err)->yaml, "layers: 3\n");
    assert_null(history_find(&h, path, "mian", &err));
    assert_non_null(strstr(err.text, "it has main, other"));
    history_release(&h);
}

static void refuses(const char *words)
{
    struct history h;
    struct err err = ERR_INIT;
    history_init(&h);
    assert_int_not_equal(history_load(&h, path, &err), STATUS_OK);
    if (!strstr(err.text, words))
        fail_msg("%s", err.text);
    err = (struct err)ERR_INIT;
    assert_int_not_equal(append(0, "b", &err), STATUS_OK);
    if (!strstr(err.text, words))
        fail_msg("%s", err.text);
    history_release(&h);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct run run;
    run_init(&run);
    assert_int_equal(run_save(&run, path, &err), STATUS_OK);
    run_release(&run);
    refuses("is a run of gait, not a history");
    assert_true(run_file_looks_like(path));
    unlink(path);
    const char *text = "a text of some length that is no database at all, long enough ..";
    assert_int_equal(file_write(path, text, strlen(text), &err), STATUS_OK);
    refuses("move it away");
}

static void a_history_is_not_replaced_by_a_run(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct run run;
    appends(0, "b");
    run_init(&run);
    assert_int_equal(run_save(&run, path, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "is not a run"));
    run_release(&run);
}

static void an_empty_file_is_a_history_of_nothing(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct history h;
    assert_int_equal(file_write(path, "", 0, &err), STATUS_OK);
    loads(&h);
    assert_int_equal(h.n, 0);
    history_release(&h);
    appends(0, "b");
}

/* Every byte of every 97th place flipped, and cut at many lengths: OK or an error. */
static void damage_ends_well(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char *bytes;
    size_t len, refused = 0;
    for (int i = 0; i < 30; i++)
        appends(0.01 * i, "b.gait");
    assert_int_equal(file_read(&bytes, &len, path, 1 << 20, &err), STATUS_OK);
    for (size_t at = 0; at < len; at += 97) {
        char kept = bytes[at];
        bytes[at] ^= 0x55;
        bool cut = at % 2;
        assert_int_equal(file_write(path, bytes, cut ? at : len, &err), STATUS_OK);
        struct history h;
        history_init(&h);
        bool good = history_load(&h, path, &err) == STATUS_OK;
        refused += !good;
        assert_true(!good || h.n == 30); /* those that were stored, or an error */
        for (size_t i = 0; good && i < h.n; i++)
            assert_true(h.comparison[i].gate[0].change == 0.01 * (double)i);
        append(0, "c", &err);
        history_release(&h);
        bytes[at] = kept;
    }
    printf("%zu bytes: refused %zu of %zu damaged files\n", len, refused, len / 97 + 1);
    assert_true(refused > 0);
    mem_free(bytes);
}

static void two_processes_lose_nothing(void **state)
{
    (void)state;
    enum { EACH = 20, PROCESSES = 3 };
    struct history h;
    for (int p = 0; p < PROCESSES; p++)
        if (fork() == 0) {
            int failed = 0;
            for (int i = 0; i < EACH; i++)
                failed |= append(0, "b", NULL) != STATUS_OK;
            _exit(failed);
        }
    for (int p = 0; p < PROCESSES; p++) {
        int how = 0;
        assert_true(wait(&how) > 0);
        assert_int_equal(how, 0);
    }
    loads(&h);
    assert_int_equal(h.n, EACH * PROCESSES);
    assert_int_equal(h.n_gates, 2 * EACH * PROCESSES);
    history_release(&h);
}

/* Killed at any moment: all rows of a comparison or none, and what was there stays. */
static void a_kill_leaves_the_old_or_the_new_state(void **state)
{
    (void)state;
    size_t before = 0;
    for (int round = 0; round < 40; round++) {
        pid_t child = fork();
        if (!child)
            for (;;)
                append(0, "b", NULL);
        usleep((useconds_t)(1000 + 701 * round));
        kill(child, SIGKILL);
        assert_true(waitpid(child, NULL, 0) == child);
        if (access(path, F_OK))
            continue; /* killed before there was a file */
        struct history h;
        loads(&h);
        assert_true(h.n >= before);
        assert_int_equal(h.n_gates, 2 * h.n);
        before = h.n;
        history_release(&h);
    }
    printf("%zu comparisons after 40 kills\n", before);
    assert_true(before > 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_path, remove_path)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_appended_is_read_back),
        TEST(hostile_texts_are_escaped),
        TEST(baselines_are_kept_until_replaced),
        TEST(other_files_are_refused),
        TEST(a_history_is_not_replaced_by_a_run),
        TEST(an_empty_file_is_a_history_of_nothing),
        TEST(damage_ends_well),
        TEST(two_processes_lose_nothing),
        TEST(a_kill_leaves_the_old_or_the_new_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
