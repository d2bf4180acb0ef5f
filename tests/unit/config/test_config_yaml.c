#include "cmocka_setup.h"

#include "base/file.h"
#include "base/mem.h"
#include "config/config.h"

#include <stdio.h>
#include <string.h>

/* Parse text; returns the status, the err in *err, the settings in *c. */
static enum status parse(struct config *c, const char *text, struct err *err)
{
    config_init(c);
    *err = (struct err)ERR_INIT;
    return config_parse_yaml(c, text, strlen(text), "c.yaml", err);
}

static void assert_refused(const char *text, const char *message)
{
    struct config c, defaults;
    struct err err;
    config_init(&defaults);
    assert_int_equal(parse(&c, text, &err), STATUS_USAGE);
    assert_string_equal(err.text, message);
    assert_true(config_equal(&c, &defaults));
    config_release(&c);
    config_release(&defaults);
}

static void keys_stand_at_the_top_or_under_their_section(void **state)
{
    (void)state;
    struct config c;
    struct err err;
    assert_int_equal(
        parse(&c,
              "layers: 6\ntraining:\n  batch_size: 3\n  learning_rate: 3.0e-4\n"
              "model:\n  model: gpt2\n  bias: no\ndataset: a b.txt\n",
              &err),
        STATUS_OK);
    assert_int_equal(c.layers, 6);
    assert_int_equal(c.batch_size, 3);
    assert_true(c.learning_rate == 3.0e-4);
    assert_false(c.bias);
    assert_string_equal(c.dataset, "a b.txt");
    assert_int_equal(c.heads, 4);
    config_release(&c);
}

static void empty_files_mean_all_defaults(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",      "\n\n", "# only a comment\n",
        "---\n", "{}\n", "\xef\xbb\xbf# with a mark of byte order\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct config c, defaults;
        struct err err;
        config_init(&defaults);
        assert_int_equal(parse(&c, texts[i], &err), STATUS_OK);
        assert_true(config_equal(&c, &defaults));
        config_release(&c);
        config_release(&defaults);
    }
}

static void an_unknown_key_names_the_nearest(void **state)
{
    (void)state;
    assert_refused("layers: 2\nbath_size: 3\n",
                   "c.yaml:2: unknown key \"bath_size\"; did you mean batch_size?");
    assert_refused("lr: 3\n",
                   "c.yaml:1: unknown key \"lr\"; did you mean learning_rate?");
    assert_refused("zzzzzz: 3\n",
                   "c.yaml:1: unknown key \"zzzzzz\"; `gait config` lists all keys");
    assert_refused("batch-size: 3\n",
                   "c.yaml:1: unknown key \"batch-size\"; did you mean batch_size?");
    assert_refused("optimizer:\n  lr: 3\n",
                   "c.yaml:2: optimizer wants one value, not a list or a mapping");
}

static void other_names_are_taken(void **state)
{
    (void)state;
    struct config c, defaults;
    struct err err;
    config_init(&defaults);
    assert_int_equal(parse(&c, "training:\n  train_batch_size: 512\n", &err), STATUS_OK);
    assert_int_equal(c.batch_size, 512);
    config_release(&c);
    assert_refused("train_batch_size: 0\n",
                   "c.yaml:1: batch_size is \"0\"; allowed: a whole number from 1 to "
                   "1048576");
    assert_refused("train_batch_size: 3\nbatch_size: 4\n",
                   "c.yaml:2: batch_size is given twice, first in line 1; keep one");
    assert_int_equal(
        parse(&c, "training:\n  use_compile: true\n  pin_memory: True\n", &err),
        STATUS_OK);
    assert_true(config_equal(&c, &defaults));
    config_release(&c);
    assert_refused("use_compile: [1]\n",
                   "c.yaml:1: use_compile wants one value, not a list or a mapping");
    config_release(&defaults);
}

