#include "data/prepared_index.h"

#include "base/file.h"
#include "base/json_read.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/path.h"
#include "data/token_check.h"
#include "data/tokenizer_file.h"

#include <string.h>

/* A MiB of index is 4 GiB of tokens. */
enum { INDEX_VERSION = 2, INDEX_VERSION_UNHASHED = 1, INDEX_MAX_BYTES = 256 << 20 };
static const char INDEX_FORMAT[] = "gait-data";

bool prepared_index_is_in(const char *dir)
{
    char *path = path_join(dir, PREPARED_INDEX_NAME);
    bool is = !file_is_absent(path);
    mem_free(path);
    return is;
}

void prepared_shards_add(struct prepared_shards *s, const char *file, uint64_t tokens,
                         const char *hashes)
{
    vec_grow(s->item, s->cap, s->n + 1);
    s->item[s->n++] = (struct prepared_shard){mem_strdup(file), tokens,
                                              hashes ? mem_strdup(hashes) : NULL};
}

static const struct prepared_shard *find_shard(const struct prepared_shards *s,
                                               const char *file)
{
    for (size_t i = 0; i < s->n; i++)
        if (!strcmp(s->item[i].file, file))
            return &s->item[i];
    return NULL;
}

const struct prepared_shard *prepared_index_find(const struct prepared_index *x,
                                                 const char *file)
{
    const struct prepared_shard *s = find_shard(&x->train, file);
    return s ? s : find_shard(&x->validation, file);
}

void prepared_shard_release(struct prepared_shard *s)
{
    mem_free(s->file);
    mem_free(s->hashes);
}

void prepared_shards_release(struct prepared_shards *s)
{
    for (size_t i = 0; i < s->n; i++)
        prepared_shard_release(&s->item[i]);
    mem_free(s->item);
    *s = (struct prepared_shards){0};
}

void prepared_index_release(struct prepared_index *x)
{
    prepared_shards_release(&x->train);
    prepared_shards_release(&x->validation);
}

/* A name within the folder and nowhere else. */
static bool is_plain_name(const struct json *j)
{
    return j && j->kind == JSON_KIND_STRING && j->len && strlen(j->text) == j->len &&
           j->text[0] != '.' && !strchr(j->text, '/');
}

/* The hashes of a shard, one for each block of so many bytes; NULL where they are not. */
static const char *read_hashes(const struct json *j, uint64_t bytes)
{
    const struct json *blocks = json_get(j, "blocks");
    if (!blocks || blocks->kind != JSON_KIND_STRING ||
        blocks->len / CONTENT_HASH_DIGITS != token_blocks(bytes) ||
        blocks->len % CONTENT_HASH_DIGITS || strlen(blocks->text) != blocks->len)
        return NULL;
    return blocks->text;
}

static enum status read_shards(struct prepared_shards *s, const struct json *list,
                               int width, bool hashed, struct err *err)
{
    if (list && list->kind != JSON_KIND_ARRAY)
        return err_set(err, STATUS_INPUT, "its shards are not a list");
    for (const struct json *j = list ? list->child : NULL; j; j = j->next) {
        const struct json *file = json_get(j, "file");
        int64_t tokens = json_int_or(json_get(j, "tokens"), -1);
        if (!is_plain_name(file) || tokens < 1 || tokens > INT64_MAX / width)
            return err_set(err, STATUS_INPUT,
                           "shard %zu has no file name or no count of tokens", s->n);
        const char *hashes =
            hashed ? read_hashes(j, (uint64_t)tokens * (uint64_t)width) : NULL;
        if (hashed && !hashes)
            return err_set(err, STATUS_INPUT,
                           "shard %zu has not one hash for each of its blocks", s->n);
        prepared_shards_add(s, file->text, (uint64_t)tokens, hashes);
    }
    return STATUS_OK;
}

static enum status check_version(const struct json *root, bool *hashed, struct err *err)
{
    int64_t version = json_int_or(json_get(root, "version"), 0);
    *hashed = version == INDEX_VERSION;
    if (!strcmp(json_string_or(json_get(root, "format"), ""), INDEX_FORMAT) &&
        (*hashed || version == INDEX_VERSION_UNHASHED))
        return STATUS_OK;
    return err_set(err, STATUS_INPUT,
                   "it is not an index of version %d or %d; prepare the data again",
                   INDEX_VERSION_UNHASHED, INDEX_VERSION);
}

