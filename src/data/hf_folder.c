/*
 * GPT-2's older form: vocab.json (string to id) and merges.txt (a "#version" line, then
 * "left right" a line, the first merge first). What will be saved is written here as a
 * tokenizer.json that the reference reads with the same result.
 */
#include "base/path.h"
#include "data/hf_tokenizer.h"

#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "data/bpe_build.h"

#include <string.h>

static const char END_OF_TEXT[] = "<|endoftext|>";

static enum status read_in(char **text, size_t *len, const char *dir, const char *name,
                           struct err *err)
{
    char *path = path_join(dir, name);
    enum status st = file_read(text, len, path, TOKENIZER_JSON_MAX_BYTES, err);
    mem_free(path);
    return st;
}

/* Calls nothing for the version line and for empty lines. */
static enum status merge_line(struct bpe_build *b, struct json_writer *w,
                              const char *line, size_t len, struct err *err)
{
    static const char version[] = "#version";
    if (len && line[len - 1] == '\r')
        len--;
    if (!len || (len >= sizeof version - 1 && !memcmp(line, version, sizeof version - 1)))
        return STATUS_OK;
    const char *space = memchr(line, ' ', len);
    size_t left = space ? (size_t)(space - line) : 0;
    if (!left || left + 1 == len || memchr(space + 1, ' ', len - left - 1))
        return err_set(err, STATUS_INPUT,
                       "merges.txt: the line \"%.*s\" is not two strings with a space "
                       "between",
                       (int)(len < 60 ? len : 60), line);
    char *copy = mem_strndup(line, len);
    json_string(w, copy);
    mem_free(copy);
    return bpe_build_merge(b, line, left, space + 1, len - left - 1, err);
}

static enum status read_merges(struct bpe_build *b, struct json_writer *w,
                               const char *text, size_t len, struct err *err)
{
    enum status st = STATUS_OK;
    json_key(w, "merges");
    json_begin_array(w);
    for (size_t at = 0; at < len && !st;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t n = end ? (size_t)(end - text) - at : len - at;
        st = merge_line(b, w, text + at, n, err);
        at += n + 1;
    }
    json_end(w);
    return st;
}

static enum status read_vocabulary(struct bpe_build *b, struct json_writer *w,
                                   const struct json *vocab, struct err *err)
{
    enum status st = STATUS_OK;
    if (vocab->kind != JSON_KIND_OBJECT)
        return err_set(err, STATUS_INPUT,
                       "vocab.json is not an object of strings and ids");
    json_key(w, "vocab");
    json_begin_object(w);
    for (const struct json *j = vocab->child; j && !st; j = j->next) {
        int64_t id = json_int_or(j, -1);
        st = bpe_build_token(b, j->key, j->key_len, id, err);
        json_field_int(w, j->key, id);
    }
    json_end(w);
    return st;
}

static void write_byte_level(struct json_writer *w, const char *key)
{
    json_key(w, key);
    json_begin_object(w);
    json_field_string(w, "type", "ByteLevel");
    json_key(w, "add_prefix_space");
    json_bool(w, false);
    json_key(w, "trim_offsets");
    json_bool(w, true);
    json_key(w, "use_regex");
    json_bool(w, true);
    json_end(w);
}

/* <|endoftext|> as the reference's GPT-2 has it. */
static enum status write_added(struct bpe_build *b, struct json_writer *w,
                               struct err *err)
{
    static const char *const options[] = {"single_word", "lstrip", "rstrip",
                                          "normalized"};
    int64_t id;
    json_key(w, "added_tokens");
    json_begin_array(w);
    bool has = bpe_build_has(b, END_OF_TEXT, sizeof END_OF_TEXT - 1, &id);
    if (has) {
        json_begin_object(w);
        json_field_int(w, "id", id);
        json_field_string(w, "content", END_OF_TEXT);
        for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
            json_key(w, options[i]);
            json_bool(w, false);
        }
        json_key(w, "special");
        json_bool(w, true);
        json_end(w);
    }
    json_end(w);
    if (!has)
        return STATUS_OK;
    return bpe_build_added(b, END_OF_TEXT, sizeof END_OF_TEXT - 1, id, false, err);
}

static void write_nulls(struct json_writer *w, const char *const *key, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        json_key(w, key[i]);
        json_null(w);
    }
}

/* The document's parts in an order in which each can be written when it is known. */
static enum status build(struct bpe_build *b, struct json_writer *w,
                         const struct json *vocab, const char *merges, size_t merges_len,
                         struct err *err)
{
    static const char *const none[] = {"truncation", "padding", "normalizer",
                                       "post_processor"};
    static const char *const unset[] = {
        "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix"};
    json_begin_object(w);
    json_field_string(w, "version", "1.0");
    write_nulls(w, none, sizeof none / sizeof *none);
    write_byte_level(w, "pre_tokenizer");
    write_byte_level(w, "decoder");
    json_key(w, "model");
    json_begin_object(w);
    json_field_string(w, "type", "BPE");
    write_nulls(w, unset, sizeof unset / sizeof *unset);
    json_key(w, "fuse_unk");
    json_bool(w, false);
    enum status st = read_vocabulary(b, w, vocab, err);
    if (!st)
        st = read_merges(b, w, merges, merges_len, err);
    if (st)
        return st;
    json_end(w);
    st = write_added(b, w, err);
    json_end(w);
    return st;
}

static enum status read_both(struct bpe **out, const char *vocab_text, size_t vocab_len,
                             const char *merges, size_t merges_len, struct err *err)
{
    struct arena memory;
    struct strbuf json;
    struct json_writer w;
    const struct json *vocab;
    arena_init(&memory);
    strbuf_init(&json);
    json_init(&w, &json);
    w.compact = true;
    struct bpe_build *b = bpe_build_new(WORD_PATTERN_GPT2, false);
    enum status st = json_read(&vocab, &memory, vocab_text, vocab_len, err);
    if (!st)
        st = build(b, &w, vocab, merges, merges_len, err);
    size_t json_len = json.len;
    if (!st)
        st = bpe_build_finish(b, out, strbuf_detach(&json), json_len, err);
    bpe_build_free(b);
    strbuf_release(&json);
    arena_release(&memory);
    return st;
}

enum status hf_folder_read(struct bpe **out, const char *dir, struct err *err)
{
    char *vocab = NULL, *merges = NULL, *added = path_join(dir, "added_tokens.json");
    size_t vocab_len, merges_len;
    enum status st = STATUS_OK;
    if (file_exists(added))
        st = err_set(err, STATUS_INPUT,
                     "%s: tokens added beside vocab.json are not supported; make a "
                     "tokenizer.json of the folder",
                     added);
    if (!st)
        st = read_in(&vocab, &vocab_len, dir, "vocab.json", err);
    if (!st)
        st = read_in(&merges, &merges_len, dir, "merges.txt", err);
    if (!st)
        st = read_both(out, vocab, vocab_len, merges, merges_len, err);
    mem_free(added);
    mem_free(vocab);
    mem_free(merges);
    return st;
}
