/* Data sets and tokenizers. */
#include "load_files.h"

#include "base/strbuf.h"
#include "data/bpe.h"
#include "data/dataset.h"
#include "data/tokenizer_file.h"
#include "load_parts.h"

enum { CONTEXT = 64 };

void hash_size(struct content_hash *hash, size_t n)
{
    content_hash_add(hash, &n, sizeof n);
}

void hash_tokenizer(struct content_hash *hash, const struct tokenizer *t)
{
    hash_size(hash, (size_t)t->kind);
    hash_size(hash, t->n);
    if (t->kind == TOKENIZER_CHARS)
        content_hash_add(hash, t->chars.code, t->n * sizeof *t->chars.code);
    if (t->kind == TOKENIZER_BPE)
        content_hash_add(hash, t->bpe->json, t->bpe->json_len);
}

static enum status hash_range(struct content_hash *hash, const struct token_range *r,
                              size_t vocabulary, struct err *err)
{
    int32_t window[CONTEXT];
    enum status st = STATUS_OK;
    hash_size(hash, r->n);
    for (size_t at = 0, n; at < r->n && !st; at += n) {
        n = r->n - at < CONTEXT ? r->n - at : CONTEXT;
        st = token_range_copy(r, window, at, n, vocabulary, err);
        content_hash_add(hash, window, n * sizeof *window);
    }
    return st;
}

static enum status load_dataset(struct content_hash *hash, const char *path,
                                struct err *err)
{
    struct dataset d;
    struct dataset_options o = {
        .name = path, .validation_fraction = 0.1, .context = CONTEXT};
    enum status st = dataset_open(&d, &o, err);
    if (st)
        return st;
    hash_size(hash, d.vocabulary);
    hash_tokenizer(hash, &d.tokenizer);
    st = hash_range(hash, &d.train, d.vocabulary, err);
    if (!st)
        st = hash_range(hash, &d.validation, d.vocabulary, err);
    dataset_close(&d);
    return st;
}

enum status load_tokens(struct content_hash *hash, const char *folder, struct err *err)
{
    return load_dataset(hash, folder, err);
}

enum status load_shard(struct content_hash *hash, const char *folder, struct err *err)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/train-00000.bin", folder);
    enum status st = load_dataset(hash, path.s, err);
    strbuf_release(&path);
    return st;
}

enum status load_tokenizer(struct content_hash *hash, const char *folder, struct err *err)
{
    struct strbuf path;
    struct tokenizer t;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/" TOKENIZER_FILE_NAME, folder);
    enum status st = tokenizer_open(&t, path.s, "", err);
    if (!st) {
        hash_tokenizer(hash, &t);
        tokenizer_release(&t);
    }
    strbuf_release(&path);
    return st;
}
