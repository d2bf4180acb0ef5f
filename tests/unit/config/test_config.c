#include "cmocka_setup.h"

#include "config/config.h"
#include "config/number_text.h"

#include <stdio.h>
#include <string.h>

static void flags_take_dashes_and_underscores(void **state)
{
    (void)state;
    struct config c;
    struct err err = ERR_INIT;
    config_init(&c);
    assert_int_equal(config_set(&c, "batch-size", "8", &err), STATUS_OK);
    assert_int_equal(c.batch_size, 8);
    assert_int_equal(config_set(&c, "batch_size", "1_000", &err), STATUS_OK);
    assert_int_equal(c.batch_size, 1000);
    assert_true(config_has_key("min-learning-rate"));
    assert_false(config_has_key("min-learning"));
    assert_true(config_has_key("train-batch-size"));
    assert_int_equal(config_set(&c, "train-batch-size", "7", &err), STATUS_OK);
    assert_int_equal(c.batch_size, 7);
    assert_true(config_has_key("use-compile"));
    assert_int_equal(config_set(&c, "use-compile", "true", &err), STATUS_OK);
    config_release(&c);
}

static void a_wrong_flag_changes_nothing(void **state)
{
    (void)state;
    struct config c, defaults;
    struct err err = ERR_INIT;
    config_init(&c);
    config_init(&defaults);
    assert_int_equal(config_set(&c, "steps", "-1", &err), STATUS_USAGE);
    assert_string_equal(err.text,
                        "steps is \"-1\"; allowed: a whole number from 0 to 1000000000");
    assert_int_equal(config_set(&c, "stpes", "1", &err), STATUS_USAGE);
    assert_string_equal(err.text, "unknown setting \"stpes\"; did you mean steps?");
    assert_int_equal(config_set(&c, "engine", "", &err), STATUS_USAGE);
    assert_int_equal(config_set(&c, "engine", "auto|onednn|own|reference", &err),
                     STATUS_USAGE);
    assert_int_equal(config_set(&c, "dataset", "\xff", &err), STATUS_USAGE);
    assert_true(config_equal(&c, &defaults));
    config_release(&c);
    config_release(&defaults);
}

static void whole_numbers_take_these_forms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},        {"12", 12},
                {"+7", 7},       {"-3", -3},
                {"1_000", 1000}, {"1e6", 1000000},
                {"2.0e3", 2000}, {"5.", 5},
                {"1_0.0", 10},   {"9223372036854775807", INT64_MAX}};
    static const char *const bad[] = {
        "",    "-",    "1.5", "1e-3", "0x10", "010",  "1__0", "_1", "1_",
        "1e",  "1 ",   " 1",  "nan",  "inf",  "1:30", "1e19", ".",  "9223372036854775808",
        "0_1", "1e+-3"};
    int64_t v;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(number_parse_int(&v, good[i].text));
        assert_int_equal(v, good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(number_parse_int(&v, bad[i]));
}

static void reals_take_these_forms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0.1", 0.1}, {"1e-3", 1e-3},        {"3.0e-4", 3.0e-4},
                {".5", 0.5},  {"-1_000.5", -1000.5}, {"1E+2", 100},
                {"0", 0}};
    static const char *const bad[] = {"",    ".",     "e5",    "1e999",    ".inf",
                                      "1,5", "0x1p3", "1.5.2", "infinity", "00.1"};
    double v;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(number_parse_real(&v, good[i].text));
        assert_true(v == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(number_parse_real(&v, bad[i]));
}

static void a_number_is_printed_as_short_as_it_reads_back(void **state)
{
    (void)state;
    assert_string_equal(number_text(0.1).s, "0.1");
    assert_string_equal(number_text(1e-8).s, "1e-08");
    assert_string_equal(number_text(1.0 / 3).s, "0.3333333333333333");
}

static void booleans_are_six_words(void **state)
{
    (void)state;
    static const char *const words[] = {"true", "YES", "On", "false", "No", "off"};
    struct config c;
    struct err err = ERR_INIT;
    config_init(&c);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(config_set(&c, "bias", words[i], &err), STATUS_OK);
        assert_int_equal(c.bias, i < 3);
    }
    assert_int_equal(config_set(&c, "bias", "y", &err), STATUS_USAGE);
    config_release(&c);
}

static void assert_check(const char *const pairs[][2], size_t n, const char *message)
{
    struct config c;
    struct err err = ERR_INIT;
    config_init(&c);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(config_set(&c, pairs[i][0], pairs[i][1], &err), STATUS_OK);
    assert_int_equal(config_check(&c, &err), message ? STATUS_USAGE : STATUS_OK);
    assert_string_equal(err.text, message ? message : "");
    config_release(&c);
}

