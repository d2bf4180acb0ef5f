#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "data/dataset_parts.h"
#include "data/encode_pool.h"
#include "data/grammar.h"
#include "data/text_reader.h"
#include "data/tokenizer_file.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* Tokens as they come, in the width that the vocabulary needs. */
struct token_store {
    char *base; /* (n) of `width` bytes */
    size_t n, cap;
    int width;
};

static void store_one(struct token_store *s, token_id id)
{
    uint16_t narrow = (uint16_t)id;
    const void *from = s->width == 2 ? (const void *)&narrow : (const void *)&id;
    memcpy(s->base + s->n++ * (size_t)s->width, from, (size_t)s->width);
}

static enum status store_put(void *store, const struct text_chunk *chunk,
                             const struct token_list *tokens, struct err *err)
{
    (void)chunk, (void)err;
    struct token_store *s = store;
    if (s->n + tokens->n > s->cap) {
        s->cap = s->cap * 2 > s->n + tokens->n ? s->cap * 2 : s->n + tokens->n;
        s->base = mem_resize(s->base, s->cap, (size_t)s->width);
    }
    for (size_t i = 0; i < tokens->n; i++)
        store_one(s, tokens->id[i]);
    return STATUS_OK;
}

/* text_reader_get() and store_put() with one context. */
struct encoding {
    struct text_reader *reader;
    struct token_store store;
};

static enum status encoding_get(void *e, struct text_chunk *chunk, bool *end,
                                struct err *err)
{
    return text_reader_get(((struct encoding *)e)->reader, chunk, end, err);
}

static enum status encoding_put(void *e, const struct text_chunk *chunk,
                                const struct token_list *tokens, struct err *err)
{
    return store_put(&((struct encoding *)e)->store, chunk, tokens, err);
}

static enum status dataset_encode(struct dataset *d, struct text_reader *reader,
                                  int threads, struct err *err)
{
    struct encoding e = {.reader = reader,
                         .store = {.width = d->tokenizer.n <= 1 << 16 ? 2 : 4}};
    struct encode_job job = {.tokenizer = &d->tokenizer,
                             .threads = threads,
                             .get = encoding_get,
                             .put = encoding_put,
                             .context = &e};
    enum status st = encode_pool_run(&job, err);
    struct token_store *s = &e.store;
    if (!st && s->n)
        s->base = mem_resize(s->base, s->n, (size_t)s->width);
    d->tokens = s->base;
    d->memory_bytes = s->n * (size_t)s->width;
    d->vocabulary = d->tokenizer.n;
    d->vocabulary_from = "tokenizer";
    if (!st)
        token_range_add(&d->train, (struct token_piece){
                                       .base = s->base, .n = s->n, .width = s->width});
    return st;
}

/* A pipe would block and a device never end, so only regular files are read. */
static enum status check_files(const struct dataset_options *o, const char *const *path,
                               size_t paths, struct err *err)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < paths; i++) {
        struct stat s;
        if (stat(path[i], &s))
            return file_err(err, "read", path[i]);
        if (!S_ISREG(s.st_mode))
            return err_set(err, STATUS_INPUT,
                           "%s is not a regular file; name a text file, or builtin",
                           path[i]);
        bytes += (uint64_t)s.st_size;
    }
    if (!bytes)
        return err_set(err, STATUS_INPUT,
                       "%s is empty; name a text file with some content, or builtin",
                       o->name);
    bool cut = o->max_chars && o->max_chars < DATASET_TEXT_MAX_BYTES / UTF8_MAX_BYTES;
    if (bytes > DATASET_TEXT_MAX_BYTES && !cut)
        return err_set(err, STATUS_INPUT,
                       "%s has %llu bytes, and texts of more than 1 GiB are not held in "
                       "memory; run gait data prepare on it, and name its folder",
                       o->name, (unsigned long long)bytes);
    return STATUS_OK;
}

static bool takes_chars(const struct dataset_options *o)
{
    return dataset_tokenizer_is_auto(o) || !strcmp(o->tokenizer, "chars");
}

enum status dataset_open_text(struct dataset *d, const struct dataset_options *o,
                              const char *const *path, size_t paths, struct err *err)
{
    struct text_reader reader;
    d->kind = DATASET_TEXT;
    enum status st = check_files(o, path, paths, err);
    if (st)
        return st;
    if (takes_chars(o))
        st = text_reader_learn_chars(&d->tokenizer, path, paths, o->max_chars, err);
    else
        st = tokenizer_open(&d->tokenizer, o->tokenizer, o->data_dir, err);
    if (st)
        return st;
    text_reader_files(&reader, &d->tokenizer, path, paths, o->max_chars);
    st = dataset_encode(d, &reader, o->threads, err);
    text_reader_release(&reader);
    return st;
}

/* -log p of the sentences that lie wholly in text[split..], over their characters. */
static double tail_nats_per_char(const struct grammar *g, const struct strbuf *text,
                                 const struct grammar_text *info, size_t split)
{
    uint64_t sentence = 0;
    size_t begin = 0;
    while (begin < split && begin < text->len) {
        const char *end = memchr(text->s + begin, '\n', text->len - begin);
        if (!end)
            BUG("the built-in text does not end with a sentence");
        begin = (size_t)(end - text->s) + 1;
        sentence++;
    }
    struct strbuf scratch;
    strbuf_init(&scratch);
    double nats = 0;
    for (; sentence < info->sentences; sentence++) {
        strbuf_clear(&scratch);
        nats += grammar_sentence(g, &scratch, info->seed, sentence);
    }
    strbuf_release(&scratch);
    return begin < text->len ? nats / (double)(text->len - begin) : NAN;
}

static enum status encode_builtin(struct dataset *d, const struct dataset_options *o,
                                  const struct strbuf *text, struct err *err)
{
    struct text_reader reader;
    enum status st = takes_chars(o)
                         ? tokenizer_init_chars(&d->tokenizer, text->s, text->len, err)
                         : tokenizer_open(&d->tokenizer, o->tokenizer, o->data_dir, err);
    if (st)
        return st;
    text_reader_memory(&reader, &d->tokenizer, text->s, text->len);
    st = dataset_encode(d, &reader, o->threads, err);
    text_reader_release(&reader);
    return st ? st : dataset_split(d, o, err);
}

enum status dataset_open_builtin(struct dataset *d, const struct dataset_options *o,
                                 struct err *err)
{
    struct strbuf text;
    strbuf_init(&text);
    d->kind = DATASET_BUILTIN;
    size_t chars = o->builtin_chars;
    if (o->max_chars && o->max_chars < chars)
        chars = (size_t)o->max_chars;
    struct grammar *g = grammar_new(grammar_rules, grammar_rules_n);
    struct grammar_text info = grammar_write(g, &text, o->builtin_seed, chars);
    enum status st = encode_builtin(d, o, &text, err);
    /* A token is a character, and a character is a byte: the split counts all three. */
    if (!st && d->tokenizer.kind != TOKENIZER_BPE) {
        d->entropy_nats_per_char = g->nats_per_char;
        d->validation_nats_per_char = tail_nats_per_char(g, &text, &info, d->train.n);
    }
    grammar_free(g);
    strbuf_release(&text);
    return st;
}
