/*
 * Reads the JSON that safetensors headers use, strictly and without allocating: objects,
 * arrays, strings, and integers that are not negative. Strings are decoded in place, for
 * a decoded string is never longer than its text. Errors carry the byte's offset.
 */
#ifndef GAIT_CHECKPOINT_HEADER_JSON_H
#define GAIT_CHECKPOINT_HEADER_JSON_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct header_json {
    char *text; /* (len), written to */
    size_t len, at;
};

/* Skip white space; is c next? If so it is taken. */
bool header_json_take(struct header_json *j, char c);
/* The same, and an error where it is not. */
enum status header_json_expect(struct header_json *j, char c, struct err *err);
/* The string lies in the text, NUL-terminated; it may hold further NULs. */
enum status header_json_string(struct header_json *j, const char **s, size_t *len,
                               struct err *err);
enum status header_json_uint(struct header_json *j, uint64_t *v, struct err *err);
/* Nothing but white space may follow. */
enum status header_json_end(struct header_json *j, struct err *err);

#endif
