/*
 * The tokens of a text wherever they lie, in memory or in mapped files, two or four bytes
 * each, in one piece or in many: a place in the text is a number, and copying from any
 * place checks each token against the vocabulary, and files of which hashes are known
 * against those (token_check.h).
 */
#ifndef GAIT_DATA_TOKEN_RANGE_H
#define GAIT_DATA_TOKEN_RANGE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct token_check;

struct token_piece {
    const void *base; /* (n) little-endian unsigned integers of `width` bytes */
    size_t n;
    size_t begin; /* place of its first token in the range */
    int width;    /* 2 or 4 */
    /* For messages: the file, or NULL in memory, and where in it the piece begins. */
    const char *path;
    size_t path_at;
    struct token_check
        *check; /* of the file, or NULL: nobody knows what it should hold */
};

struct token_range {
    struct token_piece *piece; /* (pieces), in order, none empty; owned */
    size_t pieces, cap;
    size_t n; /* tokens of all */
};

/* Append a piece; begin is set here. What base and path point to must outlive the range.
 * An empty piece is left out. */
void token_range_add(struct token_range *r, struct token_piece piece);
/* Append the tokens begin … begin + n - 1 of another range, which share its storage. */
void token_range_add_part(struct token_range *r, const struct token_range *from,
                          size_t begin, size_t n);
void token_range_release(struct token_range *r);

/* Copy n tokens from a place on. One that is `vocabulary` or larger and a block that is
 * not what was written are errors that name the file and the place in it; out then holds
 * no token out of range. */
enum status token_range_copy(const struct token_range *r, int32_t *out, size_t begin,
                             size_t n, size_t vocabulary, struct err *err);
/* Compare all of it with its hashes, where they are known. */
enum status token_range_check(const struct token_range *r, struct err *err);
/* The largest token of all, 0 where there is none. */
uint32_t token_range_max(const struct token_range *r);

#endif
