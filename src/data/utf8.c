#include "data/utf8.h"

#include "base/json_writer.h"

#include <string.h>

int64_t utf8_read(const char *text, size_t len, size_t *bytes)
{
    return utf8_sequence_len(text, len) ? (int64_t)utf8_code(text, bytes) : -1;
}

size_t utf8_write(char out[UTF8_MAX_BYTES], uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    uint32_t lead = (0xff00u >> n) & 0xffu;
    for (size_t i = n - 1; i; i--, code >>= 6)
        out[i] = (char)(0x80u | (code & 0x3fu));
    out[0] = (char)(lead | code);
    return n;
}

enum status utf8_err(struct err *err, uint64_t at)
{
    return err_set_at(err, STATUS_INPUT, (int64_t)at,
                      "byte %llu does not begin a UTF-8 character; convert the text, for "
                      "example with iconv -f latin1 -t utf-8, or take tokenizer: bytes",
                      (unsigned long long)at);
}

/* How many of the next bytes are ASCII, eight at a time. */
static size_t ascii_run(const char *text, size_t len)
{
    size_t at = 0;
    for (uint64_t eight; at + 8 <= len; at += 8) {
        memcpy(&eight, text + at, 8);
        if (eight & 0x8080808080808080u)
            break;
    }
    return at;
}

enum status utf8_check(const char *text, size_t len, uint64_t base, struct err *err)
{
    size_t at = ascii_run(text, len);
    while (at < len) {
        int n = utf8_sequence_len(text + at, len - at);
        if (!n)
            return utf8_err(err, base + at);
        at += (size_t)n;
        if (n == 1)
            at += ascii_run(text + at, len - at);
    }
    return STATUS_OK;
}
