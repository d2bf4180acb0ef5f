#include "metrics_fixture.h"

#include "metrics/metrics_lines.h"

#include <float.h>
#include <math.h>
#include <sys/stat.h>

static void a_line_is_one_json_object(void **state)
{
    (void)state;
    char line[METRICS_LINE_BYTES_MAX];
    const struct metrics_value values[] = {{"loss", 3.25},
                                           {"step_ms", (double)0.1f},
                                           {"gradient_norm", NAN},
                                           {"tokens_per_s", INFINITY},
                                           {"learning_rate", 1e-300}};
    size_t len = metrics_line_format(line, 7, values, 5);
    assert_string_equal(line, "{\"step\":7,\"loss\":3.25,\"step_ms\":0.100000001,"
                              "\"gradient_norm\":null,\"tokens_per_s\":null,"
                              "\"learning_rate\":1e-300}\n");
    assert_int_equal(len, strlen(line));
}

static void the_longest_line_fits(void **state)
{
    (void)state;
    char line[METRICS_LINE_BYTES_MAX];
    struct metrics_value values[METRICS_VALUES_MAX];
    for (size_t i = 0; i < METRICS_VALUES_MAX; i++)
        values[i] = (struct metrics_value){"validation_loss", -DBL_TRUE_MIN * 3};
    size_t len = metrics_line_format(line, INT64_MIN, values, METRICS_VALUES_MAX);
    assert_true(len < METRICS_LINE_BYTES_MAX);
    len = metrics_line_format(line, INT64_MAX, values, METRICS_VALUES_MAX);
    assert_true(len < METRICS_LINE_BYTES_MAX);
    int64_t step;
    assert_true(metrics_line_step(&step, line, len - 1));
    assert_true(step == INT64_MAX);
}

static void the_step_of_a_line_is_read_and_nothing_else(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "{}",
                                      "{\"step\":}",
                                      "{\"step\":1",
                                      "{\"step\":1.5}",
                                      "\"step\":",
                                      "{\"step\":-1}",
                                      "{\"step\":--1}",
                                      "{\"step\":1}x",
                                      "{\"loss\":1}",
                                      "{\"step\": 1}",
                                      "{\"step\":12345678901234567890123}",
                                      "{\"step\":9223372036854775808}"};
    int64_t step = 0;
    assert_true(metrics_line_step(&step, "{\"step\":12}", 11));
    assert_int_equal(step, 12);
    assert_true(metrics_line_step(&step, "{\"step\":3,\"loss\":1}", 19));
    assert_int_equal(step, 3);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(metrics_line_step(&step, bad[i], strlen(bad[i])));
}

/* Open at a step, add a line, close. */
static enum status add_line(struct folder *d, int64_t first_step, const char *line,
                            struct err *err)
{
    struct append_file f;
    *err = (struct err)ERR_INIT;
    enum status st = metrics_lines_open(&f, d->dir, first_step, err);
    if (!st)
        st = append_file_add(&f, line, strlen(line), err);
    append_file_close(&f);
    return st;
}

static void a_resumed_run_drops_what_it_will_write_again(void **state)
{
    struct folder *d = *state;
    struct err err;
    folder_write(d, "metrics.jsonl",
                 "{\"step\":0,\"loss\":3}\n{\"step\":10,\"loss\":2}\n"
                 "{\"step\":20,\"loss\":1}\n{\"step\":30,\"loss\":1}\n");
    assert_int_equal(add_line(d, 20, "{\"step\":20}\n", &err), STATUS_OK);
    assert_file(d, "metrics.jsonl",
                "{\"step\":0,\"loss\":3}\n{\"step\":10,\"loss\":2}\n"
                "{\"step\":20}\n");
    assert_int_equal(add_line(d, 1000, "{\"step\":1000}\n", &err), STATUS_OK);
    assert_file(d, "metrics.jsonl",
                "{\"step\":0,\"loss\":3}\n{\"step\":10,\"loss\":2}\n"
                "{\"step\":20}\n{\"step\":1000}\n");
}

