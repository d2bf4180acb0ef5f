#include "checkpoint/export_tokenizer.h"

#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/path.h"
#include "checkpoint/durable.h"

#include <string.h>

enum { TOKENIZER_MAX_BYTES = 256 << 20 };

/* What stands beside a model in a Hugging Face directory and goes with it. */
static const char *const companions[] = {"tokenizer_config.json",
                                         "special_tokens_map.json",
                                         "added_tokens.json",
                                         "generation_config.json",
                                         "vocab.json",
                                         "merges.txt",
                                         "tokenizer.model",
                                         "chat_template.jinja"};
enum { COMPANIONS = sizeof companions / sizeof *companions };

/* Tokens that begin and end a text, by the names that GPT-2 and Llama 3 gave them. */
static const struct {
    const char *bos, *eos;
} known[] = {{"<|endoftext|>", "<|endoftext|>"},
             {"<|begin_of_text|>", "<|end_of_text|>"},
             {"<s>", "</s>"}};
enum { KNOWN = sizeof known / sizeof *known };

static enum status copy_file(const char *from, const char *folder, const char *name,
                             struct err *err)
{
    char *text, *to = path_join(folder, name);
    size_t len;
    enum status st = file_read(&text, &len, from, TOKENIZER_MAX_BYTES, err);
    if (!st) {
        st = durable_write(to, text, len, err);
        mem_free(text);
    }
    mem_free(to);
    return st;
}

static enum status copy_companions(bool *has_config, const char *from, const char *folder,
                                   struct err *err)
{
    enum status st = STATUS_OK;
    for (int i = 0; !st && i < COMPANIONS; i++) {
        char *path = path_join(from, companions[i]);
        if (!file_is_absent(path)) {
            st = copy_file(path, folder, companions[i], err);
            *has_config = *has_config || !i;
        }
        mem_free(path);
    }
    return st;
}

/* The id of an added token, or -1. */
static int64_t added_token(const struct json *root, const char *content)
{
    const struct json *list = json_get(root, "added_tokens");
    if (!list || list->kind != JSON_KIND_ARRAY)
        return -1;
    for (const struct json *j = list->child; j; j = j->next)
        if (!strcmp(json_string_or(json_get(j, "content"), ""), content))
            return json_int_or(json_get(j, "id"), -1);
    return -1;
}

/* The row of known[] that the tokenizer has, or -1. */
static int known_tokens(struct hf_special_tokens *out, const struct json *root,
                        int64_t vocab)
{
    for (int i = 0; i < KNOWN; i++) {
        int64_t bos = added_token(root, known[i].bos);
        int64_t eos = added_token(root, known[i].eos);
        if (bos >= 0 && eos >= 0 && bos < vocab && eos < vocab) {
            *out = (struct hf_special_tokens){bos, eos};
            return i;
        }
    }
    return -1;
}

static enum status write_config(const struct hf_model *m, int special, const char *folder,
                                struct err *err)
{
    struct strbuf out;
    struct json_writer w;
    strbuf_init(&out);
    json_init(&w, &out);
    json_begin_object(&w);
    json_field_string(&w, "tokenizer_class", "PreTrainedTokenizerFast");
    json_field_int(&w, "model_max_length", m->shape.context);
    json_key(&w, "clean_up_tokenization_spaces");
    json_bool(&w, false);
    if (special >= 0) {
        json_field_string(&w, "bos_token", known[special].bos);
        json_field_string(&w, "eos_token", known[special].eos);
    }
    json_end(&w);
    char *path = path_join(folder, "tokenizer_config.json");
    enum status st = durable_write(path, out.s, out.len, err);
    mem_free(path);
    strbuf_release(&out);
    return st;
}

/* Theirs has a model with a type; Gait's own has neither. */
static bool is_theirs(const struct json *root)
{
    return *json_string_or(json_get(json_get(root, "model"), "type"), "") != '\0';
}

static enum status write_parsed(bool *written, struct hf_model *m, const char *folder,
                                const struct json *root, bool has_config, struct err *err)
{
    struct hf_special_tokens found = m->special;
    *written = is_theirs(root);
    if (!*written)
        return STATUS_OK;
    int special = known_tokens(&found, root, m->shape.vocab);
    if (m->special.bos < 0 && m->special.eos < 0)
        m->special = found;
    enum status st = copy_file(m->tokenizer, folder, "tokenizer.json", err);
    if (!st && !has_config)
        st = write_config(m, special, folder, err);
    return st;
}

enum status hf_tokenizer_write(bool *written, struct hf_model *m, const char *folder,
                               struct err *err)
{
    bool has_config = false;
    enum status st = STATUS_OK;
    *written = false;
    if (m->copied_from)
        st = copy_companions(&has_config, m->copied_from, folder, err);
    if (st || !m->tokenizer)
        return st;
    char *text;
    size_t len;
    st = file_read(&text, &len, m->tokenizer, TOKENIZER_MAX_BYTES, err);
    if (st)
        return st;
    struct arena a;
    const struct json *root;
    arena_init(&a);
    struct err why = ERR_INIT;
    st = json_read(&root, &a, text, len, &why);
    if (st)
        err_set_at(err, st, why.offset, "%s: %s", m->tokenizer, why.text);
    else
        st = write_parsed(written, m, folder, root, has_config, err);
    arena_release(&a);
    mem_free(text);
    return st;
}
