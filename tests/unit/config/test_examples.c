/* The files in examples/ are configs that pass every check. */
#include "cmocka_setup.h"

#include "config/config.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define EXAMPLES_DIR TESTS_DIR "/../examples"

static void read_example(struct config *c, const char *name)
{
    char path[1024];
    struct err err = ERR_INIT;
    snprintf(path, sizeof path, "%s/%s", EXAMPLES_DIR, name);
    config_init(c);
    config_read_yaml(c, path, &err);
    assert_string_equal(err.text, "");
    config_check(c, &err);
    assert_string_equal(err.text, "");
}

static void every_example_passes_the_checks(void **state)
{
    (void)state;
    DIR *d = opendir(EXAMPLES_DIR);
    assert_non_null(d);
    int n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        struct config c;
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || strcmp(dot, ".yaml") != 0)
            continue;
        read_example(&c, e->d_name);
        config_release(&c);
        n++;
    }
    closedir(d);
    assert_true(n >= 5);
}

/* The test of the trainer's losses stands on this file. */
static void tiny_means_what_it_says_and_defaults_else(void **state)
{
    (void)state;
    static const char *const given[][2] = {{"steps", "1200"},
                                           {"learning_rate", "3e-3"},
                                           {"log_interval", "200"},
                                           {"eval_interval", "400"},
                                           {"eval_min_context", "32"}};
    struct config tiny, want;
    config_init(&want);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        assert_int_equal(config_set(&want, given[i][0], given[i][1], NULL), STATUS_OK);
    read_example(&tiny, "tiny.yaml");
    assert_true(config_equal(&tiny, &want));
    config_release(&tiny);
    config_release(&want);
}

/* What a file without the newer settings trains: as before there were any. */
static void defaults_are_the_plain_trainer(void **state)
{
    (void)state;
    struct config c;
    config_init(&c);
    assert_string_equal(c.model, "gpt2");
    assert_string_equal(c.precision, "f32");
    assert_string_equal(c.attention, "tiled");
    assert_string_equal(c.optimizer, "adamw");
    assert_string_equal(c.schedule, "cosine");
    assert_string_equal(c.tokenizer, "auto");
    assert_string_equal(c.init_from, "");
    assert_string_equal(c.log_dir, "");
    assert_string_equal(c.checkpoint_dir, "");
    assert_int_equal(c.gradient_accumulation, 1);
    assert_int_equal(c.epochs, 0);
    assert_int_equal(c.max_chars, 0);
    assert_true(c.dropout == 0 && !c.recompute && c.shuffle);
    config_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_passes_the_checks),
        cmocka_unit_test(tiny_means_what_it_says_and_defaults_else),
        cmocka_unit_test(defaults_are_the_plain_trainer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
