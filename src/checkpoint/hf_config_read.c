#include "checkpoint/hf_config.h"
#include "checkpoint/hf_config_fields.h"
#include "checkpoint/shape_json.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *type;
    const char *architectures[2]; /* with a head, and without */
} families[] = {
    [MODEL_FAMILY_GPT2] = {"gpt2", {"GPT2LMHeadModel", "GPT2Model"}},
    [MODEL_FAMILY_LLAMA] = {"llama", {"LlamaForCausalLM", "LlamaModel"}},
};
enum { FAMILIES = sizeof families / sizeof *families };

static enum status read_family(enum model_family *out, const struct json *config,
                               struct err *err)
{
    const struct json *list = json_get(config, "architectures");
    const char *type = json_string_or(json_get(config, "model_type"), "");
    const char *name =
        list && list->kind == JSON_KIND_ARRAY ? json_string_or(list->child, "") : "";
    for (int f = 0; f < FAMILIES; f++) {
        bool named = !strcmp(name, families[f].architectures[0]) ||
                     !strcmp(name, families[f].architectures[1]);
        bool typed = !strcmp(type, families[f].type);
        if ((named && (typed || !*type)) || (typed && !*name)) {
            *out = (enum model_family)f;
            return STATUS_OK;
        }
    }
    return err_set(err, STATUS_INPUT,
                   "config.json describes \"%.*s\" (model_type \"%.*s\"); Gait has "
                   "GPT2LMHeadModel and LlamaForCausalLM",
                   CONFIG_SHOWN_MAX, name, CONFIG_SHOWN_MAX, type);
}

static enum status read_gpt2(struct model_shape *s, const struct json *c, struct err *err)
{
    enum status st = config_size(&s->layers, c, "n_layer", err);
    if (!st)
        st = config_size(&s->heads, c, "n_head", err);
    if (!st)
        st = config_size(&s->width, c, "n_embd", err);
    if (!st)
        st = config_size(&s->context, c, "n_positions", err);
    if (!st && s->width > INT64_MAX / 4)
        st = config_refuse(err, "n_embd", "it is too large");
    if (!st)
        st = config_size_or(&s->hidden, c, "n_inner", 4 * s->width, err);
    if (!st)
        st = config_positive_or(&s->norm_epsilon, json_get(c, "layer_norm_epsilon"),
                                "layer_norm_epsilon", 1e-5, err);
    if (!st)
        st = config_need_text(c, "activation_function", "gelu_new", err);
    if (!st)
        st = config_need_bool(c, "scale_attn_weights", true, err);
    if (!st)
        st = config_need_bool(c, "scale_attn_by_inverse_layer_idx", false, err);
    if (!st)
        st = config_need_bool(c, "add_cross_attention", false, err);
    s->kv_heads = s->heads;
    s->bias = true;
    return st;
}

static enum status check_head_dim(const struct model_shape *s, const struct json *c,
                                  struct err *err)
{
    int64_t dim;
    if (s->width % s->heads)
        return config_refuse(err, "num_attention_heads", "it must divide hidden_size");
    enum status st = config_size_or(&dim, c, "head_dim", s->width / s->heads, err);
    if (st || dim == s->width / s->heads)
        return st;
    return err_set(err, STATUS_INPUT,
                   "config.json: head_dim is %" PRId64
                   "; Gait's models have hidden_size / "
                   "num_attention_heads, here %" PRId64 ", only",
                   dim, s->width / s->heads);
}

static enum status read_llama(struct model_shape *s, const struct json *c,
                              struct err *err)
{
    enum status st = config_size(&s->layers, c, "num_hidden_layers", err);
    if (!st)
        st = config_size(&s->heads, c, "num_attention_heads", err);
    if (!st)
        st = config_size_or(&s->kv_heads, c, "num_key_value_heads", s->heads, err);
    if (!st)
        st = config_size(&s->width, c, "hidden_size", err);
    if (!st)
        st = config_size(&s->hidden, c, "intermediate_size", err);
    if (!st)
        st = config_size(&s->context, c, "max_position_embeddings", err);
    if (!st)
        st = config_positive_or(&s->norm_epsilon, json_get(c, "rms_norm_eps"),
                                "rms_norm_eps", 1e-6, err);
    if (!st)
        st = config_need_text(c, "hidden_act", "silu", err);
    if (!st)
        st = config_need_bool(c, "attention_bias", false, err);
    if (!st)
        st = config_need_bool(c, "mlp_bias", false, err);
    if (!st)
        st = check_head_dim(s, c, err);
    return st ? st : config_rope(s, c, err);
}

/* An id, or the first of several; -1 where there is none. */
static int64_t token_id_of(const struct json *j)
{
    if (j && j->kind == JSON_KIND_ARRAY)
        j = j->child;
    int64_t id = json_int_or(j, -1);
    return id < 0 ? -1 : id;
}

enum status hf_config_read(struct model_shape *shape, struct hf_special_tokens *special,
                           const struct json *config, struct err *err)
{
    *shape = (struct model_shape){0};
    if (config->kind != JSON_KIND_OBJECT)
        return err_set(err, STATUS_INPUT, "config.json is not an object");
    if (!config_is_null(json_get(config, "quantization_config")))
        return config_refuse(err, "quantization_config",
                             "quantized weights are not read; save "
                             "the model in bf16 or f32");
    enum status st = read_family(&shape->family, config, err);
    if (!st)
        st = config_size(&shape->vocab, config, "vocab_size", err);
    /* GPT-2's default is a tied head, Llama's is not. */
    bool tied = shape->family == MODEL_FAMILY_GPT2;
    if (!st)
        st = config_bool_or(&shape->tied, config, "tie_word_embeddings", tied, err);
    if (!st)
        st = (shape->family == MODEL_FAMILY_GPT2 ? read_gpt2 : read_llama)(shape, config,
                                                                           err);
    if (st)
        return st;
    if (special)
        *special = (struct hf_special_tokens){
            .bos = token_id_of(json_get(config, "bos_token_id")),
            .eos = token_id_of(json_get(config, "eos_token_id")),
        };
    struct err why = ERR_INIT;
    st = shape_check(shape, &why);
    return st ? config_refuse(err, "the model", why.text) : STATUS_OK;
}

enum status hf_config_parse(struct model_shape *shape, struct hf_special_tokens *special,
                            const char *text, size_t len, struct err *err)
{
    struct arena a;
    const struct json *config;
    struct err why = ERR_INIT;
    arena_init(&a);
    enum status st = json_read(&config, &a, text, len, &why);
    if (st)
        err_set_at(err, st, why.offset, "config.json: %s", why.text);
    else
        st = hf_config_read(shape, special, config, err);
    arena_release(&a);
    return st;
}
