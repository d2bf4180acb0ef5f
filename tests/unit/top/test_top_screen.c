/* The screen of `gait top` as text, held against goldens at three sizes. UPDATE_GOLDEN=1
 * writes them anew. */
#include "top/top_screen.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text_fit.h"
#include "cmocka_setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t SECOND_NS = 1000000000;

static void fill_status(struct live_status *s)
{
    live_status_init(s);
    s->doing = LIVE_DOING_TRAINING;
    strcpy(s->model, "gpt2  4 layers × 128, 805 k parameters, f32 (onednn, checked)");
    strcpy(s->dataset, "builtin");
    strcpy(s->checkpoint_dir, "/home/user/runs/out");
    s->pid = 4711;
    s->begun_ns = 1000 * SECOND_NS;
    s->written_ns = 1071 * SECOND_NS;
    s->step = 400;
    s->steps = 5000;
    s->ranks = 1;
    s->loss = 2.31;
    s->validation_loss = 2.35;
    s->validation_step = 300;
    s->learning_rate = 1e-3;
    s->gradient_norm = 0.8;
    s->steps_per_s = 12.5;
    s->average_steps_per_s = 10;
    s->tokens_per_step = 768;
    s->data_wait_frac = 0.001;
    s->average_data_wait_frac = 0.002;
    s->plan_bytes = 40 << 20;
    s->peak_rss_bytes = 60 << 20;
    s->limit_bytes = 16.0 * (1 << 30);
    s->validation_s = 2.5;
    s->saving_s = 0.25;
    s->saved_step = 390;
    s->saved_ns = 1070 * SECOND_NS;
    s->phase_s[PHASE_DATA] = 0.002;
    s->phase_s[PHASE_FORWARD] = 0.025;
    s->phase_s[PHASE_BACKWARD] = 0.05;
    s->phase_s[PHASE_OPTIMIZER] = 0.003;
    for (int i = 1; i <= 400; i++)
        live_curve_add(&s->curve, i, 2.3 + 2 * exp(-i / 60.0), 768, 0.1);
}

static struct top_view view_of(const struct live_status *s)
{
    return (struct top_view){
        .status = s, .state = LIVE_RUNNING, .now_ns = 1072 * SECOND_NS, .keys = true};
}

/* No line is wider and there are no more than the terminal has. */
static void assert_fits(const char *text, int columns, int rows)
{
    int n = 0;
    char *copy = mem_strdup(text), *save = NULL;
    for (const char *p = text; p; p = strchr(p, '\n'), p += p ? 1 : 0)
        n++;
    assert_true(n <= rows);
    for (char *line = strtok_r(copy, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save))
        assert_true(text_columns(line) <= columns);
    mem_free(copy);
}

static void assert_golden(const struct strbuf *text, const char *name)
{
    char path[512], *golden = NULL;
    size_t len = 0;
    struct err err = ERR_INIT;
    snprintf(path, sizeof path, "%s/unit/top/golden/%s", TESTS_DIR, name);
    if (getenv("UPDATE_GOLDEN") && file_write(path, text->s, text->len, &err))
        fail_msg("%s", err.text);
    if (file_read(&golden, &len, path, 1 << 20, &err))
        fail_msg("%s", err.text);
    assert_string_equal(text->s, golden);
    mem_free(golden);
}

static void check_size(int columns, int rows, const char *golden)
{
    struct live_status *s = mem_zalloc(1, sizeof *s);
    struct strbuf out;
    fill_status(s);
    struct top_view view = view_of(s);
    strbuf_init(&out);
    top_screen(&out, &view, columns, rows);
    assert_fits(out.s, columns, rows);
    assert_golden(&out, golden);
    strbuf_release(&out);
    mem_free(s);
}

static void eighty_by_24(void **state)
{
    (void)state;
    check_size(80, 24, "top-80x24.txt");
}

static void two_hundred_by_60(void **state)
{
    (void)state;
    check_size(200, 60, "top-200x60.txt");
}

static void forty_by_10(void **state)
{
    (void)state;
    check_size(40, 10, "top-40x10.txt");
}

