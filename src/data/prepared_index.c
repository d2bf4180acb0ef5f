#include "data/prepared_index.h"

#include "base/file.h"
#include "base/json_read.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "data/data_dir.h"
#include "data/tokenizer_file.h"

#include <string.h>

enum { INDEX_VERSION = 1, INDEX_MAX_BYTES = 16 << 20 };
static const char INDEX_FORMAT[] = "gait-data";

bool prepared_index_is_in(const char *dir)
{
    char *path = data_dir_path(dir, PREPARED_INDEX_NAME);
    bool is = file_exists(path);
    mem_free(path);
    return is;
}

void prepared_shards_add(struct prepared_shards *s, const char *file, uint64_t tokens)
{
    vec_grow(s->item, s->cap, s->n + 1);
    s->item[s->n++] = (struct prepared_shard){mem_strdup(file), tokens};
}

void prepared_shards_release(struct prepared_shards *s)
{
    for (size_t i = 0; i < s->n; i++)
        mem_free(s->item[i].file);
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

static enum status read_shards(struct prepared_shards *s, const struct json *list,
                               struct err *err)
{
    if (list && list->kind != JSON_KIND_ARRAY)
        return err_set(err, STATUS_INPUT, "its shards are no list");
    for (const struct json *j = list ? list->child : NULL; j; j = j->next) {
        const struct json *file = json_get(j, "file");
        int64_t tokens = json_int_or(json_get(j, "tokens"), -1);
        if (!is_plain_name(file) || tokens < 1)
            return err_set(err, STATUS_INPUT,
                           "shard %zu has no file name or no count of tokens", s->n);
        prepared_shards_add(s, file->text, (uint64_t)tokens);
    }
    return STATUS_OK;
}

static enum status read_root(struct prepared_index *x, const struct json *root,
                             struct err *err)
{
    const char *dtype = json_string_or(json_get(root, "dtype"), "");
    int64_t vocabulary = json_int_or(json_get(root, "vocabulary"), 0);
    if (strcmp(json_string_or(json_get(root, "format"), ""), INDEX_FORMAT) != 0 ||
        json_int_or(json_get(root, "version"), 0) != INDEX_VERSION)
        return err_set(err, STATUS_INPUT,
                       "it is no index of version %d; prepare the data anew",
                       INDEX_VERSION);
    x->width = !strcmp(dtype, "uint16") ? 2 : !strcmp(dtype, "uint32") ? 4 : 0;
    if (!x->width)
        return err_set(err, STATUS_INPUT, "its dtype is neither uint16 nor uint32");
    if (vocabulary < 1 || (uint64_t)vocabulary > TOKENIZER_VOCABULARY_MAX)
        return err_set(err, STATUS_INPUT, "its vocabulary is not in 1 … 2^31");
    x->vocabulary = (size_t)vocabulary;
    enum status st = read_shards(&x->train, json_get(root, "train"), err);
    if (!st)
        st = read_shards(&x->validation, json_get(root, "validation"), err);
    return st;
}

enum status prepared_index_read(struct prepared_index *x, const char *dir,
                                struct err *err)
{
    char *path = data_dir_path(dir, PREPARED_INDEX_NAME), *text = NULL;
    size_t len;
    struct arena memory;
    struct err why = ERR_INIT;
    const struct json *root;
    *x = (struct prepared_index){0};
    arena_init(&memory);
    enum status st = file_read(&text, &len, path, INDEX_MAX_BYTES, err);
    if (!st) {
        st = json_read(&root, &memory, text, len, &why);
        if (!st)
            st = read_root(x, root, &why);
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
    write_shards(&w, "train", &x->train);
    write_shards(&w, "validation", &x->validation);
    json_end(&w);
    char *path = data_dir_path(dir, PREPARED_INDEX_NAME);
    enum status st = file_write(path, out.s, out.len, err);
    mem_free(path);
    strbuf_release(&out);
    return st;
}
