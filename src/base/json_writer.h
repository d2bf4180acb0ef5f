/*
 * Writes one JSON document into a strbuf, indented, commas placed by itself. Strings are
 * escaped and bytes that are not UTF-8 become U+FFFD, so that the output is valid
 * whatever a trace held. Calls nest: json_begin_object(), json_key(), a value …,
 * json_end().
 */
#ifndef GAIT_BASE_JSON_WRITER_H
#define GAIT_BASE_JSON_WRITER_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

enum { JSON_DEPTH_MAX = 32, JSON_NUMBER_MAX = 40 };

struct json_writer {
    struct strbuf *out;
    int depth;
    char close[JSON_DEPTH_MAX]; /* ']' or '}' of each open level */
    bool filled[JSON_DEPTH_MAX];
    bool after_key;
    bool compact; /* no line breaks: set it before the first call */
};

void json_init(struct json_writer *w, struct strbuf *out);
void json_begin_object(struct json_writer *w);
void json_begin_array(struct json_writer *w);
void json_end(struct json_writer *w);
void json_key(struct json_writer *w, const char *key);
void json_string(struct json_writer *w, const char *s);
void json_int(struct json_writer *w, int64_t v);
void json_bool(struct json_writer *w, bool v);
void json_null(struct json_writer *w);
/* Text that the caller knows to be one JSON value. */
void json_raw(struct json_writer *w, const char *json);
/* A number with at most `decimals` digits after the point; NaN and Inf become null. */
void json_double(struct json_writer *w, double v, int decimals);
/* The shortest text of a finite number that reads back as exactly v. */
void json_number_text(char out[JSON_NUMBER_MAX], double v);
/* A number that reads back as exactly v, however small; NaN and Inf become null. */
void json_exact(struct json_writer *w, double v);
/* Nanoseconds as exact microseconds with up to three decimals. */
void json_ns_as_us(struct json_writer *w, int64_t ns);

/* key and value in one call */
void json_field_string(struct json_writer *w, const char *key, const char *s);
/* NULL and "" become null. */
void json_field_text_or_null(struct json_writer *w, const char *key, const char *s);
void json_field_int(struct json_writer *w, const char *key, int64_t v);
void json_field_double(struct json_writer *w, const char *key, double v, int decimals);
void json_field_exact(struct json_writer *w, const char *key, double v);
void json_field_us(struct json_writer *w, const char *key, int64_t ns);

/* Characters of a UTF-8 text, which are its columns on a screen: bytes are more. */
int utf8_letters(const char *s);
/* The length of the UTF-8 sequence at s[0..len), or 0 where it is invalid. */
int utf8_sequence_len(const char *s, size_t len);
bool utf8_is_valid(const char *s, size_t len);

#endif
