#include "checkpoint/hf_config.h"
#include "checkpoint/shape_json.h"

#include "cmocka_setup.h"

#include <string.h>

static const char gpt2_text[] =
    "{\"architectures\":[\"GPT2LMHeadModel\"],\"model_type\":\"gpt2\",\"n_layer\":12,"
    "\"n_head\":12,\"n_embd\":768,\"n_positions\":1024,\"vocab_size\":50257,"
    "\"activation_function\":\"gelu_new\",\"layer_norm_epsilon\":1e-05,"
    "\"bos_token_id\":50256,\"eos_token_id\":50256,\"n_ctx\":1024}";

static const char llama_text[] =
    "{\"architectures\":[\"LlamaForCausalLM\"],\"model_type\":\"llama\","
    "\"num_hidden_layers\":16,\"num_attention_heads\":32,\"num_key_value_heads\":8,"
    "\"hidden_size\":2048,\"intermediate_size\":8192,\"max_position_embeddings\":131072,"
    "\"vocab_size\":128256,\"tie_word_embeddings\":true,\"rms_norm_eps\":1e-05,"
    "\"eos_token_id\":[128001,128008],\"bos_token_id\":128000,\"rope_theta\":500000.0,"
    "\"rope_scaling\":{\"factor\":32.0,\"high_freq_factor\":4.0,\"low_freq_factor\":1.0,"
    "\"original_max_position_embeddings\":8192,\"rope_type\":\"llama3\"}}";

static void read_well(struct model_shape *shape, struct hf_special_tokens *special,
                      const char *text)
{
    struct err err = ERR_INIT;
    if (hf_config_parse(shape, special, text, strlen(text), &err))
        fail_msg("%s: %s", text, err.text);
}

static void gpt2_is_read_as_its_authors_wrote_it(void **state)
{
    (void)state;
    struct model_shape s;
    struct hf_special_tokens special;
    read_well(&s, &special, gpt2_text);
    assert_int_equal(s.family, MODEL_FAMILY_GPT2);
    assert_int_equal(s.layers, 12);
    assert_int_equal(s.heads, 12);
    assert_int_equal(s.kv_heads, 12);
    assert_int_equal(s.width, 768);
    assert_int_equal(s.hidden, 3072);
    assert_int_equal(s.context, 1024);
    assert_int_equal(s.vocab, 50257);
    assert_true(s.bias && s.tied);
    assert_int_equal(special.eos, 50256);
}

static void llama_3_2_is_read_as_its_authors_wrote_it(void **state)
{
    (void)state;
    struct model_shape s;
    struct hf_special_tokens special;
    read_well(&s, &special, llama_text);
    assert_int_equal(s.family, MODEL_FAMILY_LLAMA);
    assert_int_equal(s.kv_heads, 8);
    assert_int_equal(s.hidden, 8192);
    assert_true(!s.bias && s.tied && s.rope_scaling.on);
    assert_float_equal(s.rope_theta, 500000, 0);
    assert_float_equal(s.rope_scaling.factor, 32, 0);
    assert_int_equal(s.rope_scaling.original_context, 8192);
    assert_int_equal(special.bos, 128000);
    assert_int_equal(special.eos, 128001);
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    const char *const texts[] = {gpt2_text, llama_text};
    for (int i = 0; i < 2; i++)
        for (int scaled = 0; scaled < 2; scaled++) {
            struct model_shape s, back;
            struct hf_special_tokens special = {-1, -1}, special_back;
            struct strbuf text, differences;
            strbuf_init(&text);
            strbuf_init(&differences);
            read_well(&s, NULL, texts[i]);
            s.tied = scaled;
            if (!scaled)
                s.rope_scaling = (struct rope_scaling){0};
            special.eos = scaled ? 7 : -1;
            hf_config_write(&text, &s, &special, SAFETENSORS_DTYPE_BF16);
            read_well(&back, &special_back, text.s);
            if (shape_differences(&differences, &s, &back))
                fail_msg("%s", differences.s);
            assert_memory_equal(&special, &special_back, sizeof special);
            assert_non_null(strstr(text.s, "\"torch_dtype\": \"bfloat16\""));
            strbuf_release(&differences);
            strbuf_release(&text);
        }
}

