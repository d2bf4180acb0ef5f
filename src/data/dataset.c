#include "data/dataset.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "data/grammar.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* A pipe would block and a device never end, so only regular files are read. */
static enum status text_read(struct strbuf *text, const char *path, struct err *err)
{
    struct stat s;
    if (stat(path, &s))
        return file_err(err, "read", path);
    if (!S_ISREG(s.st_mode))
        return err_set(err, STATUS_INPUT,
                       "%s is not a regular file; name a text file, or builtin", path);
    char *read;
    size_t len;
    enum status st = file_read(&read, &len, path, DATASET_FILE_MAX_BYTES, err);
    if (st)
        return st;
    strbuf_release(text);
    *text = (struct strbuf){.s = read, .len = len, .cap = len + 1};
    if (!len)
        return err_set(err, STATUS_INPUT,
                       "%s is empty; name a text file with some content, or builtin",
                       path);
    return STATUS_OK;
}

static enum status dataset_encode(struct dataset *d, const struct strbuf *text,
                                  const char *name, struct err *err)
{
    struct err why = ERR_INIT;
    enum status st = tokenizer_init(&d->tokenizer, text->s, text->len, &why);
    if (!st) {
        d->tokens = mem_alloc(text->len * sizeof *d->tokens);
        st = tokenizer_encode(&d->tokenizer, d->tokens, &d->n, text->s, text->len, &why);
    }
    if (!st) { /* fewer than bytes, where characters have several */
        d->tokens = mem_resize(d->tokens, d->n, sizeof *d->tokens);
        return STATUS_OK;
    }
    err_prefix(&why, "%s", name);
    return err_set_at(err, st, why.offset, "%s", why.text);
}

static enum status dataset_split(struct dataset *d, const struct dataset_options *o,
                                 struct err *err)
{
    size_t held = (size_t)llround((double)d->n * o->validation_fraction);
    size_t least = o->context + 1, train = d->n - held;
    if (train < least || held < least)
        return err_set(
            err, STATUS_INPUT,
            "%s has %zu characters: %zu to train and %zu to validate, and each "
            "part needs context + 1 = %zu; use a longer text, a smaller "
            "context or another validation_fraction",
            o->name, d->n, train, held, least);
    d->train = (struct token_range){d->tokens, train};
    d->validation = (struct token_range){d->tokens + train, held};
    return STATUS_OK;
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

static enum status dataset_build(struct dataset *d, const struct strbuf *text,
                                 const struct dataset_options *o, struct err *err)
{
    enum status st = dataset_encode(d, text, o->name, err);
    return st ? st : dataset_split(d, o, err);
}

static enum status dataset_open_builtin(struct dataset *d, struct strbuf *text,
                                        const struct dataset_options *o, struct err *err)
{
    struct grammar *g = grammar_new(grammar_rules, grammar_rules_n);
    struct grammar_text info = grammar_write(g, text, o->builtin_seed, o->builtin_chars);
    enum status st = dataset_build(d, text, o, err);
    if (!st) {
        /* One byte a character: the split counts bytes too. */
        d->entropy_nats_per_char = g->nats_per_char;
        d->validation_nats_per_char = tail_nats_per_char(g, text, &info, d->train.n);
    }
    grammar_free(g);
    return st;
}

enum status dataset_open(struct dataset *d, const struct dataset_options *o,
                         struct err *err)
{
    if (!(o->validation_fraction > 0 && o->validation_fraction < 1))
        BUG("validation_fraction %g", o->validation_fraction);
    *d = (struct dataset){.entropy_nats_per_char = NAN, .validation_nats_per_char = NAN};
    struct strbuf text;
    strbuf_init(&text);
    enum status st;
    if (!strcmp(o->name, "builtin")) {
        st = dataset_open_builtin(d, &text, o, err);
    } else {
        st = text_read(&text, o->name, err);
        if (!st)
            st = dataset_build(d, &text, o, err);
    }
    strbuf_release(&text);
    if (st)
        dataset_close(d);
    return st;
}

void dataset_close(struct dataset *d)
{
    tokenizer_release(&d->tokenizer);
    mem_free(d->tokens);
    *d = (struct dataset){0};
}