#define CHECK(message, ...)                                                              \
    do {                                                                                 \
        const char *const pairs[][2] = {__VA_ARGS__};                                    \
        assert_check(pairs, sizeof pairs / sizeof *pairs, message);                      \
    } while (0)

static void settings_that_contradict_each_other_are_refused(void **state)
{
    (void)state;
    CHECK(NULL, {"heads", "8"});
    CHECK("heads 3 does not divide width 128; set heads: 2 or width: 129",
          {"heads", "3"});
    CHECK("heads 200 does not divide width 128; set heads: 128 or width: 200",
          {"heads", "200"});
    CHECK("warmup_steps 100 is more than steps 50; the rate would never reach its peak; "
          "set warmup_steps to at most 50, for example --warmup_steps 5",
          {"steps", "50"});
    CHECK("min_learning_rate 0.0001 is above learning_rate 1e-05; lower "
          "min_learning_rate",
          {"learning_rate", "1e-5"});
    CHECK("eval_min_context 64 leaves no token of a context of 64 to score; set "
          "eval_min_context: 63 or less",
          {"eval_min_context", "64"});
    CHECK(
        "the built-in text keeps 100 characters for validation, fewer than a context of "
        "128 and the token after it; raise builtin_chars",
        {"builtin_chars", "1000"}, {"context", "128"});
    CHECK(NULL, {"builtin_chars", "1000"}, {"context", "128"}, {"dataset", "a.txt"});
}

static void a_model_that_cannot_be_is_refused(void **state)
{
    (void)state;
    CHECK(NULL, {"model", "llama"}, {"kv_heads", "2"}, {"bias", "true"});
    CHECK(NULL, {"kv_heads", "4"});
    CHECK("kv_heads 2 needs model: llama; gpt2 has as many as heads; set kv_heads: 0",
          {"kv_heads", "2"});
    CHECK("kv_heads 3 does not divide heads 4; set kv_heads: 2", {"model", "llama"},
          {"kv_heads", "3"});
    CHECK("kv_heads 8 does not divide heads 4; set kv_heads: 4", {"model", "llama"},
          {"kv_heads", "8"});
    CHECK("width 132 with 4 heads makes heads of 33, and llama turns pairs: an even size "
          "is needed; set width: 136",
          {"model", "llama"}, {"width", "132"});
    CHECK(NULL, {"width", "132"});
    CHECK(NULL, {"model", "llama"}, {"rope_scaling", "llama3"});
    CHECK("rope_scaling: llama3 needs model: llama; gpt2 has no rotary positions; set "
          "rope_scaling: none",
          {"rope_scaling", "llama3"});
    CHECK("rope_low_freq_factor 4 is not below rope_high_freq_factor 4; the models that "
          "use this scaling have 1 and 4",
          {"model", "llama"}, {"rope_scaling", "llama3"}, {"rope_low_freq_factor", "4"});
}

static void a_training_that_cannot_be_is_refused(void **state)
{
    (void)state;
    CHECK(NULL, {"gradient_accumulation", "4"});
    CHECK("gradient_accumulation 5 does not divide batch_size 12; set "
          "gradient_accumulation: 4 or batch_size: 15",
          {"gradient_accumulation", "5"});
    CHECK("gradient_accumulation 24 does not divide batch_size 12; set "
          "gradient_accumulation: 12 or batch_size: 24",
          {"gradient_accumulation", "24"});
    CHECK(NULL, {"schedule", "wsd"}, {"decay_fraction", "0.95"});
    CHECK("warmup_steps 100 and the last 1920 steps (decay_fraction 0.96) are more than "
          "steps 2000; lower decay_fraction to 0.95 or less",
          {"schedule", "wsd"}, {"decay_fraction", "0.96"});
    CHECK(NULL, {"schedule", "wsd"}, {"decay_fraction", "1"}, {"warmup_steps", "0"},
          {"steps", "0"});
    CHECK(NULL, {"epochs", "3"}, {"steps", "50"});
    CHECK(NULL, {"schedule", "constant"}, {"learning_rate", "1e-5"});
    CHECK("dataset is empty; set builtin, shakespeare or the path of a text",
          {"dataset", ""});
    CHECK("tokenizer is empty; set auto, bytes, chars, gpt2 or a path",
          {"tokenizer", ""});
    CHECK("the built-in text keeps 60 characters for validation, fewer than a context of "
          "64 and the token after it; raise max_chars",
          {"max_chars", "600"});
}

