#include "base/file.h"
#include "base/json_read.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/units.h"
#include "data/dataset_parts.h"
#include "data/prepared_index.h"
#include "data/token_look.h"
#include "data/tokenizer_file.h"

#include <string.h>

enum { META_MAX_BYTES = 16 << 20 };

static enum status refuse_cut(const struct dataset_options *o, struct err *err)
{
    if (!o->max_chars)
        return STATUS_OK;
    return err_set(err, STATUS_USAGE,
                   "max_chars cuts texts, and %s holds tokens; leave it out", o->name);
}

/* Is the tokenizer at path the one that the index knows by its hash? */
static enum status check_tokenizer(const struct prepared_index *x, const char *path,
                                   struct err *err)
{
    struct content_hash_text hash;
    enum status st = content_hash_file(&hash, path, err);
    if (!st && strcmp(hash.s, x->tokenizer.s) != 0)
        st = err_set(err, STATUS_INPUT,
                     "%s is not what gait data prepare wrote: it is damaged, or another "
                     "one; copy it again from where it is whole, or prepare the data "
                     "again",
                     path);
    return st;
}

/* The tokenizer by its setting, else by a tokenizer.json in the folder, else none. x: the
 * folder's index, or NULL. */
static enum status open_tokenizer(struct dataset *d, const struct dataset_options *o,
                                  const char *dir, const struct prepared_index *x,
                                  struct err *err)
{
    if (!dataset_tokenizer_is_auto(o)) {
        if (!strcmp(o->tokenizer, "chars"))
            return err_set(err, STATUS_USAGE,
                           "the tokenizer chars is made of a text, and %s holds tokens; "
                           "name the tokenizer.json that made them, or auto",
                           o->name);
        return tokenizer_open(&d->tokenizer, o->tokenizer, o->data_dir, err);
    }
    char *path = path_join(dir, TOKENIZER_FILE_NAME);
    enum status st = STATUS_OK;
    bool there = !file_is_absent(path);
    if (there && x && *x->tokenizer.s)
        st = check_tokenizer(x, path, err);
    if (there && !st)
        st = tokenizer_open(&d->tokenizer, path, NULL, err);
    mem_free(path);
    return st;
}

/* vocab_size of dir/meta.json; 0 where there is none. */
static enum status read_meta(size_t *vocabulary, const char *dir, struct err *err)
{
    char *path = path_join(dir, "meta.json"), *text;
    size_t len;
    struct arena memory;
    const struct json *root;
    enum status st = STATUS_OK;
    *vocabulary = 0;
    if (file_is_absent(path))
        goto out;
    st = file_read(&text, &len, path, META_MAX_BYTES, err);
    if (st)
        goto out;
    arena_init(&memory);
    struct err why = ERR_INIT;
    st = json_read(&root, &memory, text, len, &why);
    int64_t n = st ? 0 : json_int_or(json_get(root, "vocab_size"), 0);
    if (st)
        err_set_at(err, st, why.offset, "%s: %s", path, why.text);
    else if (n < 1 || (uint64_t)n > TOKENIZER_VOCABULARY_MAX)
        st = err_set(err, STATUS_INPUT,
                     "%s has no \"vocab_size\" of 1 … 2^31; correct it, or remove it",
                     path);
    *vocabulary = (size_t)n;
    arena_release(&memory);
    mem_free(text);
out:
    mem_free(path);
    return st;
}

static enum status take_vocabulary(struct dataset *d, const struct dataset_options *o,
                                   const struct prepared_index *x, struct err *err)
{
    d->vocabulary = x->vocabulary;
    d->vocabulary_from = "index";
    if (d->tokenizer.kind == TOKENIZER_NONE || d->tokenizer.n == x->vocabulary)
        return STATUS_OK;
    return err_set(err, STATUS_INPUT,
                   "%s was prepared with a vocabulary of %zu, and the tokenizer has %zu; "
                   "leave tokenizer at auto, or prepare the data again",
                   o->name, x->vocabulary, d->tokenizer.n);
}

static enum status find_vocabulary(struct dataset *d, const struct dataset_options *o,
                                   const char *dir, struct err *err)
{
    if (d->tokenizer.kind != TOKENIZER_NONE) {
        d->vocabulary = d->tokenizer.n;
        d->vocabulary_from = "tokenizer";
        return STATUS_OK;
    }
    enum status st = read_meta(&d->vocabulary, dir, err);
    d->vocabulary_from = "meta.json";
    if (st || d->vocabulary)
        return st;
    uint32_t a = token_range_max(&d->train), b = token_range_max(&d->validation);
    d->vocabulary = (size_t)(a > b ? a : b) + 1;
    d->vocabulary_from = "largest token";
    log_line("%s: the vocabulary is taken from the largest token: %zu (to set it, name a "
             "tokenizer, or write {\"vocab_size\": N} to meta.json beside the file)",
             o->name, d->vocabulary);
    return STATUS_OK;
}

