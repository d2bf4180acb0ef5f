/*
 * The JSON of safetensors headers. Reading is strict and allocates nothing: strings are
 * decoded in place, for a decoded string is never longer than its text. What is skipped
 * is checked as strictly as what is used. Errors carry the byte's offset.
 *
 * What counts as JSON here is what the safetensors library takes (docs/checkpoints.md has
 * the list): values nest HEADER_JSON_DEPTH_MAX deep, a number must fit a double.
 */
#ifndef GAIT_CHECKPOINT_HEADER_JSON_H
#define GAIT_CHECKPOINT_HEADER_JSON_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

enum { HEADER_JSON_DEPTH_MAX = 127 };

struct header_json {
    char *text; /* (len), written to */
    size_t len, at;
};

/* Skip white space; is c next? header_json_take() also takes it. */
bool header_json_sees(struct header_json *j, char c);
bool header_json_take(struct header_json *j, char c);
/* The same, and an error where it is not. */
enum status header_json_expect(struct header_json *j, char c, struct err *err);
/* The string lies in the text, NUL-terminated; it may hold further NULs. */
enum status header_json_string(struct header_json *j, const char **s, size_t *len,
                               struct err *err);
/* A key of an object and its colon. */
enum status header_json_key(struct header_json *j, const char **s, size_t *len,
                            struct err *err);
enum status header_json_uint(struct header_json *j, uint64_t *v, struct err *err);
enum status header_json_null(struct header_json *j, struct err *err);
/* Any value; depth is that of what encloses it, 0 at the top. */
enum status header_json_skip(struct header_json *j, int depth, struct err *err);
/* Nothing but white space may follow. */
enum status header_json_end(struct header_json *j, struct err *err);

/* Sets err to what is wrong at a byte; for the readers of values. */
enum status header_json_fail(size_t at, const char *what, struct err *err);

/* Append s[0..len), UTF-8, as a JSON string in the form that the library writes. */
void header_json_quote(struct strbuf *out, const char *s, size_t len);

#endif
