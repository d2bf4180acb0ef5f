/* A training that updates some tensors a step, stopped and gone on with: the same bits,
 * whatever of the optimizer's state it needs. */
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "checkpoint/durable.h"
#include "train/save.h"
#include "train_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 12, HALF = 5 };

static char dir[] = "/tmp/gait_top_k_XXXXXX";

static int make_dir(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/gait_top_k_XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
    (void)state;
    return durable_remove(dir, NULL) != STATUS_OK;
}

/* Steps up to `end`, from the last checkpoint in `part` of dir, and saved there. */
static enum status train_until(int64_t end, const char *part, const char *optimizer,
                               int64_t top_k, struct err *err)
{
    struct config c;
    struct trainer t;
    struct step_report report;
    char *path = path_join(dir, part);
    small_config(&c);
    c.top_k = top_k;
    assert_int_equal(config_set(&c, "optimizer", optimizer, NULL), STATUS_OK);
    assert_int_equal(config_set(&c, "checkpoint_dir", path, NULL), STATUS_OK);
    enum status s = trainer_open(&t, &c, err);
    if (s == STATUS_OK) {
        for (int64_t i = t.first_step; i < end && s == STATUS_OK; i++)
            s = trainer_step(&t, i, &report, err);
        if (s == STATUS_OK)
            s = save_to(path, &t, end, err);
        trainer_close(&t, s);
    }
    mem_free(path);
    config_release(&c);
    return s;
}

static char *read_part(size_t *len, const char *part, const char *file)
{
    struct strbuf path;
    char *text;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/%s/step-%08d/%s", dir, part, STEPS, file);
    assert_int_equal(file_read(&text, len, path.s, 1 << 24, NULL), STATUS_OK);
    strbuf_release(&path);
    return text;
}

static void expect_same_file(const char *a, const char *b, const char *file)
{
    size_t n[2];
    char *text[2] = {read_part(&n[0], a, file), read_part(&n[1], b, file)};
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(text[0], text[1], n[0]);
    mem_free(text[0]);
    mem_free(text[1]);
}

static void train_well(int64_t end, const char *part, const char *optimizer,
                       int64_t top_k)
{
    struct err err = ERR_INIT;
    if (train_until(end, part, optimizer, top_k, &err) != STATUS_OK)
        fail_msg("%s", err.text);
}

/* state.json has the counts of updates, and differs by checkpoint_dir alone. */
static char *read_position(const char *part)
{
    size_t len;
    char *text = read_part(&len, part, "state.json");
    char *begin = strstr(text, "\"position\""), *end = strstr(text, "\"files\"");
    assert_true(begin && end > begin);
    char *position = mem_strndup(begin, (size_t)(end - begin));
    mem_free(text);
    return position;
}

static void a_resumed_run_is_the_same_to_the_bit(void **state)
{
    (void)state;
    static const char *const optimizers[] = {"adamw", "sgd"};
    for (int i = 0; i < 2; i++) {
        char whole[32], halves[32];
        snprintf(whole, sizeof whole, "%s-whole", optimizers[i]);
        snprintf(halves, sizeof halves, "%s-halves", optimizers[i]);
        train_well(STEPS, whole, optimizers[i], 3);
        train_well(HALF, halves, optimizers[i], 3);
        train_well(STEPS, halves, optimizers[i], 3);
        expect_same_file(whole, halves, "model.safetensors");
        expect_same_file(whole, halves, "optimizer.safetensors");
        char *a = read_position(whole), *b = read_position(halves);
        assert_string_equal(a, b);
        assert_non_null(strstr(a, "wte.weight "));
        mem_free(a);
        mem_free(b);
    }
}

/* Also where tensors were all updated so far: each as often as there were steps. */
static void a_checkpoint_without_counts_goes_on(void **state)
{
    (void)state;
    train_well(STEPS, "all", "adamw", 0);
    train_well(HALF, "later", "adamw", 0);
    train_well(STEPS, "later", "adamw", 1000); /* more than there are: all */
    expect_same_file("all", "later", "model.safetensors");
    expect_same_file("all", "later", "optimizer.safetensors");
    char *counts = read_position("later"), *none = read_position("all");
    assert_non_null(strstr(counts, "wte.weight 12,"));
    assert_null(strstr(none, "updates"));
    mem_free(counts);
    mem_free(none);
}

static void counts_are_not_dropped_without_a_word(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    train_well(HALF, "some", "adamw", 3);
    assert_int_equal(train_until(STEPS, "some", "adamw", 0, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "was trained with top_k"));
    train_well(STEPS, "some", "adamw", 1000);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_dir, remove_dir)
    const struct CMUnitTest tests[] = {
        TEST(a_resumed_run_is_the_same_to_the_bit),
        TEST(a_checkpoint_without_counts_goes_on),
        TEST(counts_are_not_dropped_without_a_word),
    };
    log_quiet(true);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
