#include "checkpoint/shape_json.h"

#include "cmocka_setup.h"

#include <string.h>

static const struct model_shape llama = {.family = MODEL_FAMILY_LLAMA,
                                         .layers = 3,
                                         .heads = 8,
                                         .kv_heads = 2,
                                         .width = 64,
                                         .hidden = 172,
                                         .context = 4096,
                                         .vocab = 1000,
                                         .norm_epsilon = 1e-6,
                                         .rope_theta = 500000.1,
                                         .rope_scaling = {.on = true,
                                                          .factor = 8,
                                                          .low_freq_factor = 1,
                                                          .high_freq_factor = 4,
                                                          .original_context = 1024}};

static enum status read_text(struct model_shape *shape, const char *text, struct err *err)
{
    struct arena a;
    const struct json *j;
    arena_init(&a);
    assert_int_equal(json_read(&j, &a, text, strlen(text), NULL), STATUS_OK);
    enum status st = shape_read_json(shape, j, err);
    arena_release(&a);
    return st;
}

static void a_shape_reads_back_exactly(void **state)
{
    (void)state;
    struct model_shape gpt2 = llama, back;
    gpt2.family = MODEL_FAMILY_GPT2;
    gpt2.rope_theta = 0;
    gpt2.rope_scaling = (struct rope_scaling){0};
    gpt2.bias = gpt2.tied = true;
    const struct model_shape *shapes[] = {&llama, &gpt2};
    for (int i = 0; i < 2; i++) {
        struct strbuf text;
        struct err err = ERR_INIT;
        strbuf_init(&text);
        shape_write_json(&text, shapes[i]);
        if (read_text(&back, text.s, &err))
            fail_msg("%s: %s", text.s, err.text);
        assert_false(shape_differences(&text, shapes[i], &back));
        strbuf_release(&text);
    }
}

/* The text of llama with one part replaced must be refused with a word about it. */
static void refuse(const char *part, const char *by, const char *says)
{
    struct strbuf text, changed;
    struct model_shape shape;
    struct err err = ERR_INIT;
    strbuf_init(&text);
    strbuf_init(&changed);
    shape_write_json(&text, &llama);
    char *at = strstr(text.s, part);
    assert_non_null(at);
    strbuf_add(&changed, text.s, (size_t)(at - text.s));
    strbuf_puts(&changed, by);
    strbuf_puts(&changed, at + strlen(part));
    if (read_text(&shape, changed.s, &err) != STATUS_INPUT || !strstr(err.text, says))
        fail_msg("%s: \"%s\" does not say \"%s\"", by, err.text, says);
    strbuf_release(&changed);
    strbuf_release(&text);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    refuse("\"llama\"", "\"bert\"", "family");
    refuse("\"layers\":3,", "", "layers");
    refuse("\"layers\":3", "\"layers\":0", "layers = 0");
    refuse("\"layers\":3", "\"layers\":-3", "layers");
    refuse("\"layers\":3", "\"layers\":3.5", "layers");
    refuse("\"layers\":3", "\"layers\":\"3\"", "layers");
    refuse("\"vocab\":1000", "\"vocab\":99999999999", "vocab = 99999999999");
    refuse("\"heads\":8", "\"heads\":7", "heads must divide");
    refuse("\"kv_heads\":2", "\"kv_heads\":3", "heads must divide");
    refuse("\"width\":64", "\"width\":8", "even width");
    refuse("\"bias\":false", "\"bias\":0", "bias");
    refuse("\"tied\":false,", "", "tied");
    refuse("\"norm_epsilon\":1e-06", "\"norm_epsilon\":0", "norm_epsilon");
    refuse("\"norm_epsilon\":1e-06", "\"norm_epsilon\":1e999", "norm_epsilon");
    refuse("\"rope_theta\":500000.1,", "", "rope_theta");
    refuse("\"factor\":8,", "", "rope_scaling");
    refuse("\"original_context\":1024", "\"original_context\":0", "original context");
    refuse("\"high_freq_factor\":4", "\"high_freq_factor\":1", "high_freq_factor above");
}

static void every_difference_is_named(void **state)
{
    (void)state;
    struct model_shape other = llama;
    struct strbuf out;
    strbuf_init(&out);
    other.family = MODEL_FAMILY_GPT2;
    other.layers = 6;
    other.tied = true;
    other.norm_epsilon = 1e-5;
    assert_true(shape_differences(&out, &llama, &other));
    assert_string_equal(
        out.s, "model llama here, gpt2 in the file; layers 3 here, 6 in the file; "
               "tied_head false here, true in the file; norm_epsilon 1e-06 "
               "here, 1e-05 in the file");
    other = llama;
    other.rope_theta = 10000;
    other.rope_scaling.on = false;
    strbuf_clear(&out);
    assert_true(shape_differences(&out, &other, &llama));
    assert_string_equal(out.s,
                        "rope_theta 10000 here, 500000.1 in the file; rope_scaling "
                        "none here, llama3 in the file");
    strbuf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shape_reads_back_exactly),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(every_difference_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