static void every_size_fits(void **state)
{
    (void)state;
    struct live_status *s = mem_zalloc(1, sizeof *s);
    struct strbuf out;
    fill_status(s);
    struct top_view view = view_of(s);
    view.others = 3;
    strbuf_init(&out);
    for (int columns = TOP_COLUMNS_MIN; columns <= 240; columns += 3)
        for (int rows = TOP_ROWS_MIN; rows <= 70; rows++) {
            strbuf_clear(&out);
            view.state = rows % 4;
            top_screen(&out, &view, columns, rows);
            assert_fits(out.s, columns, rows);
        }
    strbuf_release(&out);
    mem_free(s);
}

/* Draws with this state and returns the text; the caller releases it. */
static struct strbuf drawn(struct live_status *s, enum live_state state)
{
    struct strbuf out;
    struct top_view view = view_of(s);
    view.state = state;
    strbuf_init(&out);
    top_screen(&out, &view, 80, 24);
    return out;
}

static void assert_says(struct live_status *s, enum live_state state, const char *what)
{
    struct strbuf out = drawn(s, state);
    assert_non_null(strstr(out.s, what));
    strbuf_release(&out);
}

static void what_happened_to_it_is_said(void **state)
{
    (void)state;
    struct live_status *s = mem_zalloc(1, sizeof *s);
    fill_status(s);
    assert_says(s, LIVE_GONE,
                "It died without a word, 1 s ago or less.\nThe same command");
    assert_says(s, LIVE_SUSPENDED, "`kill -CONT 4711` lets it go on");
    s->doing = LIVE_DOING_ENDED;
    assert_says(s, LIVE_FINISHED, "It ended 1 s ago, all steps done.");
    s->doing = LIVE_DOING_FAILED;
    strcpy(s->said, "the disk is \033[2Jfull");
    assert_says(s, LIVE_FINISHED, "the disk is \xef\xbf\xbd[2Jfull");
    strcpy(s->said,
           "stopped after step 270 of 5000; nothing was saved: set checkpoint_dir "
           "to keep what a stopped run has learned");
    assert_says(s, LIVE_FINISHED, "stopped run has learned");
    struct strbuf over = drawn(s, LIVE_FINISHED);
    assert_null(strstr(over.s, "ETA"));
    strbuf_release(&over);
    s->doing = LIVE_DOING_TRAINING;
    s->written_ns = 1000 * SECOND_NS;
    assert_says(s, LIVE_RUNNING, "No word from it for 1m 12s");
    mem_free(s);
}

/* Before the first step nothing is known but the plan. */
static void a_training_that_starts_is_shown(void **state)
{
    (void)state;
    struct live_status *s = mem_zalloc(1, sizeof *s);
    live_status_init(s);
    s->steps = 10;
    s->begun_ns = s->written_ns = 1072 * SECOND_NS;
    struct strbuf out = drawn(s, LIVE_RUNNING);
    assert_non_null(strstr(out.s, "starting"));
    assert_null(strstr(out.s, "nan"));
    assert_null(strstr(out.s, "ETA"));
    strbuf_release(&out);
    mem_free(s);
}

/* The drawing has bounds of its own, whatever the status says. */
static void impossible_numbers_are_drawn_within_the_screen(void **state)
{
    (void)state;
    struct live_status *s = mem_zalloc(1, sizeof *s);
    fill_status(s);
    s->step = 20000000;
    s->steps = 1;
    s->phase_s[PHASE_DATA] = 1000;
    s->phase_s[PHASE_FORWARD] = -999.9;
    s->curve.n = 3;
    s->curve.point[0] = (struct live_point){1000000, 1, 1};
    s->curve.point[1] = (struct live_point){1000001, 0, 1};
    s->curve.point[2] = (struct live_point){0, 0.5, 1};
    struct strbuf out = drawn(s, LIVE_RUNNING);
    assert_fits(out.s, 80, 24);
    assert_non_null(strstr(out.s, " 100 %"));
    strbuf_release(&out);
    s->step = INT64_MIN;
    s->steps = INT64_MAX;
    s->written_ns = s->begun_ns = INT64_MIN;
    out = drawn(s, LIVE_RUNNING);
    assert_fits(out.s, 80, 24);
    strbuf_release(&out);
    mem_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eighty_by_24),
        cmocka_unit_test(two_hundred_by_60),
        cmocka_unit_test(forty_by_10),
        cmocka_unit_test(every_size_fits),
        cmocka_unit_test(what_happened_to_it_is_said),
        cmocka_unit_test(a_training_that_starts_is_shown),
        cmocka_unit_test(impossible_numbers_are_drawn_within_the_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