static void a_value_out_of_range_names_the_range(void **state)
{
    (void)state;
    assert_refused("training:\n\n  batch_size: 0\n",
                   "c.yaml:3: batch_size is \"0\"; allowed: a whole number from 1 to "
                   "1048576");
    assert_refused("beta1: 1.5\n",
                   "c.yaml:1: beta1 is \"1.5\"; allowed: a number from 0 to 0.999999");
    assert_refused("layers: 2.5\n",
                   "c.yaml:1: layers is \"2.5\"; allowed: a whole number from 1 to 1024");
    assert_refused("bias: 1\n", "c.yaml:1: bias is \"1\"; allowed: true or false");
    assert_refused(
        "engine: mkl\n",
        "c.yaml:1: engine is \"mkl\"; allowed: auto or onednn or own or reference");
    assert_refused("dropout: 1\n",
                   "c.yaml:1: dropout is \"1\"; allowed: a number from 0 to 0.99");
    assert_refused("device: cuda\n",
                   "c.yaml:1: device is \"cuda\"; allowed: auto or cpu");
    assert_refused("layers: \"2\"\n",
                   "c.yaml:1: layers is the text \"2\"; remove the quotes");
    assert_refused("layers:\n", "c.yaml:1: layers has no value; give one");
    assert_refused("checkpoint_dir: ~\n",
                   "c.yaml:1: checkpoint_dir has no value; give one, or \"\" for none");
}

static void a_key_given_twice_is_an_error(void **state)
{
    (void)state;
    assert_refused("layers: 2\nlayers: 2\n",
                   "c.yaml:2: layers is given twice, first in line 1; keep one");
    assert_refused("layers: 2\nmodel:\n  layers: 2\n",
                   "c.yaml:3: layers is given twice, first in line 1; keep one");
    assert_refused("model: {heads: 2}\nmodel: {heads: 2}\n",
                   "c.yaml:2: heads is given twice, first in line 1; keep one");
}

static void a_key_under_another_section_is_an_error(void **state)
{
    (void)state;
    assert_refused(
        "model:\n  steps: 2\n",
        "c.yaml:2: steps stands under model:; it belongs under training: or at "
        "the top");
}

static void what_yaml_can_say_beyond_that_is_refused(void **state)
{
    (void)state;
    assert_refused("a: &x 1\n",
                   "c.yaml:1: unknown key \"a\"; `gait config` lists all keys");
    assert_refused("layers: &x 1\n",
                   "c.yaml:1: anchors (&name) are not supported; remove it");
    assert_refused("&x layers: 1\n",
                   "c.yaml:1: anchors (&name) are not supported; remove it");
    assert_refused("layers: *x\n",
                   "c.yaml:1: aliases (*name) are not supported; repeat the value");
    assert_refused("layers: !!int 3\n",
                   "c.yaml:1: tags (!name) are not supported; remove it");
    assert_refused("layers: [1, 2]\n",
                   "c.yaml:1: layers wants one value, not a list or a mapping");
    assert_refused("model:\n  heads:\n    x: 1\n",
                   "c.yaml:3: heads wants one value, not a list or a mapping");
    assert_refused("? [a, b]\n: 1\n",
                   "c.yaml:1: a key must be one word, as in `batch_size: 12`");
    assert_refused("layers: 1\n---\nheads: 2\n",
                   "c.yaml:2: a second document (---); keep one in a file");
    assert_refused("- layers\n", "c.yaml:1: this is not a list of settings; write `key: "
                                 "value` lines");
    assert_refused("layers:1\n", "c.yaml:1: this is not a list of settings; write `key: "
                                 "value` lines");
    assert_refused("dataset: \"a\\0b\"\n",
                   "c.yaml:1: dataset holds a NUL character; remove it");
}

static void a_section_holds_keys_or_nothing(void **state)
{
    (void)state;
    struct config c;
    struct err err;
    assert_int_equal(parse(&c, "model:\ntraining:\n  # steps: 3\n", &err), STATUS_OK);
    assert_int_equal(c.steps, 2000);
    config_release(&c);
    assert_refused("training: [1, 2]\n",
                   "c.yaml:1: training is a section; write its keys "
                   "below it, indented");
    assert_refused("training: fast\n", "c.yaml:1: training is a section; write its keys "
                                       "below it, indented");
    assert_refused("model: \"\"\n", "c.yaml:1: model is \"\"; allowed: gpt2 or llama");
}

