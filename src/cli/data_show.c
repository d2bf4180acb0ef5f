/* What a data set is. */
#ifdef GAIT_TRAIN
#include "base/json_writer.h"
#include "base/units.h"
#include "cli/data_actions.h"
#include "data/dataset.h"

#include <stdio.h>

enum { SHOW_JSON_VERSION = 1, SHOWN_TOKENS = 32, BUILTIN_CHARS = 2000000 };

static const char *kind_of(const struct tokenizer *t)
{
    static const char *const text[] = {[TOKENIZER_NONE] = "unknown",
                                       [TOKENIZER_BYTES] = "bytes",
                                       [TOKENIZER_CHARS] = "chars",
                                       [TOKENIZER_BPE] = "bpe"};
    return text[t->kind];
}

/* The first tokens, of which one may be outside the vocabulary. */
struct first_tokens {
    int32_t id[SHOWN_TOKENS];
    size_t n;
    struct strbuf text; /* empty where nobody knows it */
};

static enum status read_first(struct first_tokens *f, const struct dataset *d,
                              struct err *err)
{
    f->n = d->train.n < SHOWN_TOKENS ? d->train.n : SHOWN_TOKENS;
    enum status st = token_range_copy(&d->train, f->id, 0, f->n, d->vocabulary, err);
    if (!st && d->tokenizer.kind != TOKENIZER_NONE)
        tokenizer_decode(&d->tokenizer, &f->text, (const token_id *)f->id, f->n);
    return st;
}

static int dtype_bits(const struct dataset *d)
{
    return 8 * d->train.piece[0].width;
}

static void print_json(const struct dataset *d, const struct first_tokens *f,
                       const char *name, bool checked)
{
    struct strbuf out;
    struct json_writer w;
    char dtype[16];
    strbuf_init(&out);
    json_init(&w, &out);
    snprintf(dtype, sizeof dtype, "uint%d", dtype_bits(d));
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-data-show");
    json_field_int(&w, "version", SHOW_JSON_VERSION);
    json_field_string(&w, "dataset", name);
    json_field_string(&w, "kind", dataset_kind_text[d->kind]);
    json_field_string(&w, "tokenizer", kind_of(&d->tokenizer));
    json_field_int(&w, "vocabulary", (int64_t)d->vocabulary);
    json_field_string(&w, "vocabulary_from", d->vocabulary_from);
    json_field_string(&w, "dtype", dtype);
    json_field_int(&w, "train_tokens", (int64_t)d->train.n);
    json_field_int(&w, "validation_tokens", (int64_t)d->validation.n);
    json_key(&w, "checked");
    json_bool(&w, checked);
    json_key(&w, "first_tokens");
    json_begin_array(&w);
    for (size_t i = 0; i < f->n; i++)
        json_int(&w, f->id[i]);
    json_end(&w);
    json_key(&w, "first_text");
    if (d->tokenizer.kind == TOKENIZER_NONE)
        json_null(&w);
    else
        json_string(&w, f->text.s);
    json_end(&w);
    fputs(out.s, stdout);
    strbuf_release(&out);
}

static void print_lines(const struct dataset *d, const struct first_tokens *f,
                        const char *name, bool checked)
{
    struct strbuf quoted;
    struct json_writer w;
    printf("%s: %s\n", name, dataset_kind_text[d->kind]);
    printf("tokens      %s to train, %s to validate; uint%d\n",
           unit_thousands((int64_t)d->train.n).s,
           unit_thousands((int64_t)d->validation.n).s, dtype_bits(d));
    printf("vocabulary  %s (%s)\n", unit_thousands((int64_t)d->vocabulary).s,
           d->vocabulary_from);
    printf("tokenizer   %s\n", kind_of(&d->tokenizer));
    if (checked)
        printf("checked     every token is the one that was written\n");
    printf("first ids  ");
    for (size_t i = 0; i < f->n; i++)
        printf(" %d", f->id[i]);
    printf("\n");
    if (d->tokenizer.kind == TOKENIZER_NONE)
        return;
    strbuf_init(&quoted);
    json_init(&w, &quoted);
    json_string(&w, f->text.s);
    printf("first text  %s\n", quoted.s);
    strbuf_release(&quoted);
}

enum status data_show(const struct args *args, struct err *err)
{
    struct dataset d;
    struct dataset_options o = {.data_dir = args_value(args, "data-dir"),
                                .tokenizer = args_value(args, "tokenizer"),
                                .builtin_chars = BUILTIN_CHARS,
                                .builtin_seed = 1,
                                .validation_fraction = 0.1};
    bool check = args_has(args, "check");
    enum status st = data_only_input(&o.name, args, err);
    if (!st)
        st = dataset_open(&d, &o, err);
    if (st)
        return st;
    struct first_tokens f = {.n = 0};
    strbuf_init(&f.text);
    if (check)
        st = dataset_check(&d, o.name, err);
    if (!st)
        st = read_first(&f, &d, err);
    if (!st)
        (args_has(args, "json") ? print_json : print_lines)(&d, &f, o.name, check);
    strbuf_release(&f.text);
    dataset_close(&d);
    return st;
}
#endif
