#include "data/tokenizer_file.h"

#include "base/content_hash.h"
#include "base/file.h"
#include "base/json_read.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "data/bpe.h"
#include "data/data_dir.h"
#include "data/hf_tokenizer.h"

#include <string.h>

static const char OWN_FORMAT[] = "gait-tokenizer";
enum { OWN_VERSION = 2, OWN_VERSION_UNHASHED = 1, GPT2_VOCABULARY = 50257 };

static enum status read_codes(struct tokenizer *t, const struct json *codes,
                              struct err *err)
{
    if (!codes || codes->kind != JSON_KIND_ARRAY || !codes->n)
        return err_set(err, STATUS_INPUT, "the tokenizer has no list of codes");
    uint32_t *code = mem_zalloc(codes->n, sizeof *code);
    size_t n = 0;
    for (const struct json *j = codes->child; j; j = j->next) {
        int64_t v = json_int_or(j, -1);
        code[n++] = v >= 0 && v < UNICODE_CODES ? (uint32_t)v : UNICODE_CODES;
    }
    *t = (struct tokenizer){.kind = TOKENIZER_CHARS, .n = n};
    enum status st = char_vocab_from_codes(&t->chars, code, n, err);
    mem_free(code);
    return st;
}

static enum status read_own(struct tokenizer *t, const struct json *root, char *text,
                            size_t len, struct err *err)
{
    const char *kind = json_string_or(json_get(root, "kind"), "");
    int64_t version = json_int_or(json_get(root, "version"), 0);
    if (version != OWN_VERSION && version != OWN_VERSION_UNHASHED)
        return err_set(err, STATUS_INPUT,
                       "the tokenizer has another version than %d and %d; use the gait "
                       "that wrote it",
                       OWN_VERSION_UNHASHED, OWN_VERSION);
    if (version == OWN_VERSION && !content_hash_is_sealed(text, len))
        return err_set(err, STATUS_INPUT,
                       "it is damaged: its text is not what was written; copy it again "
                       "from where it is whole");
    if (!strcmp(kind, "chars"))
        return read_codes(t, json_get(root, "codes"), err);
    if (strcmp(kind, "bytes") != 0)
        return err_set(err, STATUS_INPUT, "the tokenizer has an unknown kind \"%.40s\"",
                       kind);
    tokenizer_init_bytes(t);
    return STATUS_OK;
}

/* text is taken over. */
static enum status read_text(struct tokenizer *t, char *text, size_t len, struct err *err)
{
    struct arena memory;
    const struct json *root;
    arena_init(&memory);
    enum status st = json_read(&root, &memory, text, len, err);
    if (st) {
        mem_free(text);
    } else if (!strcmp(json_string_or(json_get(root, "format"), ""), OWN_FORMAT)) {
        st = read_own(t, root, text, len, err);
        mem_free(text);
    } else {
        t->kind = TOKENIZER_BPE;
        st = hf_tokenizer_read(&t->bpe, root, text, len, err);
    }
    arena_release(&memory);
    return st;
}

static enum status open_file(struct tokenizer *t, const char *path, struct err *err)
{
    char *text;
    size_t len;
    enum status st = file_read(&text, &len, path, TOKENIZER_JSON_MAX_BYTES, err);
    if (st)
        return st;
    struct err why = ERR_INIT;
    st = read_text(t, text, len, &why);
    if (!st)
        return STATUS_OK;
    err_prefix(&why, "%s", path);
    return err_set_at(err, st, why.offset, "%s", why.text);
}

static bool has_file(const char *dir, const char *name)
{
    char *path = path_join(dir, name);
    bool has = !file_is_absent(path);
    mem_free(path);
    return has;
}

static bool has_folder_form(const char *dir)
{
    return has_file(dir, "vocab.json") && has_file(dir, "merges.txt");
}

static enum status open_folder(struct tokenizer *t, const char *dir, struct err *err)
{
    if (has_file(dir, TOKENIZER_FILE_NAME)) {
        char *path = path_join(dir, TOKENIZER_FILE_NAME);
        enum status st = open_file(t, path, err);
        mem_free(path);
        return st;
    }
    if (!has_folder_form(dir))
        return err_set(err, STATUS_INPUT,
                       "the folder %s has neither " TOKENIZER_FILE_NAME
                       " nor vocab.json and merges.txt; name one that has",
                       dir);
    struct err why = ERR_INIT;
    t->kind = TOKENIZER_BPE;
    enum status st = hf_folder_read(&t->bpe, dir, &why);
    if (!st)
        return STATUS_OK;
    err_prefix(&why, "%s", dir);
    return err_set_at(err, st, why.offset, "%s", why.text);
}

