/*
 * Strings that are one token wherever they stand in a text, such as <|endoftext|>: they
 * are found before the rest is split and merged, leftmost first, and of those that begin
 * at one place the longest.
 */
#ifndef GAIT_DATA_ADDED_TOKENS_H
#define GAIT_DATA_ADDED_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct added_token {
    char *text; /* owned by the list; not empty */
    size_t len;
    uint32_t id;
    /* The reference looks for those that are not "normalized" in the whole text first,
     * and for the others in what lies between. */
    bool second;
};

struct added_tokens {
    struct added_token *item; /* (n), sorted by second, then by text */
    size_t n, cap;
    size_t firsts;          /* how many are not `second` */
    bool begins[2][1 << 8]; /* by pass: does one begin with this byte? */
};

/* The text is copied. Not to be found before added_tokens_sort(). */
void added_tokens_add(struct added_tokens *a, const char *text, size_t len, uint32_t id,
                      bool second);
void added_tokens_sort(struct added_tokens *a);
void added_tokens_release(struct added_tokens *a);

/* The next occurrence of a token of the pass (0 or 1) in text[0..len): *at is where it
 * begins. NULL where there is none. */
const struct added_token *added_tokens_next(const struct added_tokens *a, int pass,
                                            const char *text, size_t len, size_t *at);

/* Does an occurrence of any token begin before text[at] and end behind it? One that the
 * end of the text cuts counts too: the text may be a part of a longer one. */
bool added_tokens_cover(const struct added_tokens *a, const char *text, size_t len,
                        size_t at);
/* The token with this text, or NULL. */
const struct added_token *added_tokens_find(const struct added_tokens *a,
                                            const char *text, size_t len);

#endif
