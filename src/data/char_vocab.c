#include "data/char_vocab.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum status char_vocab_mark(uint8_t *seen, const char *text, size_t len, uint64_t base,
                            struct err *err)
{
    for (size_t at = 0, bytes; at < len; at += bytes) {
        int64_t code = utf8_read(text + at, len - at, &bytes);
        if (code < 0)
            return utf8_err(err, base + at);
        seen[code] = 1;
    }
    return STATUS_OK;
}

static void vocab_add(struct char_vocab *v, uint32_t code)
{
    if (code < 128)
        v->ascii[code] = (int32_t)v->n;
    utf8_write(v->utf8[v->n], code);
    v->code[v->n++] = code;
}

static void vocab_init(struct char_vocab *v, size_t n)
{
    *v = (struct char_vocab){.code = mem_zalloc(n, sizeof *v->code),
                             .utf8 = mem_zalloc(n, sizeof *v->utf8)};
    memset(v->ascii, -1, sizeof v->ascii);
}

void char_vocab_from_marks(struct char_vocab *v, const uint8_t *seen)
{
    size_t distinct = 0;
    for (uint32_t code = 0; code < UNICODE_CODES; code++)
        distinct += seen[code];
    vocab_init(v, distinct);
    for (uint32_t code = 0; code < UNICODE_CODES; code++)
        if (seen[code])
            vocab_add(v, code);
}

enum status char_vocab_from_codes(struct char_vocab *v, const uint32_t *code, size_t n,
                                  struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        bool surrogate = code[i] >= 0xd800 && code[i] < 0xe000;
        if (code[i] >= UNICODE_CODES || surrogate || (i && code[i] <= code[i - 1]))
            return err_set(err, STATUS_INPUT,
                           "the vocabulary's code points are not ascending characters; "
                           "is the file damaged?");
    }
    vocab_init(v, n);
    for (size_t i = 0; i < n; i++)
        vocab_add(v, code[i]);
    return STATUS_OK;
}

void char_vocab_release(struct char_vocab *v)
{
    mem_free(v->code);
    mem_free(v->utf8);
    *v = (struct char_vocab){0};
}

static int compare_code(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

int64_t char_vocab_find(const struct char_vocab *v, uint32_t code)
{
    if (code < 128)
        return v->ascii[code];
    const uint32_t *p = bsearch(&code, v->code, v->n, sizeof code, compare_code);
    return p ? p - v->code : -1;
}

enum status char_vocab_encode(const struct char_vocab *v, struct token_list *out,
                              const char *text, size_t len, uint64_t base,
                              struct err *err)
{
    for (size_t at = 0, bytes; at < len; at += bytes) {
        int64_t code = utf8_read(text + at, len - at, &bytes);
        if (code < 0)
            return utf8_err(err, base + at);
        int64_t found = char_vocab_find(v, (uint32_t)code);
        if (found < 0)
            return err_set_at(err, STATUS_INPUT, (int64_t)(base + at),
                              "the character at byte %llu (U+%04X) is not one of the %zu "
                              "that the vocabulary has; leave it out",
                              (unsigned long long)(base + at), (unsigned)code, v->n);
        token_list_add(out, (token_id)found);
    }
    return STATUS_OK;
}