/* data_dir/gpt2-vocab, data_dir/gpt2, or data_dir itself. */
static enum status open_gpt2(struct tokenizer *t, const char *data_dir, struct err *err)
{
    static const char *const folders[] = {"gpt2-vocab", "gpt2", "."};
    const char *root = data_dir_or_default(data_dir);
    if (!*root)
        return err_set(err, STATUS_INPUT,
                       "the tokenizer gpt2 needs GPT-2's vocab.json and merges.txt: set "
                       "data_dir (or the environment's GAIT_DATA) to the folder that has "
                       "them, itself or in gpt2-vocab/");
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *dir = path_join(root, folders[i]);
        bool there = has_folder_form(dir) || has_file(dir, TOKENIZER_FILE_NAME);
        enum status st = there ? open_folder(t, dir, err) : STATUS_OK;
        if (there && !st && t->bpe && t->bpe->n != GPT2_VOCABULARY)
            st = err_set(err, STATUS_INPUT,
                         "%s has a vocabulary of %zu, and GPT-2's has %d; name the "
                         "folder as tokenizer where it is meant",
                         dir, t->bpe->n, GPT2_VOCABULARY);
        mem_free(dir);
        if (there)
            return st;
    }
    return err_set(err, STATUS_INPUT,
                   "no GPT-2 vocabulary in %s, %s/gpt2-vocab or %s/gpt2; put vocab.json "
                   "and merges.txt there, or set data_dir (or the environment's "
                   "GAIT_DATA)",
                   root, root, root);
}

enum status tokenizer_open(struct tokenizer *t, const char *name, const char *data_dir,
                           struct err *err)
{
    enum status st;
    *t = (struct tokenizer){0};
    if (!strcmp(name, "bytes")) {
        tokenizer_init_bytes(t);
        return STATUS_OK;
    }
    if (!strcmp(name, "chars") || !strcmp(name, "auto"))
        return err_set(err, STATUS_USAGE,
                       "the tokenizer %s is made of a text, and there is none here; name "
                       "bytes, gpt2, or the path of a tokenizer.json",
                       name);
    if (!strcmp(name, "gpt2"))
        st = open_gpt2(t, data_dir, err);
    else if (file_is_dir(name))
        st = open_folder(t, name, err);
    else
        st = open_file(t, name, err);
    if (st)
        tokenizer_release(t);
    else if (t->kind == TOKENIZER_BPE)
        t->n = t->bpe->n;
    return st;
}

static void write_own(const struct tokenizer *t, struct strbuf *out)
{
    struct json_writer w;
    json_init(&w, out);
    w.compact = true;
    json_begin_object(&w);
    json_field_string(&w, "format", OWN_FORMAT);
    json_field_int(&w, "version", OWN_VERSION);
    json_field_string(&w, "kind", t->kind == TOKENIZER_CHARS ? "chars" : "bytes");
    if (t->kind == TOKENIZER_CHARS) {
        json_key(&w, "codes");
        json_begin_array(&w);
        for (size_t i = 0; i < t->n; i++)
            json_int(&w, t->chars.code[i]);
        json_end(&w);
    }
    json_field_string(&w, CONTENT_HASH_SEAL, CONTENT_HASH_UNSEALED);
    json_end(&w);
    content_hash_seal(out->s, out->len);
}

enum status tokenizer_save(const struct tokenizer *t, const char *dir, struct err *err)
{
    if (t->kind == TOKENIZER_NONE)
        return STATUS_OK;
    struct strbuf own;
    strbuf_init(&own);
    if (t->kind != TOKENIZER_BPE)
        write_own(t, &own);
    char *path = path_join(dir, TOKENIZER_FILE_NAME);
    enum status st = t->kind == TOKENIZER_BPE
                         ? file_write(path, t->bpe->json, t->bpe->json_len, err)
                         : file_write(path, own.s, own.len, err);
    mem_free(path);
    strbuf_release(&own);
    return st;
}
