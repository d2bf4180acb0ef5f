#include "data/tokenizer.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "data/bpe.h"

#include <string.h>

struct encoder {
    const struct tokenizer *tokenizer;
    struct bpe_work *work; /* of BPE */
};

void tokenizer_init_bytes(struct tokenizer *t)
{
    *t = (struct tokenizer){.kind = TOKENIZER_BYTES, .n = 256};
}

enum status tokenizer_init_chars(struct tokenizer *t, const char *text, size_t len,
                                 struct err *err)
{
    *t = (struct tokenizer){.kind = TOKENIZER_CHARS};
    uint8_t *seen = mem_zalloc(UNICODE_CODES, 1);
    enum status st = char_vocab_mark(seen, text, len, 0, err);
    if (!st) {
        char_vocab_from_marks(&t->chars, seen);
        t->n = t->chars.n;
    }
    mem_free(seen);
    return st;
}

void tokenizer_release(struct tokenizer *t)
{
    char_vocab_release(&t->chars);
    bpe_free(t->bpe);
    *t = (struct tokenizer){0};
}

bool tokenizer_is_same(const struct tokenizer *a, const struct tokenizer *b)
{
    if (a->kind != b->kind || a->n != b->n)
        return false;
    if (a->kind == TOKENIZER_CHARS)
        return !memcmp(a->chars.code, b->chars.code, a->n * sizeof *a->chars.code);
    if (a->kind == TOKENIZER_BPE)
        return a->bpe->json_len == b->bpe->json_len &&
               !memcmp(a->bpe->json, b->bpe->json, a->bpe->json_len);
    return true;
}

struct encoder *encoder_new(const struct tokenizer *t)
{
    struct encoder *e = mem_zalloc(1, sizeof *e);
    e->tokenizer = t;
    if (t->kind == TOKENIZER_BPE)
        e->work = bpe_work_new(t->bpe);
    return e;
}

void encoder_free(struct encoder *e)
{
    if (!e)
        return;
    bpe_work_free(e->work);
    mem_free(e);
}

static void add_bytes(struct token_list *out, const char *text, size_t len)
{
    vec_grow(out->id, out->cap, out->n + len);
    for (size_t i = 0; i < len; i++)
        out->id[out->n++] = (unsigned char)text[i];
}

enum status encoder_add(struct encoder *e, struct token_list *out, const char *text,
                        size_t len, uint64_t base, struct err *err)
{
    enum status st;
    if (len > INT32_MAX)
        BUG("a text of %zu bytes at once", len);
    switch (e->tokenizer->kind) {
    case TOKENIZER_BYTES:
        add_bytes(out, text, len);
        return STATUS_OK;
    case TOKENIZER_CHARS:
        return char_vocab_encode(&e->tokenizer->chars, out, text, len, base, err);
    case TOKENIZER_BPE:
        st = utf8_check(text, len, base, err);
        if (!st)
            bpe_text(e->work, out, text, len);
        return st;
    case TOKENIZER_NONE:
        break;
    }
    BUG("a text for a tokenizer of kind %d", (int)e->tokenizer->kind);
}

bool tokenizer_may_cut(const struct tokenizer *t, const char *text, size_t len, size_t at)
{
    if (at == 0 || at >= len)
        return false;
    switch (t->kind) {
    case TOKENIZER_BYTES:
        return true;
    case TOKENIZER_CHARS:
        return !utf8_is_inside(text[at]);
    case TOKENIZER_BPE:
        return word_ends_surely(text, len, at) &&
               !added_tokens_cover(&t->bpe->added, text, len, at);
    case TOKENIZER_NONE:
        break;
    }
    return false;
}

enum status tokenizer_encode(const struct tokenizer *t, struct token_list *out,
                             const char *text, size_t len, struct err *err)
{
    struct encoder *e = encoder_new(t);
    enum status st = encoder_add(e, out, text, len, 0, err);
    encoder_free(e);
    return st;
}

/* Each byte as a text of one. */
static const char *one_byte(token_id id)
{
    static const unsigned char all[256] = {
#define ROW(b)                                                                           \
    b, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9, b + 10, b + 11,    \
        b + 12, b + 13, b + 14, b + 15
        ROW(0),   ROW(16),  ROW(32),  ROW(48),  ROW(64),  ROW(80),  ROW(96),  ROW(112),
        ROW(128), ROW(144), ROW(160), ROW(176), ROW(192), ROW(208), ROW(224), ROW(240),
#undef ROW
    };
    return (const char *)&all[id];
}

static size_t utf8_bytes(uint32_t code)
{
    return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

const char *tokenizer_bytes(const struct tokenizer *t, token_id id, size_t *len)
{
    if (id >= t->n)
        BUG("token %u of a vocabulary of %zu", id, t->n);
    switch (t->kind) {
    case TOKENIZER_BYTES:
        *len = 1;
        return one_byte(id);
    case TOKENIZER_CHARS:
        *len = utf8_bytes(t->chars.code[id]);
        return t->chars.utf8[id];
    case TOKENIZER_BPE:
        return bpe_bytes(t->bpe, id, len);
    case TOKENIZER_NONE:
        break;
    }
    BUG("bytes of a token of unknown text");
}

void tokenizer_decode(const struct tokenizer *t, struct strbuf *out,
                      const token_id *tokens, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t len;
        const char *bytes = tokenizer_bytes(t, tokens[i], &len);
        strbuf_add(out, bytes, len);
    }
}

int64_t tokenizer_find(const struct tokenizer *t, const char *text, size_t len)
{
    size_t bytes;
    int64_t code;
    const struct added_token *added;
    switch (t->kind) {
    case TOKENIZER_BYTES:
        return len == 1 ? (unsigned char)text[0] : -1;
    case TOKENIZER_CHARS:
        code = utf8_read(text, len, &bytes);
        return code >= 0 && bytes == len ? char_vocab_find(&t->chars, (uint32_t)code)
                                         : -1;
    case TOKENIZER_BPE:
        added = added_tokens_find(&t->bpe->added, text, len);
        return added ? added->id : bpe_find(t->bpe, text, len);
    case TOKENIZER_NONE:
        break;
    }
    return -1;
}
