#include "data/hf_tokenizer.h"

#include "base/mem.h"
#include "data/bpe_build.h"

#include <string.h>

static enum status refuse(struct err *err, const char *fmt_what, const char *detail)
{
    return err_set(err, STATUS_INPUT,
                   "the tokenizer has %s%s%s%s, which is not supported: only byte-level "
                   "BPE as GPT-2 and Llama 3 have it is; choose another tokenizer",
                   fmt_what, *detail ? " (" : "", detail, *detail ? ")" : "");
}

static bool is_absent(const struct json *j)
{
    return !j || j->kind == JSON_KIND_NULL;
}

/* Null, or a string or list without anything in it. */
static bool is_empty(const struct json *j)
{
    return is_absent(j) || (j->kind == JSON_KIND_STRING && !j->len);
}

static const char *type_of(const struct json *j)
{
    return json_string_or(json_get(j, "type"), "");
}

static bool is_type(const struct json *j, const char *type)
{
    return !strcmp(type_of(j), type);
}

static enum status check_model(const struct json *model, struct err *err)
{
    const struct json *type = json_get(model, "type");
    if (!model || model->kind != JSON_KIND_OBJECT)
        return err_set(err, STATUS_INPUT,
                       "this JSON is not a tokenizer: it has no \"model\"; name a "
                       "tokenizer.json");
    if (!is_absent(type) && !is_type(model, "BPE"))
        return refuse(err, "a model of another type", type_of(model));
    if (json_double_or(json_get(model, "dropout"), 0) > 0)
        return refuse(err, "dropout", "");
    if (!is_empty(json_get(model, "continuing_subword_prefix")))
        return refuse(err, "a continuing_subword_prefix", "");
    if (!is_empty(json_get(model, "end_of_word_suffix")))
        return refuse(err, "an end_of_word_suffix", "");
    if (json_bool_or(json_get(model, "byte_fallback"), false))
        return refuse(err, "byte_fallback", "");
    /* An unk_token changes nothing: with a token for each byte, nothing is unknown. */
    return STATUS_OK;
}

/* {"type":"ByteLevel",…}, with or without GPT-2's pattern in it. */
static enum status check_byte_level(const struct json *j, bool use_regex, struct err *err)
{
    if (!is_type(j, "ByteLevel"))
        return refuse(err, "a pre_tokenizer", is_absent(j) ? "none" : type_of(j));
    if (json_bool_or(json_get(j, "add_prefix_space"), true))
        return refuse(err, "add_prefix_space", "");
    if (json_bool_or(json_get(j, "use_regex"), true) != use_regex)
        return refuse(err, "a ByteLevel pre_tokenizer",
                      use_regex ? "without use_regex" : "with use_regex");
    return STATUS_OK;
}

static enum status read_split(enum word_pattern *out, const struct json *j,
                              struct err *err)
{
    if (!is_type(j, "Split"))
        return refuse(err, "a pre_tokenizer", type_of(j));
    const char *regex =
        json_string_or(json_get(json_get(j, "pattern"), "Regex"), "a plain string");
    int found = word_pattern_find(regex);
    if (found < 0)
        return refuse(err, "another split pattern", regex);
    if (strcmp(json_string_or(json_get(j, "behavior"), ""), "Isolated") != 0 ||
        json_bool_or(json_get(j, "invert"), true))
        return refuse(err, "a Split", "behavior not Isolated, or invert");
    *out = (enum word_pattern)found;
    return STATUS_OK;
}

/* ByteLevel alone is GPT-2's; Sequence[Split, ByteLevel] names its pattern. */
static enum status read_pattern(enum word_pattern *out, const struct json *pre,
                                struct err *err)
{
    *out = WORD_PATTERN_GPT2;
    if (!is_type(pre, "Sequence"))
        return check_byte_level(pre, true, err);
    const struct json *steps = json_get(pre, "pretokenizers");
    if (!steps || steps->kind != JSON_KIND_ARRAY || steps->n != 2)
        return refuse(err, "a pre_tokenizer Sequence", "not of two");
    enum status st = read_split(out, steps->child, err);
    return st ? st : check_byte_level(steps->child->next, false, err);
}

