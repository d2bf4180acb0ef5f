#include "checkpoint/header_json.h"

#include "base/json_writer.h"

#include <string.h>

enum status header_json_fail(size_t at, const char *what, struct err *err)
{
    return err_set_at(err, STATUS_INPUT, (int64_t)at, "byte %zu of the header: %s", at,
                      what);
}

bool header_json_sees(struct header_json *j, char c)
{
    while (j->at < j->len && memchr(" \t\n\r", j->text[j->at], 4))
        j->at++;
    return j->at < j->len && j->text[j->at] == c;
}

bool header_json_take(struct header_json *j, char c)
{
    if (!header_json_sees(j, c))
        return false;
    j->at++;
    return true;
}

enum status header_json_expect(struct header_json *j, char c, struct err *err)
{
    if (header_json_take(j, c))
        return STATUS_OK;
    char what[] = "a '?' is missing";
    *strchr(what, '?') = c;
    return header_json_fail(j->at, what, err);
}

/* The four hexadecimal digits of an escape, or -1. */
static int32_t read_hex4(struct header_json *j)
{
    static const char digits[] = "0123456789abcdef";
    int32_t v = 0;
    if (j->len - j->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = j->text[j->at++];
        char lower = c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c;
        const char *d = lower ? strchr(digits, lower) : NULL;
        if (!d)
            return -1;
        v = v * 16 + (int32_t)(d - digits);
    }
    return v;
}

/* The code point of \uXXXX, whose u was taken: alone, or a pair of surrogates. */
static int32_t read_unicode(struct header_json *j)
{
    int32_t high = read_hex4(j);
    if (high < 0xd800 || high > 0xdfff)
        return high;
    if (high > 0xdbff || j->len - j->at < 6 || memcmp(j->text + j->at, "\\u", 2))
        return -1;
    j->at += 2;
    int32_t low = read_hex4(j);
    if (low < 0xdc00 || low > 0xdfff)
        return -1;
    return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

static size_t put_utf8(char *out, int32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(((0xff00u >> n) & 0xffu) | (unsigned)code);
    return n;
}

/* Decode the escape whose backslash was taken, to out; 0 bytes where it is none. */
static size_t read_escape(struct header_json *j, char *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (j->at == j->len)
        return 0;
    char c = j->text[j->at++];
    if (c == 'u') {
        int32_t code = read_unicode(j);
        return code < 0 ? 0 : put_utf8(out, code);
    }
    const char *found = c ? strchr(from, c) : NULL;
    if (!found)
        return 0;
    *out = to[found - from];
    return 1;
}

enum status header_json_string(struct header_json *j, const char **s, size_t *len,
                               struct err *err)
{
    enum status st = header_json_expect(j, '"', err);
    if (st)
        return st;
    char *begin = j->text + j->at, *out = begin;
    while (j->at < j->len) {
        size_t at = j->at;
        char c = j->text[at];
        if (c == '"') {
            j->at++;
            *out = '\0';
            *s = begin;
            *len = (size_t)(out - begin);
            return STATUS_OK;
        }
        if (c == '\\') {
            j->at++;
            size_t n = read_escape(j, out);
            if (!n)
                return header_json_fail(at, "not an escape of JSON", err);
            out += n;
            continue;
        }
        int n = utf8_sequence_len(j->text + at, j->len - at);
        if (!n || (unsigned char)c < 0x20)
            return header_json_fail(at, "not a character of a JSON string in UTF-8", err);
        memmove(out, j->text + at, (size_t)n);
        out += n;
        j->at += (size_t)n;
    }
    return header_json_fail(j->at, "a string does not end", err);
}

enum status header_json_key(struct header_json *j, const char **s, size_t *len,
                            struct err *err)
{
    enum status st = header_json_string(j, s, len, err);
    return st ? st : header_json_expect(j, ':', err);
}

enum status header_json_end(struct header_json *j, struct err *err)
{
    header_json_sees(j, '\0'); /* only to get past white space */
    if (j->at == j->len)
        return STATUS_OK;
    return header_json_fail(j->at, "text follows the header's object", err);
}

void header_json_quote(struct strbuf *out, const char *s, size_t len)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    strbuf_putc(out, '"');
    for (size_t i = 0; i < len; i++) {
        const char *found = s[i] ? strchr(from, s[i]) : NULL;
        if (found)
            strbuf_printf(out, "\\%c", to[found - from]);
        else if ((unsigned char)s[i] < 0x20)
            strbuf_printf(out, "\\u%04x", (unsigned)s[i]);
        else
            strbuf_putc(out, s[i]);
    }
    strbuf_putc(out, '"');
}
