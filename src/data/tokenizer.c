#include "data/tokenizer.h"

#include "base/json_writer.h"
#include "base/mem.h"
#include "base/strbuf.h"

#include <stdlib.h>
#include <string.h>

enum { CODE_POINTS = 0x110000 };

/* The code point at text[0..len) and, in *bytes, its length; -1 where it is no UTF-8. */
static int64_t utf8_read(const char *text, size_t len, size_t *bytes)
{
    int n = utf8_sequence_len(text, len);
    if (!n)
        return -1;
    const unsigned char *u = (const unsigned char *)text;
    uint32_t code = n == 1 ? u[0] : u[0] & (0x7fu >> n);
    for (int i = 1; i < n; i++)
        code = code << 6 | (u[i] & 0x3fu);
    *bytes = (size_t)n;
    return code;
}

static void utf8_append(struct strbuf *out, uint32_t code)
{
    if (code < 0x80) {
        strbuf_putc(out, (char)code);
        return;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3; /* bytes after the first */
    uint32_t lead = (0xff00u >> (more + 1)) & 0xffu;
    strbuf_putc(out, (char)(lead | code >> (6 * more)));
    while (more--)
        strbuf_putc(out, (char)(0x80u | ((code >> (6 * more)) & 0x3fu)));
}

static enum status utf8_err(struct err *err, size_t at)
{
    return err_set_at(err, STATUS_INPUT, (int64_t)at,
                      "byte %zu does not begin a UTF-8 character; convert the text, for "
                      "example with iconv -f latin1 -t utf-8",
                      at);
}

/* Mark the text's code points in seen and count the distinct ones. */
static enum status mark_codes(uint8_t *seen, size_t *distinct, const char *text,
                              size_t len, struct err *err)
{
    *distinct = 0;
    for (size_t at = 0, bytes; at < len; at += bytes) {
        int64_t code = utf8_read(text + at, len - at, &bytes);
        if (code < 0)
            return utf8_err(err, at);
        *distinct += !seen[code];
        seen[code] = 1;
    }
    if (*distinct > TOKENIZER_VOCABULARY_MAX)
        return err_set(err, STATUS_INPUT,
                       "the text has %zu distinct characters and at most %d can be told "
                       "apart; is it a text?",
                       *distinct, TOKENIZER_VOCABULARY_MAX);
    return STATUS_OK;
}

enum status tokenizer_init(struct tokenizer *t, const char *text, size_t len,
                           struct err *err)
{
    *t = (struct tokenizer){0};
    uint8_t *seen = mem_zalloc(CODE_POINTS, 1);
    size_t distinct;
    enum status st = mark_codes(seen, &distinct, text, len, err);
    if (st)
        goto out;
    memset(t->ascii, -1, sizeof t->ascii);
    t->code = mem_alloc(distinct * sizeof *t->code);
    for (uint32_t code = 0; code < CODE_POINTS; code++) {
        if (!seen[code])
            continue;
        if (code < 128)
            t->ascii[code] = (int32_t)t->n;
        t->code[t->n++] = code;
    }
out:
    mem_free(seen);
    return st;
}

void tokenizer_release(struct tokenizer *t)
{
    mem_free(t->code);
    *t = (struct tokenizer){0};
}

static int compare_code(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

int32_t tokenizer_find(const struct tokenizer *t, uint32_t code)
{
    if (code < 128)
        return t->ascii[code];
    const uint32_t *p = bsearch(&code, t->code, t->n, sizeof code, compare_code);
    return p ? (int32_t)(p - t->code) : -1;
}

enum status tokenizer_encode(const struct tokenizer *t, token_id *out, size_t *n,
                             const char *text, size_t len, struct err *err)
{
    *n = 0;
    for (size_t at = 0, bytes; at < len; at += bytes) {
        int64_t code = utf8_read(text + at, len - at, &bytes);
        if (code < 0)
            return utf8_err(err, at);
        int32_t found = tokenizer_find(t, (uint32_t)code);
        if (found < 0)
            return err_set_at(err, STATUS_INPUT, (int64_t)at,
                              "the character at byte %zu (U+%04X) is not one of the %zu "
                              "that the model knows; leave it out",
                              at, (unsigned)code, t->n);
        out[(*n)++] = (token_id)found;
    }
    return STATUS_OK;
}

void tokenizer_decode(const struct tokenizer *t, struct strbuf *out,
                      const token_id *tokens, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (tokens[i] >= t->n)
            BUG("token %u of a vocabulary of %zu", tokens[i], t->n);
        utf8_append(out, t->code[tokens[i]]);
    }
}
