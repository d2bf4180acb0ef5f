/*
 * A JSON scanner over contiguous text that keeps no tree and copies nothing: every result
 * is a slice of the text. A step that needs text beyond the end says JSON_MORE and is
 * tried again, from its beginning, when there is more.
 *
 * It is meant for traces as they are, not as they should be: control characters inside
 * strings, bad escapes, bare words such as inf, and a comma before a closing bracket are
 * taken; anything that leaves the structure in doubt is JSON_BAD.
 */
#ifndef GAIT_TRACE_JSON_SCAN_H
#define GAIT_TRACE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JSON_NESTING_MAX = 32 }; /* of one value; deeper is JSON_BAD */

enum json_result { JSON_OK, JSON_MORE, JSON_BAD };

struct json_cursor {
    const char *p; /* at JSON_BAD: where the trouble is */
    const char *end;
};

/* A string without its quotes or a bare word, as it stands in the text. */
struct json_text {
    const char *s;
    size_t len;
    bool is_string;
    bool is_raw; /* has escapes or control characters: json_text_cook() before use */
};

static inline bool json_is_space(char ch)
{
    return ch == ' ' || ch == '\n' || ch == '\r' || ch == '\t';
}

/* Before a value or a mark: on JSON_OK, *c->p is the next byte that is no white space. */
enum json_result scan_space(struct json_cursor *c);
/* At a quote. */
enum json_result scan_string(struct json_cursor *c, struct json_text *out);
/* A string, number or word; objects and arrays are skipped and give an empty text. */
enum json_result scan_scalar(struct json_cursor *c, struct json_text *out);
enum json_result scan_skip(struct json_cursor *c);
/* Any value as it stands, brackets and all. */
enum json_result scan_raw_value(struct json_cursor *c, struct json_text *out);

/* The members of an object, after its opening bracket, with *first = true before the
 * first call. On JSON_OK either key->s is NULL and the closing bracket was taken, or the
 * cursor is at the member's value. */
enum json_result scan_next_member(struct json_cursor *c, bool *first,
                                  struct json_text *key);
/* The same for the elements of an array; *over says that the closing bracket was taken.
 */
enum json_result scan_next_element(struct json_cursor *c, bool *first, bool *over);

bool json_text_is(const struct json_text *t, const char *word);

/* What was done to a text to make it a name. */
enum {
    COOK_BAD_ESCAPE = 1, /* an escape that JSON does not know was kept as it stands */
    COOK_CUT = 2,        /* it was longer than cap */
};

/* The text with its escapes resolved, in at most cap bytes of dst; returns its length.
 * Control characters become spaces, so that a name never breaks a line or a terminal;
 * half surrogates become U+FFFD; a cut never splits a UTF-8 sequence. */
size_t json_text_cook(char *dst, size_t cap, const struct json_text *t, unsigned *done);

#endif
