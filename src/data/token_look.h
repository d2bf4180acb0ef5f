/*
 * Does a raw file of tokens look like one? Two bytes of anything are a token, so a file
 * that holds something else trains without an error. Three signs, each of which real
 * tokens do not show:
 *   format    the file begins as a known format does (ELF, gzip, PNG, …);
 *   text      nearly all bytes are printable: a text, not its tokens;
 *   uniform   ids repeat hardly more often than uniform ones would: random, compressed or
 *             encrypted bytes. Tokens of a text repeat hundreds of times as often, with
 *             any tokenizer, as few words make up most of a text.
 */
#ifndef GAIT_DATA_TOKEN_LOOK_H
#define GAIT_DATA_TOKEN_LOOK_H

#include <stddef.h>
#include <stdint.h>

enum token_look_kind {
    TOKEN_LOOK_TOKENS, /* no sign against it */
    TOKEN_LOOK_FORMAT,
    TOKEN_LOOK_TEXT,
    TOKEN_LOOK_UNIFORM,
};

struct token_look {
    enum token_look_kind kind;
    const char *format;    /* its name: TOKEN_LOOK_FORMAT only */
    double printable_frac; /* of the sampled bytes */
    double repeats; /* of the sampled ids: how often two are the same, over how often
                       uniform ones below the largest are; NAN: too few */
};

/* docs/data.md */
#define TOKEN_LOOK_TEXT_MIN_FRAC 0.95  /* printable bytes: from here on it is a text */
#define TOKEN_LOOK_REPEATS_MIN 10.0    /* fewer repeats: uniform */
#define TOKEN_LOOK_VOCABULARY_MIN 4096 /* small vocabularies may be used evenly */
#define TOKEN_LOOK_SAMPLE_MIN 4096     /* ids */

/* Looks at 65,536 ids at most, in blocks over the whole file. */
struct token_look token_look(const uint16_t *id, size_t n);

#endif
