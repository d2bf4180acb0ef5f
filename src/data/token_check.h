/*
 * Are the tokens of a mapped file those that were written? gait data prepare keeps a hash
 * of each block of a shard; a block is compared with it the first time that one of its
 * tokens is used. So nothing is used that was not checked, and a data set of any size
 * opens at once: what is read is what is checked.
 */
#ifndef GAIT_DATA_TOKEN_CHECK_H
#define GAIT_DATA_TOKEN_CHECK_H

#include "base/content_hash.h"

#include <stdint.h>

/* As much as a fault of a mapped page reads anyhow (Linux's read-ahead), and a hash of 32
 * digits for each is 1/4000 of the tokens. */
enum { TOKEN_BLOCK_BYTES = 1 << 17 };

/* Blocks of so many bytes; the last may be short. */
size_t token_blocks(uint64_t bytes);

struct token_check;

/* Of base[0..bytes), the whole file; both must outlive it. hashes: CONTENT_HASH_DIGITS
 * for each block, copied. The caller calls token_check_free(). */
struct token_check *token_check_new(const char *path, const void *base, size_t bytes,
                                    const char *hashes);
void token_check_free(struct token_check *c); /* NULL is fine */

/* See that at[0..n), a part of it, is what was written. From any thread. */
enum status token_check_part(struct token_check *c, const void *at, size_t n,
                             struct err *err);

#endif
