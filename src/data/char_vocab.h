/*
 * A token is a character: the vocabulary is a text's distinct Unicode code points in
 * ascending order, and a token is a place in it. Encoding and decoding are exact inverses
 * of each other on valid UTF-8.
 */
#ifndef GAIT_DATA_CHAR_VOCAB_H
#define GAIT_DATA_CHAR_VOCAB_H

#include "base/status.h"
#include "data/token_list.h"
#include "data/unicode_class.h"
#include "data/utf8.h"

#include <stddef.h>
#include <stdint.h>

struct char_vocab {
    uint32_t *code;               /* (n) code points, ascending */
    char (*utf8)[UTF8_MAX_BYTES]; /* (n) the same as text */
    size_t n;
    int32_t ascii[128]; /* token of each ASCII character, -1: not in the vocabulary */
};

/* Learning in parts: mark what each part of the text has, then make the vocabulary of the
 * marks. `seen` has UNICODE_CODES bytes, zeroed before the first part. */
enum status char_vocab_mark(uint8_t *seen, const char *text, size_t len, uint64_t base,
                            struct err *err);
void char_vocab_from_marks(struct char_vocab *v, const uint8_t *seen);
/* code[0..n) must ascend and be code points; else an error. */
enum status char_vocab_from_codes(struct char_vocab *v, const uint32_t *code, size_t n,
                                  struct err *err);
void char_vocab_release(struct char_vocab *v);

/* The token of a code point, or -1. */
int64_t char_vocab_find(const struct char_vocab *v, uint32_t code);
/* Append the tokens of text[0..len), which stands at `base` of the whole; a character
 * that is not in the vocabulary is an error with its offset. */
enum status char_vocab_encode(const struct char_vocab *v, struct token_list *out,
                              const char *text, size_t len, uint64_t base,
                              struct err *err);

#endif
