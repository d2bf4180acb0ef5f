/*
 * How byte-level vocabularies write bytes: each byte is one printable character, so that
 * a token is a readable string. Printable Latin-1 stands for itself; the 68 other bytes
 * are U+0100 and on, in their order (a space is U+0120).
 */
#ifndef GAIT_DATA_BYTE_CHARS_H
#define GAIT_DATA_BYTE_CHARS_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The code point that stands for a byte. */
uint32_t byte_char(uint8_t byte);

/* Append the characters that stand for bytes[0..len). */
void byte_chars_write(struct strbuf *out, const char *bytes, size_t len);

/* The bytes that a token's string stands for, into out (room for len); *n is how many.
 * False where it has a character that stands for no byte, or is not UTF-8. */
bool byte_chars_read(char *out, size_t *n, const char *string, size_t len);

#endif