static enum status read_root(struct prepared_index *x, const struct json *root,
                             bool hashed, struct err *err)
{
    const char *dtype = json_string_or(json_get(root, "dtype"), "");
    int64_t vocabulary = json_int_or(json_get(root, "vocabulary"), 0);
    x->width = !strcmp(dtype, "uint16") ? 2 : !strcmp(dtype, "uint32") ? 4 : 0;
    if (!x->width)
        return err_set(err, STATUS_INPUT, "its dtype is neither uint16 nor uint32");
    if (vocabulary < 1 || (uint64_t)vocabulary > TOKENIZER_VOCABULARY_MAX)
        return err_set(err, STATUS_INPUT, "its vocabulary is not in 1 … 2^31");
    x->vocabulary = (size_t)vocabulary;
    const char *tokenizer = json_string_or(json_get(root, "tokenizer_xxh3"), "");
    if (hashed && strlen(tokenizer) != CONTENT_HASH_DIGITS)
        return err_set(err, STATUS_INPUT, "it has no hash of the tokenizer");
    if (hashed)
        memcpy(x->tokenizer.s, tokenizer, sizeof x->tokenizer.s);
    enum status st =
        read_shards(&x->train, json_get(root, "train"), x->width, hashed, err);
    if (!st)
        st = read_shards(&x->validation, json_get(root, "validation"), x->width, hashed,
                         err);
    return st;
}

static enum status read_text(struct prepared_index *x, char *text, size_t len,
                             struct arena *memory, struct err *err)
{
    const struct json *root;
    bool hashed;
    enum status st = json_read(&root, memory, text, len, err);
    if (!st)
        st = check_version(root, &hashed, err);
    if (!st && hashed && !content_hash_is_sealed(text, len))
        st = err_set(err, STATUS_INPUT,
                     "it is damaged: its text is not what was written; copy it again "
                     "from where it is whole, or prepare the data again");
    return st ? st : read_root(x, root, hashed, err);
}

enum status prepared_index_read(struct prepared_index *x, const char *dir,
                                struct err *err)
{
    char *path = path_join(dir, PREPARED_INDEX_NAME), *text = NULL;
    size_t len;
    struct arena memory;
    struct err why = ERR_INIT;
    *x = (struct prepared_index){0};
    arena_init(&memory);
    enum status st = file_read(&text, &len, path, INDEX_MAX_BYTES, err);
    if (!st) {
        st = read_text(x, text, len, &memory, &why);
        if (st) {
            err_prefix(&why, "%s", path);
            err_set_at(err, st, why.offset, "%s", why.text);
        }
    }
    if (st)
        prepared_index_release(x);
    arena_release(&memory);
    mem_free(text);
    mem_free(path);
    return st;
}

static void write_shards(struct json_writer *w, const char *key,
                         const struct prepared_shards *s)
{
    json_key(w, key);
    json_begin_array(w);
    for (size_t i = 0; i < s->n; i++) {
        json_begin_object(w);
        json_field_string(w, "file", s->item[i].file);
        json_field_int(w, "tokens", (int64_t)s->item[i].tokens);
        json_field_string(w, "blocks", s->item[i].hashes);
        json_end(w);
    }
    json_end(w);
}

enum status prepared_index_write(const struct prepared_index *x, const char *dir,
                                 struct err *err)
{
    struct strbuf out;
    struct json_writer w;
    strbuf_init(&out);
    json_init(&w, &out);
    json_begin_object(&w);
    json_field_string(&w, "format", INDEX_FORMAT);
    json_field_int(&w, "version", INDEX_VERSION);
    json_field_string(&w, "dtype", x->width == 2 ? "uint16" : "uint32");
    json_field_int(&w, "vocabulary", (int64_t)x->vocabulary);
    json_field_string(&w, "tokenizer", TOKENIZER_FILE_NAME);
    json_field_string(&w, "tokenizer_xxh3", x->tokenizer.s);
    write_shards(&w, "train", &x->train);
    write_shards(&w, "validation", &x->validation);
    json_field_string(&w, CONTENT_HASH_SEAL, CONTENT_HASH_UNSEALED);
    json_end(&w);
    content_hash_seal(out.s, out.len);
    char *path = path_join(dir, PREPARED_INDEX_NAME);
    enum status st = file_write(path, out.s, out.len, err);
    mem_free(path);
    strbuf_release(&out);
    return st;
}