static void a_torn_last_line_is_removed(void **state)
{
    struct folder *d = *state;
    struct err err;
    static const char *const torn[] = {"{\"step\":10,\"lo", "{",
                                       "{\"step\":10,\"loss\":2}", "garbage"};
    for (size_t i = 0; i < sizeof torn / sizeof *torn; i++) {
        char text[128];
        snprintf(text, sizeof text, "{\"step\":0}\n%s", torn[i]);
        folder_write(d, "metrics.jsonl", text);
        assert_int_equal(add_line(d, 50, "{\"step\":50}\n", &err), STATUS_OK);
        assert_file(d, "metrics.jsonl", "{\"step\":0}\n{\"step\":50}\n");
        folder_write(d, "metrics.jsonl", torn[i]);
        assert_int_equal(add_line(d, 50, "{\"step\":50}\n", &err), STATUS_OK);
        assert_file(d, "metrics.jsonl", "{\"step\":50}\n");
    }
}

static void a_file_of_something_else_is_not_touched(void **state)
{
    struct folder *d = *state;
    struct err err;
    char message[256];
    static const char other[] = "{\"epoch\":1}\n{\"epoch\":2}\n";
    folder_write(d, "metrics.jsonl", other);
    assert_int_equal(add_line(d, 5, "{\"step\":5}\n", &err), STATUS_INPUT);
    snprintf(message, sizeof message,
             "%s/metrics.jsonl: line 1 is not a line of metrics; move the file away or "
             "choose another log_dir",
             d->dir);
    assert_string_equal(err.text, message);
    assert_file(d, "metrics.jsonl", other);
    static const char mixed[] = "{\"step\":1}\nwhat?\n{\"step\":2}\n";
    folder_write(d, "metrics.jsonl", mixed);
    assert_int_equal(add_line(d, 5, "{\"step\":5}\n", &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "line 2 is not"));
    assert_file(d, "metrics.jsonl", mixed);
}

static void a_very_long_line_is_none_of_ours(void **state)
{
    struct folder *d = *state;
    struct err err;
    size_t len = 3 * METRICS_LINE_BYTES_MAX;
    char *text = mem_zalloc(len + 1, 1);
    memset(text, '{', len);
    text[len - 1] = '\n';
    folder_write(d, "metrics.jsonl", text);
    assert_int_equal(add_line(d, 5, "{\"step\":5}\n", &err), STATUS_INPUT);
    mem_free(text);
}

static void a_new_run_keeps_the_old_one_under_a_number(void **state)
{
    struct folder *d = *state;
    struct err err;
    folder_write(d, "metrics.jsonl", "{\"step\":0}\n{\"step\":1}\n");
    folder_write(d, "metrics.1.jsonl", "older\n");
    assert_int_equal(add_line(d, 0, "{\"step\":0}\n", &err), STATUS_OK);
    assert_file(d, "metrics.1.jsonl", "older\n");
    assert_file(d, "metrics.2.jsonl", "{\"step\":0}\n{\"step\":1}\n");
    assert_file(d, "metrics.jsonl", "{\"step\":0}\n");
}

static void two_runs_cannot_share_a_folder(void **state)
{
    struct folder *d = *state;
    struct err err = ERR_INIT;
    struct append_file first;
    char message[256];
    assert_int_equal(metrics_lines_open(&first, d->dir, 0, &err), STATUS_OK);
    snprintf(message, sizeof message,
             "another training writes to %s/metrics.jsonl; choose another log_dir",
             d->dir);
    for (int64_t step = 0; step < 2; step++) {
        assert_int_equal(add_line(d, step, "{\"step\":1}\n", &err), STATUS_ENVIRONMENT);
        assert_string_equal(err.text, message);
    }
    append_file_close(&first);
    assert_int_equal(add_line(d, 1, "{\"step\":1}\n", &err), STATUS_OK);
}

static void what_is_no_file_is_refused(void **state)
{
    struct folder *d = *state;
    struct err err;
    assert_int_equal(mkdir(folder_path(d, "metrics.jsonl"), 0777), 0);
    assert_int_not_equal(add_line(d, 5, "{}\n", &err), STATUS_OK);
    assert_non_null(strstr(err.text, "metrics.jsonl"));
    rmdir(folder_path(d, "metrics.jsonl"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_one_json_object),
        cmocka_unit_test(the_longest_line_fits),
        cmocka_unit_test(the_step_of_a_line_is_read_and_nothing_else),
        test_in_folder(a_resumed_run_drops_what_it_will_write_again),
        test_in_folder(a_torn_last_line_is_removed),
        test_in_folder(a_file_of_something_else_is_not_touched),
        test_in_folder(a_very_long_line_is_none_of_ours),
        test_in_folder(a_new_run_keeps_the_old_one_under_a_number),
        test_in_folder(two_runs_cannot_share_a_folder),
        test_in_folder(what_is_no_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
