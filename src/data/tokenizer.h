/*
 * Text to tokens and back. Three kinds:
 *   bytes   a token is a byte; anything is a text
 *   chars   a token is a character of a vocabulary learned from a text (char_vocab.h)
 *   bpe     byte-level BPE of the GPT-2 and Llama 3 kind (bpe.h), ids as the reference's
 * and none, for token files of which nobody knows the text.
 *
 * Encoding is exact: decoding the tokens of a text gives that text. A tokenizer does not
 * change once it is made, so threads may share it, each with an encoder of its own.
 */
#ifndef GAIT_DATA_TOKENIZER_H
#define GAIT_DATA_TOKENIZER_H

#include "base/status.h"
#include "data/char_vocab.h"
#include "data/token_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpe;
struct strbuf;

/* Tokens are int32 in a batch. */
#define TOKENIZER_VOCABULARY_MAX ((size_t)1 << 31)

enum tokenizer_kind {
    TOKENIZER_NONE,
    TOKENIZER_BYTES,
    TOKENIZER_CHARS,
    TOKENIZER_BPE,
};

struct tokenizer {
    enum tokenizer_kind kind;
    size_t n;                /* vocabulary: ids are 0 … n - 1 */
    struct char_vocab chars; /* of CHARS */
    struct bpe *bpe;         /* of BPE; owned */
};

/* Each of these begins a tokenizer; on OK the caller calls tokenizer_release(). */
void tokenizer_init_bytes(struct tokenizer *t);
/* Learn the characters of text[0..len), UTF-8. An invalid sequence is an error with its
 * offset. */
enum status tokenizer_init_chars(struct tokenizer *t, const char *text, size_t len,
                                 struct err *err);
void tokenizer_release(struct tokenizer *t);

/* Do both give the same tokens to any text? Of BPE: by their files, byte for byte. */
bool tokenizer_is_same(const struct tokenizer *a, const struct tokenizer *b);

/* What one thread needs to encode. The tokenizer must outlive it. */
struct encoder;
struct encoder *encoder_new(const struct tokenizer *t);
void encoder_free(struct encoder *e); /* NULL is fine */
/* Append the tokens of text[0..len), at most 2^31 - 1 bytes. What cannot be encoded (not
 * UTF-8, a character outside the vocabulary) is an error; `base` is where the text stands
 * in the whole, for its message. */
enum status encoder_add(struct encoder *e, struct token_list *out, const char *text,
                        size_t len, uint64_t base, struct err *err);

/* Would the two sides of text[at], encoded alone, give what they give together? False
 * where this is not certain. The text is UTF-8 (except for bytes), and what follows its
 * end may be more of it. */
bool tokenizer_may_cut(const struct tokenizer *t, const char *text, size_t len,
                       size_t at);

/* All of a text with an encoder for this once. */
enum status tokenizer_encode(const struct tokenizer *t, struct token_list *out,
                             const char *text, size_t len, struct err *err);

/* The bytes of one token, for a stream: they need not be whole characters. They live as
 * long as the tokenizer. A token outside the vocabulary is a bug. */
const char *tokenizer_bytes(const struct tokenizer *t, token_id id, size_t *len);
/* Append the bytes of n tokens. */
void tokenizer_decode(const struct tokenizer *t, struct strbuf *out,
                      const token_id *tokens, size_t n);
/* The token that stands for exactly this text, an added one first; or -1. */
int64_t tokenizer_find(const struct tokenizer *t, const char *text, size_t len);

#endif
