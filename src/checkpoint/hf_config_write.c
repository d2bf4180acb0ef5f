#include "base/json_writer.h"
#include "checkpoint/hf_config.h"

#include <string.h>

/* With a point, whatever the number: older versions want a float there. */
static void field_float(struct json_writer *w, const char *key, double v)
{
    struct strbuf text;
    struct json_writer number;
    strbuf_init(&text);
    json_init(&number, &text);
    number.compact = true;
    json_exact(&number, v);
    if (!strpbrk(text.s, ".en"))
        strbuf_puts(&text, ".0");
    json_key(w, key);
    strbuf_puts(w->out, text.s);
    w->after_key = false;
    strbuf_release(&text);
}

static void field_bool(struct json_writer *w, const char *key, bool v)
{
    json_key(w, key);
    json_bool(w, v);
}

static void field_token(struct json_writer *w, const char *key, int64_t id)
{
    json_key(w, key);
    if (id < 0)
        json_null(w); /* said, for the default would be a token of another vocabulary */
    else
        json_int(w, id);
}

static void field_architecture(struct json_writer *w, const char *name)
{
    json_key(w, "architectures");
    json_begin_array(w);
    json_string(w, name);
    json_end(w);
}

static void write_gpt2(struct json_writer *w, const struct model_shape *s)
{
    field_architecture(w, "GPT2LMHeadModel");
    json_field_string(w, "model_type", "gpt2");
    json_field_string(w, "activation_function", "gelu_new");
    json_field_int(w, "n_layer", s->layers);
    json_field_int(w, "n_head", s->heads);
    json_field_int(w, "n_embd", s->width);
    json_field_int(w, "n_inner", s->hidden);
    json_field_int(w, "n_positions", s->context);
    json_field_int(w, "n_ctx", s->context);
    field_float(w, "layer_norm_epsilon", s->norm_epsilon);
    field_float(w, "attn_pdrop", 0);
    field_float(w, "embd_pdrop", 0);
    field_float(w, "resid_pdrop", 0);
    field_bool(w, "scale_attn_weights", true);
    field_bool(w, "scale_attn_by_inverse_layer_idx", false);
}

static void write_rope(struct json_writer *w, const char *key,
                       const struct model_shape *s, bool with_theta)
{
    const struct rope_scaling *r = &s->rope_scaling;
    json_key(w, key);
    json_begin_object(w);
    json_field_string(w, "rope_type", r->on ? "llama3" : "default");
    if (with_theta)
        field_float(w, "rope_theta", s->rope_theta);
    if (r->on) {
        field_float(w, "factor", r->factor);
        field_float(w, "low_freq_factor", r->low_freq_factor);
        field_float(w, "high_freq_factor", r->high_freq_factor);
        json_field_int(w, "original_max_position_embeddings", r->original_context);
    }
    json_end(w);
}

static void write_llama(struct json_writer *w, const struct model_shape *s)
{
    field_architecture(w, "LlamaForCausalLM");
    json_field_string(w, "model_type", "llama");
    json_field_string(w, "hidden_act", "silu");
    json_field_int(w, "num_hidden_layers", s->layers);
    json_field_int(w, "num_attention_heads", s->heads);
    json_field_int(w, "num_key_value_heads", s->kv_heads);
    json_field_int(w, "head_dim", s->width / s->heads);
    json_field_int(w, "hidden_size", s->width);
    json_field_int(w, "intermediate_size", s->hidden);
    json_field_int(w, "max_position_embeddings", s->context);
    field_float(w, "rms_norm_eps", s->norm_epsilon);
    field_bool(w, "attention_bias", false);
    field_bool(w, "mlp_bias", false);
    field_float(w, "attention_dropout", 0);
    /* version 4 reads these two, version 5 the third */
    field_float(w, "rope_theta", s->rope_theta);
    if (s->rope_scaling.on) {
        write_rope(w, "rope_scaling", s, false);
    } else {
        json_key(w, "rope_scaling");
        json_null(w);
    }
    write_rope(w, "rope_parameters", s, true);
}

void hf_config_write(struct strbuf *out, const struct model_shape *shape,
                     const struct hf_special_tokens *special,
                     enum safetensors_dtype dtype)
{
    const char *type = dtype == SAFETENSORS_DTYPE_BF16 ? "bfloat16" : "float32";
    struct json_writer w;
    json_init(&w, out);
    json_begin_object(&w);
    (shape->family == MODEL_FAMILY_GPT2 ? write_gpt2 : write_llama)(&w, shape);
    json_field_int(&w, "vocab_size", shape->vocab);
    field_bool(&w, "tie_word_embeddings", shape->tied);
    field_token(&w, "bos_token_id", special->bos);
    field_token(&w, "eos_token_id", special->eos);
    json_field_string(&w, "torch_dtype", type);
    json_field_string(&w, "dtype", type);
    json_end(&w);
}