static enum status check_rest(const struct json *root, struct err *err)
{
    const struct json *normalizer = json_get(root, "normalizer");
    const struct json *decoder = json_get(root, "decoder");
    if (!is_absent(normalizer))
        return refuse(err, "a normalizer", type_of(normalizer));
    if (!is_absent(decoder) && !is_type(decoder, "ByteLevel"))
        return refuse(err, "a decoder", type_of(decoder));
    return STATUS_OK;
}

static enum status read_added(struct bpe_build *b, const struct json *list,
                              struct err *err)
{
    enum status st = STATUS_OK;
    if (is_absent(list))
        return STATUS_OK;
    if (list->kind != JSON_KIND_ARRAY)
        return err_set(err, STATUS_INPUT, "added_tokens is not a list");
    for (const struct json *j = list->child; j && !st; j = j->next) {
        const struct json *content = json_get(j, "content");
        if (!content || content->kind != JSON_KIND_STRING)
            return err_set(err, STATUS_INPUT, "an added token has no content");
        static const char *const options[] = {"single_word", "lstrip", "rstrip"};
        for (size_t i = 0; i < sizeof options / sizeof *options; i++)
            if (json_bool_or(json_get(j, options[i]), false))
                return refuse(err, "an added token with", options[i]);
        bool special = json_bool_or(json_get(j, "special"), false);
        bool normalized = json_bool_or(json_get(j, "normalized"), !special);
        st = bpe_build_added(b, content->text, content->len,
                             json_int_or(json_get(j, "id"), -1), normalized, err);
    }
    return st;
}

static enum status read_vocabulary(struct bpe_build *b, const struct json *vocab,
                                   struct err *err)
{
    if (!vocab || vocab->kind != JSON_KIND_OBJECT)
        return err_set(err, STATUS_INPUT, "the tokenizer has no vocabulary");
    enum status st = STATUS_OK;
    for (const struct json *j = vocab->child; j && !st; j = j->next)
        st = bpe_build_token(b, j->key, j->key_len, json_int_or(j, -1), err);
    return st;
}

/* "a b", or ["a","b"]. */
static enum status read_merge(struct bpe_build *b, const struct json *j, struct err *err)
{
    if (j->kind == JSON_KIND_ARRAY && j->n == 2) {
        const struct json *l = j->child, *r = l->next;
        if (l->kind == JSON_KIND_STRING && r->kind == JSON_KIND_STRING)
            return bpe_build_merge(b, l->text, l->len, r->text, r->len, err);
    }
    const char *space = j->kind == JSON_KIND_STRING ? memchr(j->text, ' ', j->len) : NULL;
    if (!space)
        return err_set(err, STATUS_INPUT,
                       "a merge is neither \"a b\" nor [\"a\",\"b\"]; is the file "
                       "damaged?");
    size_t left = (size_t)(space - j->text);
    return bpe_build_merge(b, j->text, left, space + 1, j->len - left - 1, err);
}

static enum status read_lists(struct bpe_build *b, const struct json *root,
                              struct err *err)
{
    const struct json *model = json_get(root, "model");
    const struct json *merges = json_get(model, "merges");
    enum status st = read_vocabulary(b, json_get(model, "vocab"), err);
    if (!st)
        st = read_added(b, json_get(root, "added_tokens"), err);
    if (st)
        return st;
    if (!merges || merges->kind != JSON_KIND_ARRAY)
        return err_set(err, STATUS_INPUT, "the tokenizer has no list of merges");
    for (const struct json *j = merges->child; j && !st; j = j->next)
        st = read_merge(b, j, err);
    return st;
}

enum status hf_tokenizer_read(struct bpe **out, const struct json *root, char *text,
                              size_t len, struct err *err)
{
    const struct json *model = json_get(root, "model");
    enum word_pattern pattern = WORD_PATTERN_GPT2;
    enum status st = check_model(model, err);
    if (!st)
        st = check_rest(root, err);
    if (!st)
        st = read_pattern(&pattern, json_get(root, "pre_tokenizer"), err);
    struct bpe_build *b =
        bpe_build_new(pattern, json_bool_or(json_get(model, "ignore_merges"), false));
    if (!st)
        st = read_lists(b, root, err);
    if (st)
        mem_free(text);
    else
        st = bpe_build_finish(b, out, text, len, err);
    bpe_build_free(b);
    return st;
}
