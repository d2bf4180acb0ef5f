#include "checkpoint/hf_layout.h"

#include "base/mem.h"
#include "base/status.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char hf_head_name[] = "lm_head.weight";

/* P(name, rows, columns or 0, transposed there, is a bias). C width, F hidden, D a head's
 * width, H heads, K heads of keys and values, V vocabulary, T context. */
#define GPT2_FIRST(P)                                                                    \
    P("wte.weight", V, C, false, false)                                                  \
    P("wpe.weight", T, C, false, false)
#define GPT2_BLOCK(P)                                                                    \
    P("ln_1.weight", C, 0, false, false)                                                 \
    P("ln_1.bias", C, 0, false, true)                                                    \
    P("attn.c_attn.weight", 3 * C, C, true, false)                                       \
    P("attn.c_attn.bias", 3 * C, 0, false, true)                                         \
    P("attn.c_proj.weight", C, C, true, false)                                           \
    P("attn.c_proj.bias", C, 0, false, true)                                             \
    P("ln_2.weight", C, 0, false, false)                                                 \
    P("ln_2.bias", C, 0, false, true)                                                    \
    P("mlp.c_fc.weight", F, C, true, false)                                              \
    P("mlp.c_fc.bias", F, 0, false, true)                                                \
    P("mlp.c_proj.weight", C, F, true, false)                                            \
    P("mlp.c_proj.bias", C, 0, false, true)
#define GPT2_LAST(P)                                                                     \
    P("ln_f.weight", C, 0, false, false)                                                 \
    P("ln_f.bias", C, 0, false, true)

#define LLAMA_FIRST(P) P("embed_tokens.weight", V, C, false, false)
#define LLAMA_BLOCK(P)                                                                   \
    P("input_layernorm.weight", C, 0, false, false)                                      \
    P("self_attn.q_proj.weight", H *D, C, false, false)                                  \
    P("self_attn.k_proj.weight", K *D, C, false, false)                                  \
    P("self_attn.v_proj.weight", K *D, C, false, false)                                  \
    P("self_attn.o_proj.weight", C, H *D, false, false)                                  \
    P("post_attention_layernorm.weight", C, 0, false, false)                             \
    P("mlp.gate_proj.weight", F, C, false, false)                                        \
    P("mlp.up_proj.weight", F, C, false, false)                                          \
    P("mlp.down_proj.weight", C, F, false, false)
#define LLAMA_LAST(P) P("norm.weight", C, 0, false, false)

static const struct {
    const char *prefix, *blocks, *embedding;
} families[] = {
    [MODEL_FAMILY_GPT2] = {"transformer.", "h", "wte.weight"},
    [MODEL_FAMILY_LLAMA] = {"model.", "layers", "embed_tokens.weight"},
};

__attribute__((format(printf, 7, 8))) static void
add(struct hf_layout *l, const char *prefix, int64_t rows, int64_t columns,
    bool transposed, bool only_there, const char *name_fmt, ...)
{
    vec_grow(l->tensor, l->cap, l->n + 1);
    struct hf_tensor *t = &l->tensor[l->n++];
    *t = (struct hf_tensor){.dims = columns ? 2 : 1,
                            .shape = {rows, columns},
                            .transposed = transposed,
                            .only_there = only_there};
    va_list args;
    va_start(args, name_fmt);
    size_t at = strlen(prefix);
    memcpy(t->hf_name, prefix, at);
    int len = vsnprintf(t->hf_name + at, sizeof t->hf_name - at, name_fmt, args);
    va_end(args);
    if (len < 0 || at + (size_t)len >= sizeof t->hf_name)
        BUG("the name %s does not fit", t->hf_name);
}

void hf_layout_init(struct hf_layout *l, const struct model_shape *s)
{
    int64_t C = s->width, F = s->hidden, H = s->heads, K = s->kv_heads, D = C / H;
    int64_t V = s->vocab, T = s->context;
    const char *prefix = families[s->family].prefix, *blocks = families[s->family].blocks;
    *l = (struct hf_layout){0};
#define OUTER(name, rows, columns, transposed, is_bias)                                  \
    add(l, prefix, rows, columns, transposed, (is_bias) && !s->bias, "%s", name);
#define BLOCK(name, rows, columns, transposed, is_bias)                                  \
    add(l, prefix, rows, columns, transposed, (is_bias) && !s->bias,                     \
        "%s.%" PRId64 ".%s", blocks, i, name);
    if (s->family == MODEL_FAMILY_GPT2) {
        GPT2_FIRST(OUTER)
        for (int64_t i = 0; i < s->layers; i++) {
            GPT2_BLOCK(BLOCK)
        }
        GPT2_LAST(OUTER)
    } else {
        LLAMA_FIRST(OUTER)
        for (int64_t i = 0; i < s->layers; i++) {
            LLAMA_BLOCK(BLOCK)
        }
        LLAMA_LAST(OUTER)
    }
    if (!s->tied)
        add(l, "", V, C, false, false, "%s", hf_head_name);
    for (size_t i = 0; i < l->n; i++) /* they no longer move */
        l->tensor[i].name = hf_plain_name(s->family, l->tensor[i].hf_name);
}

void hf_layout_release(struct hf_layout *l)
{
    mem_free(l->tensor);
    *l = (struct hf_layout){0};
}

const struct hf_tensor *hf_layout_find(const struct hf_layout *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (!strcmp(l->tensor[i].name, name))
            return &l->tensor[i];
    return NULL;
}

int64_t hf_tensor_numbers(const struct hf_tensor *t)
{
    return t->dims == 2 ? t->shape[0] * t->shape[1] : t->shape[0];
}

void hf_tensor_file_shape(const struct hf_tensor *t, uint64_t shape[2])
{
    shape[0] = (uint64_t)t->shape[t->transposed];
    shape[1] = (uint64_t)t->shape[!t->transposed];
}

const char *hf_plain_name(enum model_family family, const char *hf_name)
{
    size_t n = strlen(families[family].prefix);
    return strncmp(hf_name, families[family].prefix, n) ? hf_name : hf_name + n;
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && !strcmp(s + n - m, end);
}

bool hf_is_buffer(const char *plain_name)
{
    return ends_with(plain_name, ".attn.bias") ||
           ends_with(plain_name, ".attn.masked_bias") ||
           ends_with(plain_name, ".rotary_emb.inv_freq");
}

const char *hf_embedding_name(enum model_family family)
{
    return families[family].embedding;
}
