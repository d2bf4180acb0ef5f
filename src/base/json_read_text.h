/*
 * The words of a JSON text: white space, strings, numbers and literals, each with its
 * checks. A part of json_read.c, which makes the tree of them.
 */
#ifndef GAIT_BASE_JSON_READ_TEXT_H
#define GAIT_BASE_JSON_READ_TEXT_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { JSON_TEXT_END = -1 };

struct json_text {
    const char *s; /* (len) */
    size_t len, at;
    struct arena *arena; /* of decoded strings */
    struct err *err;
};

struct json_text_place {
    char s[24];
};

/* Pass white space; the byte that stands there, or JSON_TEXT_END. */
int json_text_peek(struct json_text *t);
/* The string that begins at the quote where t stands, decoded. */
enum status json_text_string(struct json_text *t, const char **out, size_t *len);
/* The number that begins where t stands, as written. */
enum status json_text_number(struct json_text *t, const char **out, size_t *len);
/* Pass a literal name where it stands here. */
bool json_text_word(struct json_text *t, const char *word);

/* What stands here, for a message. */
struct json_text_place json_text_here(const struct json_text *t);
/* STATUS_INPUT with the byte's offset in the text and in the message. */
enum status json_text_err(const struct json_text *t, size_t at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
