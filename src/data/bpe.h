/*
 * Byte-pair encoding over bytes, of the GPT-2 and the Llama 3 kind: a text is split into
 * words (word_split.h), a word begins as its bytes, and the pair of neighbours with the
 * lowest rank is merged, the leftmost first, until no pair has a rank.
 *
 * A struct bpe does not change once it is built (bpe_build.h): threads share it, each
 * with a bpe_work of its own.
 */
#ifndef GAIT_DATA_BPE_H
#define GAIT_DATA_BPE_H

#include "data/added_tokens.h"
#include "data/token_list.h"
#include "data/word_split.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A merge; rank UINT32_MAX marks a free slot. */
struct bpe_merge {
    token_id left, right, result;
    uint32_t rank;
};

struct bpe {
    enum word_pattern pattern;
    bool whole_words; /* a word that is a token is taken as it is (ignore_merges) */
    size_t n;         /* vocabulary, added tokens included; ids are 0 … n - 1 */
    char *text;       /* the bytes of all tokens, one after the other */
    uint32_t *begin;  /* (n + 1) of each token in text */
    token_id byte_token[256];
    struct bpe_merge *merge; /* (merge_slots) open addressing */
    size_t merge_slots;      /* a power of two */
    uint32_t *word;          /* (word_slots) id + 1 by the token's bytes, 0: free */
    size_t word_slots;       /* a power of two */
    struct added_tokens added;
    char *json; /* (json_len) as a tokenizer.json, which is what is saved */
    size_t json_len;
};

void bpe_free(struct bpe *b); /* NULL is fine */

/* The bytes of a token; id < n. */
const char *bpe_bytes(const struct bpe *b, token_id id, size_t *len);
/* The token of the vocabulary with these bytes (added ones not), or -1. */
int64_t bpe_find(const struct bpe *b, const char *bytes, size_t len);
/* The merge of two neighbours, or NULL. */
const struct bpe_merge *bpe_find_merge(const struct bpe *b, token_id left,
                                       token_id right);

static inline uint64_t bpe_pair_hash(token_id left, token_id right)
{
    uint64_t h = ((uint64_t)left << 32 | right) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}
uint64_t bpe_bytes_hash(const char *bytes, size_t len);

/* What a thread needs to encode; b must outlive it. */
struct bpe_work;
struct bpe_work *bpe_work_new(const struct bpe *b);
void bpe_work_free(struct bpe_work *w); /* NULL is fine */

/* Append the tokens of a word; time n log n of its bytes. */
void bpe_word(struct bpe_work *w, struct token_list *out, const char *word, size_t len);
/* Append the tokens of a whole text, which is UTF-8. */
void bpe_text(struct bpe_work *w, struct token_list *out, const char *text, size_t len);

#endif
