/*
 * A JSON text as a tree, strictly: RFC 8259 and nothing else, UTF-8 checked, duplicate
 * keys refused, nesting bounded. Errors carry the byte's offset. The tree lives in the
 * caller's arena; strings are decoded and NUL-terminated, numbers keep their text.
 */
#ifndef GAIT_BASE_JSON_READ_H
#define GAIT_BASE_JSON_READ_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_kind {
    JSON_KIND_NULL,
    JSON_KIND_BOOL,
    JSON_KIND_NUMBER,
    JSON_KIND_STRING,
    JSON_KIND_ARRAY,
    JSON_KIND_OBJECT,
};

struct json {
    enum json_kind kind;
    bool truth;      /* of a boolean */
    const char *key; /* of an object's member, else NULL; may hold NULs */
    size_t key_len;
    const char *text;         /* a string decoded, or a number as written */
    size_t len;               /* of text */
    const struct json *child; /* first element or member, in the order of the text */
    const struct json *next;  /* sibling */
    size_t n;                 /* elements or members */
};

enum { JSON_READ_DEPTH_MAX = 64 };

/* On OK *out is the root; it lives as long as the arena. */
enum status json_read(const struct json **out, struct arena *a, const char *text,
                      size_t len, struct err *err);

/* The member of an object, or NULL: also where j is NULL or no object. It looks at one
 * member after the other: walk child and next where many are wanted. */
const struct json *json_get(const struct json *j, const char *key);
/* The value where j is of that kind and fits, else the default; j may be NULL. An integer
 * has neither point nor exponent. */
int64_t json_int_or(const struct json *j, int64_t otherwise);
double json_double_or(const struct json *j, double otherwise);
bool json_bool_or(const struct json *j, bool otherwise);
const char *json_string_or(const struct json *j, const char *otherwise);

#endif
