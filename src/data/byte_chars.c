#include "data/byte_chars.h"

#include "data/utf8.h"

static bool stands_for_itself(uint32_t byte)
{
    return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte != 0xad);
}

uint32_t byte_char(uint8_t byte)
{
    if (stands_for_itself(byte))
        return byte;
    uint32_t others = 0; /* before it */
    for (uint32_t b = 0; b < byte; b++)
        others += !stands_for_itself(b);
    return 0x100 + others;
}

/* The byte of a character, or -1. */
static int byte_of(int64_t code)
{
    if (code < 0x100)
        return code >= 0 && stands_for_itself((uint32_t)code) ? (int)code : -1;
    int64_t others = code - 0x100;
    for (int b = 0; b < 0x100; b++)
        if (!stands_for_itself((uint32_t)b) && others-- == 0)
            return b;
    return -1;
}

void byte_chars_write(struct strbuf *out, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char utf8[UTF8_MAX_BYTES];
        strbuf_add(out, utf8, utf8_write(utf8, byte_char((uint8_t)bytes[i])));
    }
}

bool byte_chars_read(char *out, size_t *n, const char *string, size_t len)
{
    *n = 0;
    for (size_t at = 0, bytes; at < len; at += bytes) {
        int byte = byte_of(utf8_read(string + at, len - at, &bytes));
        if (byte < 0)
            return false;
        out[(*n)++] = (char)byte;
    }
    return true;
}