static void checkpoints_need_a_place(void **state)
{
    (void)state;
    CHECK(
        "resume: must needs a place for checkpoints; set checkpoint_dir, for example to "
        "\"models\"",
        {"resume", "must"});
    CHECK("checkpoint_interval needs a place for checkpoints; set checkpoint_dir, for "
          "example to \"models\"",
          {"checkpoint_interval", "5"});
    CHECK("checkpoint_epochs needs a place for checkpoints; set checkpoint_dir, for "
          "example to \"models\"",
          {"checkpoint_epochs", "5"});
    CHECK("checkpoint_minutes needs a place for checkpoints; set checkpoint_dir, for "
          "example to \"models\"",
          {"checkpoint_minutes", "0.5"});
    CHECK(NULL, {"checkpoint_minutes", "0.5"}, {"resume", "must"},
          {"checkpoint_dir", "models"});
}

static void a_metrics_file_has_a_name_that_is_read(void **state)
{
    (void)state;
    CHECK("metrics_file m.txt does not end in .prom, and node_exporter's textfile "
          "collector reads no other; set metrics_file: m.txt.prom",
          {"metrics_file", "m.txt"});
    CHECK(NULL, {"metrics_file", "m.prom"});
}

static void a_trial_is_not_published(void **state)
{
    (void)state;
    struct config c, trial;
    config_init(&c);
    c.metrics_port = 9464;
    config_set(&c, "metrics_file", "m.prom", NULL);
    config_set(&c, "metrics_otlp", "http://a", NULL);
    config_copy_for_trial(&trial, &c);
    assert_int_equal(trial.metrics_port, -1);
    assert_string_equal(trial.metrics_file, "");
    assert_string_equal(trial.metrics_otlp, "");
    config_release(&trial);
    config_release(&c);
}

static void a_run_is_checked_with_its_steps_and_ranks(void **state)
{
    (void)state;
    struct config c;
    struct err err = ERR_INIT;
    config_init(&c);
    c.epochs = 2;
    c.gradient_accumulation = 2;
    assert_int_equal(config_check_run(&c, 100, 3, &err), STATUS_OK);
    assert_int_equal(config_check_run(&c, 100, 4, &err), STATUS_USAGE);
    assert_string_equal(err.text,
                        "gradient_accumulation 2 on 4 ranks cuts a batch into 8 parts, "
                        "which batch_size 12 is not a multiple of; set batch_size: 16");
    assert_int_equal(config_check_run(&c, 99, 1, &err), STATUS_USAGE);
    assert_string_equal(
        err.text,
        "warmup_steps 100 is more than steps 99; the rate would never reach its "
        "peak; set warmup_steps to at most 99, for example --warmup_steps 9");
    config_release(&c);
}

static void every_setting_can_be_listed_and_set_to_its_own_value(void **state)
{
    (void)state;
    struct config c, defaults;
    struct err err = ERR_INIT;
    struct strbuf value;
    config_init(&c);
    config_init(&defaults);
    strbuf_init(&value);
    assert_true(config_count() > 20);
    for (size_t i = 0; i < config_count(); i++) {
        strbuf_clear(&value);
        config_value(&value, &defaults, i);
        assert_int_equal(config_set(&c, config_key(i), value.s, &err), STATUS_OK);
    }
    assert_true(config_equal(&c, &defaults));
    strbuf_release(&value);
    config_release(&c);
    config_release(&defaults);
}

static void help_and_reference_hold_every_key(void **state)
{
    (void)state;
    struct strbuf help, markdown;
    strbuf_init(&help);
    strbuf_init(&markdown);
    config_print_help(&help);
    config_print_markdown(&markdown);
    for (size_t i = 0; i < config_count(); i++) {
        char cell[80];
        snprintf(cell, sizeof cell, "| `%s` |", config_key(i));
        assert_non_null(strstr(markdown.s, cell));
    }
    assert_non_null(strstr(help.s, "  --batch-size N"));
    assert_non_null(strstr(help.s, "sequences a step, of all ranks together [12]"));
    strbuf_release(&help);
    strbuf_release(&markdown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_take_dashes_and_underscores),
        cmocka_unit_test(a_wrong_flag_changes_nothing),
        cmocka_unit_test(whole_numbers_take_these_forms),
        cmocka_unit_test(reals_take_these_forms),
        cmocka_unit_test(a_number_is_printed_as_short_as_it_reads_back),
        cmocka_unit_test(booleans_are_six_words),
        cmocka_unit_test(settings_that_contradict_each_other_are_refused),
        cmocka_unit_test(a_model_that_cannot_be_is_refused),
        cmocka_unit_test(a_training_that_cannot_be_is_refused),
        cmocka_unit_test(checkpoints_need_a_place),
        cmocka_unit_test(a_metrics_file_has_a_name_that_is_read),
        cmocka_unit_test(a_trial_is_not_published),
        cmocka_unit_test(a_run_is_checked_with_its_steps_and_ranks),
        cmocka_unit_test(every_setting_can_be_listed_and_set_to_its_own_value),
        cmocka_unit_test(help_and_reference_hold_every_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
