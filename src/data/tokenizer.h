/*
 * A token is a character: the vocabulary is the text's distinct Unicode code points in
 * ascending order, and a token is a place in it. Encoding and decoding are exact inverses
 * of each other on valid UTF-8.
 */
#ifndef GAIT_DATA_TOKENIZER_H
#define GAIT_DATA_TOKENIZER_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct strbuf;

typedef uint16_t token_id;

/* More distinct characters than this are refused: tokens have 16 bits. */
enum { TOKENIZER_VOCABULARY_MAX = 65536 };

struct tokenizer {
    uint32_t *code; /* (n) code points, ascending */
    size_t n;
    int32_t ascii[128]; /* token of each ASCII character, -1: not in the vocabulary */
};

/* Learn the vocabulary of text[0..len), UTF-8. An invalid sequence is an error with its
 * offset. On OK the caller calls tokenizer_release(). */
enum status tokenizer_init(struct tokenizer *t, const char *text, size_t len,
                           struct err *err);
void tokenizer_release(struct tokenizer *t);

/* The token of a code point, or -1. */
int32_t tokenizer_find(const struct tokenizer *t, uint32_t code);

/* Encode text[0..len) into out, which has room for len tokens; *n is how many it took. A
 * character that is not in the vocabulary is an error with its offset. */
enum status tokenizer_encode(const struct tokenizer *t, token_id *out, size_t *n,
                             const char *text, size_t len, struct err *err);
/* Append the characters of n tokens; one outside the vocabulary is a bug. */
void tokenizer_decode(const struct tokenizer *t, struct strbuf *out,
                      const token_id *tokens, size_t n);

#endif