/* Version 5 of transformers puts it all into rope_parameters. */
static void rope_is_found_where_each_version_puts_it(void **state)
{
    (void)state;
    static const struct {
        const char *rope;
        double theta;
        bool scaled;
    } forms[] = {
        {"", 10000, false},
        {",\"rope_theta\":5", 5, false},
        {",\"rope_theta\":5,\"rope_scaling\":null", 5, false},
        {",\"rope_theta\":5,\"rope_scaling\":{}", 5, false},
        {",\"rope_parameters\":{\"rope_type\":\"default\",\"rope_theta\":7.5}", 7.5,
         false},
        {",\"rope_theta\":5,\"rope_parameters\":{\"rope_theta\":7}", 7, false},
        {",\"rope_parameters\":{\"rope_type\":\"llama3\",\"rope_theta\":7,\"factor\":8,"
         "\"low_freq_factor\":1,\"high_freq_factor\":4}",
         7, true},
        {",\"rope_theta\":5,\"rope_scaling\":{\"type\":\"llama3\",\"factor\":8,"
         "\"low_freq_factor\":1,\"high_freq_factor\":4},\"rope_parameters\":{}",
         5, true},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct model_shape s;
        struct strbuf text;
        strbuf_init(&text);
        strbuf_printf(
            &text,
            "{\"model_type\":\"llama\",\"num_hidden_layers\":1,\"hidden_size\":8,"
            "\"num_attention_heads\":2,\"intermediate_size\":4,\"vocab_size\":9,"
            "\"max_position_embeddings\":32%s}",
            forms[i].rope);
        read_well(&s, NULL, text.s);
        assert_float_equal(s.rope_theta, forms[i].theta, 0);
        assert_int_equal(s.rope_scaling.on, forms[i].scaled);
        if (forms[i].scaled)
            assert_int_equal(s.rope_scaling.original_context, 32);
        assert_false(s.tied);
        strbuf_release(&text);
    }
}

static void refuse(const char *text, const char *part, const char *by, const char *says)
{
    struct model_shape s;
    struct err err = ERR_INIT;
    struct strbuf changed;
    strbuf_init(&changed);
    const char *at = strstr(text, part);
    assert_non_null(at);
    strbuf_add(&changed, text, (size_t)(at - text));
    strbuf_puts(&changed, by);
    strbuf_puts(&changed, at + strlen(part));
    if (hf_config_parse(&s, NULL, changed.s, changed.len, &err) != STATUS_INPUT ||
        !strstr(err.text, says) || !strstr(err.text, "config.json"))
        fail_msg("%s: \"%s\" does not say \"%s\"", by, err.text, says);
    strbuf_release(&changed);
}

static void what_gait_does_not_do_is_refused_by_name(void **state)
{
    (void)state;
    refuse(gpt2_text, "\"GPT2LMHeadModel\"", "\"BertModel\"", "BertModel");
    refuse(gpt2_text, "[\"GPT2LMHeadModel\"],\"model_type\":\"gpt2\"", "[]", "\"\"");
    refuse(gpt2_text, "gelu_new", "relu", "activation_function is \"relu\"");
    refuse(gpt2_text, "\"n_layer\":12", "\"n_layer\":1e9", "n_layer");
    refuse(gpt2_text, "\"n_layer\":12", "\"n_layer\":99999999", "layers = 99999999");
    refuse(gpt2_text, "\"n_ctx\":1024", "\"scale_attn_weights\":false",
           "scale_attn_weights is false");
    refuse(gpt2_text, "\"n_ctx\":1024", "\"scale_attn_weights\":1", "true or false");
    refuse(gpt2_text, "}", "", "config.json: ");
    refuse(gpt2_text, gpt2_text, "[]", "not an object");
    refuse(llama_text, "\"llama3\"", "\"yarn\"", "rope_type is \"yarn\"");
    refuse(llama_text, "\"factor\":32.0", "\"factor\":-1", "factor");
    refuse(llama_text, "\"hidden_size\":2048", "\"hidden_size\":2048,\"head_dim\":128",
           "head_dim is 128");
    refuse(llama_text, "\"hidden_size\":2048", "\"hidden_size\":2049", "must divide");
    refuse(llama_text, "\"hidden_size\":2048", "\"hidden_size\":2048,\"mlp_bias\":true",
           "mlp_bias is true");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpt2_is_read_as_its_authors_wrote_it),
        cmocka_unit_test(llama_3_2_is_read_as_its_authors_wrote_it),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(rope_is_found_where_each_version_puts_it),
        cmocka_unit_test(what_gait_does_not_do_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
