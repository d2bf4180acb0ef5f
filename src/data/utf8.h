/* UTF-8 as code points and back. */
#ifndef GAIT_DATA_UTF8_H
#define GAIT_DATA_UTF8_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { UTF8_MAX_BYTES = 4 };

/* The code point at text[0..len) and, in *bytes, its length; -1 where it is no UTF-8. */
int64_t utf8_read(const char *text, size_t len, size_t *bytes);

/* The same of a text that is known to be UTF-8. */
static inline uint32_t utf8_code(const char *text, size_t *bytes)
{
    const unsigned char *u = (const unsigned char *)text;
    if (u[0] < 0x80) {
        *bytes = 1;
        return u[0];
    }
    if (u[0] < 0xe0) {
        *bytes = 2;
        return (u[0] & 0x1fu) << 6 | (u[1] & 0x3fu);
    }
    if (u[0] < 0xf0) {
        *bytes = 3;
        return (u[0] & 0x0fu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
    }
    *bytes = 4;
    return (u[0] & 0x07u) << 18 | (u[1] & 0x3fu) << 12 | (u[2] & 0x3fu) << 6 |
           (u[3] & 0x3fu);
}

/* Does the byte go on a character that another began? */
static inline int utf8_is_inside(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Write a code point; returns how many bytes it took. */
size_t utf8_write(char out[UTF8_MAX_BYTES], uint32_t code);

/* The error of a text that is not UTF-8 at byte `at`: what to do about it. */
enum status utf8_err(struct err *err, uint64_t at);
/* Is all of text[0..len) UTF-8? `base` is where text stands in the whole, for the
 * message. */
enum status utf8_check(const char *text, size_t len, uint64_t base, struct err *err);

#endif
