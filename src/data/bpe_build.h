/*
 * A struct bpe from a vocabulary and its merges, whatever file they came from. Legal
 * order: bpe_build_new, bpe_build_token for all, bpe_build_added, bpe_build_merge in the
 * order of ranks, bpe_build_finish; bpe_build_free at any time.
 */
#ifndef GAIT_DATA_BPE_BUILD_H
#define GAIT_DATA_BPE_BUILD_H

#include "base/status.h"
#include "data/bpe.h"

struct bpe_build;

struct bpe_build *bpe_build_new(enum word_pattern pattern, bool whole_words);
void bpe_build_free(struct bpe_build *b); /* NULL is fine */

/* A token of the vocabulary as byte_chars.h writes it. Its string and its id must be
 * new. */
enum status bpe_build_token(struct bpe_build *b, const char *string, size_t len,
                            int64_t id, struct err *err);
/* A token that is looked for in the text; where the vocabulary has it, with that id. */
enum status bpe_build_added(struct bpe_build *b, const char *text, size_t len, int64_t id,
                            bool second, struct err *err);
/* left and right become one; both and their sum are in the vocabulary. Where a pair comes
 * twice, the later one counts. */
enum status bpe_build_merge(struct bpe_build *b, const char *left, size_t left_len,
                            const char *right, size_t right_len, struct err *err);
/* Is this string in the vocabulary? */
bool bpe_build_has(const struct bpe_build *b, const char *string, size_t len,
                   int64_t *id);

/* The ids must be 0 … n - 1 without a gap, and each byte must have a token. On OK the
 * caller calls bpe_free(). json is what will be saved; it is taken over, also on
 * failure. */
enum status bpe_build_finish(struct bpe_build *b, struct bpe **out, char *json,
                             size_t json_len, struct err *err);

#endif