static void broken_yaml_names_its_line(void **state)
{
    (void)state;
    assert_refused("layers: 2\n\theads: 3\n",
                   "c.yaml:2: not valid YAML: found a tab character that violates "
                   "indentation; write `key: value`");
    assert_refused("layers: 2\nheads 3\n",
                   "c.yaml:3: not valid YAML: could not find expected ':'; write `key: "
                   "value`");
    assert_refused("layers: 2\ndataset: \xff\n",
                   "c.yaml:2: invalid leading UTF-8 octet; the file must be plain UTF-8 "
                   "text");
}

static void a_message_never_carries_control_bytes(void **state)
{
    (void)state;
    assert_refused(
        "engine: \"\\e[31mred\\x9b\"\n",
        "c.yaml:1: engine is \"?[31mred?\"; allowed: auto or onednn or own or reference");
    assert_refused(
        "engine: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
        "c.yaml:1: engine is "
        "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…\"; "
        "allowed: auto or onednn or own or reference");
}

static void a_huge_file_is_refused_before_it_is_parsed(void **state)
{
    (void)state;
    size_t len = CONFIG_FILE_BYTES_MAX + 1;
    char *text = mem_alloc(len);
    memset(text, '[', len);
    struct config c;
    struct err err = ERR_INIT;
    config_init(&c);
    assert_int_equal(config_parse_yaml(&c, text, len, "big", &err), STATUS_INPUT);
    assert_int_equal(config_parse_yaml(&c, text, len - 1, "big", &err), STATUS_USAGE);
    mem_free(text);
    config_release(&c);
}

static void a_missing_file_is_bad_input(void **state)
{
    (void)state;
    struct config c;
    struct err err = ERR_INIT;
    config_init(&c);
    assert_int_equal(config_read_yaml(&c, "no/such.yaml", &err), STATUS_INPUT);
    assert_string_equal(err.text,
                        "cannot read no/such.yaml: no such file; check the path");
    config_release(&c);
}

static void what_is_printed_reads_back_equal(void **state)
{
    (void)state;
    struct config c, back;
    struct err err = ERR_INIT;
    config_init(&c);
    config_init(&back);
    assert_int_equal(config_set(&c, "learning_rate", "0.1234567890123456", &err), 0);
    assert_int_equal(config_set(&c, "seed", "9007199254740991", &err), 0);
    assert_int_equal(config_set(&c, "bias", "off", &err), 0);
    assert_int_equal(
        config_set(&c, "dataset", "a \"b\"\\\n\x01 # é \xc2\x85\xe2\x80\xa8 😀 'x'", &err),
        0);
    struct strbuf out;
    strbuf_init(&out);
    config_print_yaml(&c, &out);
    assert_int_equal(config_parse_yaml(&back, out.s, out.len, "out", &err), 0);
    assert_true(config_equal(&c, &back));
    assert_string_equal(c.dataset, back.dataset);
    assert_true(c.learning_rate == back.learning_rate);
    strbuf_release(&out);
    config_release(&c);
    config_release(&back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_stand_at_the_top_or_under_their_section),
        cmocka_unit_test(empty_files_mean_all_defaults),
        cmocka_unit_test(an_unknown_key_names_the_nearest),
        cmocka_unit_test(other_names_are_taken),
        cmocka_unit_test(a_value_out_of_range_names_the_range),
        cmocka_unit_test(a_key_given_twice_is_an_error),
        cmocka_unit_test(a_key_under_another_section_is_an_error),
        cmocka_unit_test(what_yaml_can_say_beyond_that_is_refused),
        cmocka_unit_test(a_section_holds_keys_or_nothing),
        cmocka_unit_test(broken_yaml_names_its_line),
        cmocka_unit_test(a_message_never_carries_control_bytes),
        cmocka_unit_test(a_huge_file_is_refused_before_it_is_parsed),
        cmocka_unit_test(a_missing_file_is_bad_input),
        cmocka_unit_test(what_is_printed_reads_back_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