static enum status add_files(struct dataset *d, const struct folder_list *files,
                             const struct prepared_index *x, struct err *err)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; i < files->n && !st; i++) {
        const char *path = files->path[i], *name = path_name(path);
        bool held = files->n > 1 && strstr(name, "val");
        st =
            dataset_add_file(d, held ? &d->validation : &d->train, path, x ? x->width : 0,
                             x ? prepared_index_find(x, name) : NULL, err);
    }
    return st;
}

static void warn_of_look(const char *path, const struct token_look *look)
{
    switch (look->kind) {
    case TOKEN_LOOK_TOKENS:
        return;
    case TOKEN_LOOK_FORMAT:
        log_line("gait: warning: %s begins as a file of another kind does: %s; training "
                 "on its bytes as tokens teaches nothing, name a file of tokens",
                 path, look->format);
        return;
    case TOKEN_LOOK_TEXT:
        log_line(
            "gait: warning: %s looks like a text, not like its tokens (%.0f %% of "
            "its bytes are printable): rename it to *.txt, or `gait data prepare` it",
            path, 100 * look->printable_frac);
        return;
    case TOKEN_LOOK_UNIFORM:
        log_line("gait: warning: %s does not look like tokens of a text: its ids repeat "
                 "%.1f times as often as random ones, those of a text hundreds of times; "
                 "is it compressed, encrypted or of another kind?",
                 path, look->repeats);
        return;
    }
}

/* Nothing in a raw file says what it is, so it is said what it is taken for. */
static void say_taken_for(const struct dataset *d, const char *name)
{
    bool raw = true;
    for (size_t i = 0; i < d->files; i++)
        raw = raw && !d->file[i].llmc;
    log_line("%s is taken as %s tokens of %d bits%s", name,
             unit_thousands((int64_t)(d->train.n + d->validation.n)).s,
             8 * d->train.piece[0].width, raw ? ", little-endian, without a header" : "");
    for (size_t i = 0; i < d->files; i++) {
        const struct token_file *f = &d->file[i];
        if (f->llmc || f->piece.width != 2)
            continue;
        struct token_look look = token_look(f->piece.base, f->piece.n);
        warn_of_look(f->path, &look);
    }
}

enum status dataset_open_tokens(struct dataset *d, const struct dataset_options *o,
                                const char *dir, const struct folder_list *files,
                                struct err *err)
{
    /* A shard of gait data prepare, named alone, is raw and as its index says. */
    struct prepared_index index, *x = NULL;
    d->kind = DATASET_TOKENS;
    enum status st = refuse_cut(o, err);
    if (!st && prepared_index_is_in(dir)) {
        st = prepared_index_read(&index, dir, err);
        x = st ? NULL : &index;
    }
    if (x && !prepared_index_find(x, path_name(files->path[0]))) {
        prepared_index_release(x); /* a file of its own beside the shards */
        x = NULL;
    }
    if (!st)
        st = open_tokenizer(d, o, dir, x, err);
    if (!st)
        st = add_files(d, files, x, err);
    if (!st && d->train.n && !x)
        say_taken_for(d, o->name);
    if (!st)
        st = x ? take_vocabulary(d, o, x, err) : find_vocabulary(d, o, dir, err);
    if (x)
        prepared_index_release(x);
    return st;
}

static enum status open_shards(struct dataset *d, struct token_range *to, const char *dir,
                               const struct prepared_shards *s, int width,
                               struct err *err)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; i < s->n && !st; i++) {
        char *path = path_join(dir, s->item[i].file);
        st = dataset_add_file(d, to, path, width, &s->item[i], err);
        mem_free(path);
    }
    return st;
}

enum status dataset_open_prepared(struct dataset *d, const struct dataset_options *o,
                                  const char *dir, struct err *err)
{
    struct prepared_index x;
    d->kind = DATASET_PREPARED;
    enum status st = refuse_cut(o, err);
    if (st)
        return st;
    st = prepared_index_read(&x, dir, err);
    if (st)
        return st;
    if (!*x.tokenizer.s)
        log_line("%s was prepared by an older gait, without hashes: damage to it goes "
                 "unnoticed; prepare the data again",
                 o->name);
    st = open_tokenizer(d, o, dir, &x, err);
    if (!st)
        st = take_vocabulary(d, o, &x, err);
    if (!st)
        st = open_shards(d, &d->train, dir, &x.train, x.width, err);
    if (!st)
        st = open_shards(d, &d->validation, dir, &x.validation, x.width, err);
    prepared_index_release(&x);
    return st;
}
