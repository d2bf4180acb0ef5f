#include "base/json_read_text.h"

#include "base/json_writer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum status json_text_err(const struct json_text *t, size_t at, const char *fmt, ...)
{
    char text[ERR_TEXT_MAX / 2];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return err_set_at(t->err, STATUS_INPUT, (int64_t)at,
                      "not valid JSON at byte %zu: %s; is the file whole?", at, text);
}

struct json_text_place json_text_here(const struct json_text *t)
{
    struct json_text_place p;
    if (t->at >= t->len) {
        snprintf(p.s, sizeof p.s, "the end of the text");
        return p;
    }
    unsigned char c = (unsigned char)t->s[t->at];
    if (c > 0x20 && c < 0x7f)
        snprintf(p.s, sizeof p.s, "\"%c\"", c);
    else
        snprintf(p.s, sizeof p.s, "the byte 0x%02x", c);
    return p;
}

int json_text_peek(struct json_text *t)
{
    while (t->at < t->len) {
        char c = t->s[t->at];
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
            return (unsigned char)c;
        t->at++;
    }
    return JSON_TEXT_END;
}

bool json_text_word(struct json_text *t, const char *word)
{
    size_t n = strlen(word);
    if (t->len - t->at < n || memcmp(t->s + t->at, word, n))
        return false;
    t->at += n;
    return true;
}

static size_t digits(const struct json_text *t, size_t at)
{
    size_t begin = at;
    while (at < t->len && t->s[at] >= '0' && t->s[at] <= '9')
        at++;
    return at - begin;
}

static bool is_at(const struct json_text *t, size_t at, char a, char b)
{
    return at < t->len && (t->s[at] == a || t->s[at] == b);
}

enum status json_text_number(struct json_text *t, const char **out, size_t *len)
{
    size_t at = t->at + (t->s[t->at] == '-');
    size_t whole = digits(t, at);
    bool good = whole == 1 || (whole && t->s[at] != '0');
    at += whole;
    if (good && is_at(t, at, '.', '.')) {
        size_t n = digits(t, ++at);
        good = n > 0;
        at += n;
    }
    if (good && is_at(t, at, 'e', 'E')) {
        at++;
        at += is_at(t, at, '+', '-');
        size_t n = digits(t, at);
        good = n > 0;
        at += n;
    }
    if (!good)
        return json_text_err(t, t->at, "a number is not written as JSON wants it");
    *len = at - t->at;
    *out = arena_strndup(t->arena, t->s + t->at, *len);
    t->at = at;
    return STATUS_OK;
}

/* The four digits of \uXXXX, or -1. */
static int32_t hex4(const struct json_text *t, size_t at, size_t end)
{
    int32_t v = 0;
    if (end - at < 4)
        return -1;
    for (size_t i = at; i < at + 4; i++) {
        char c = t->s[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        v = v << 4 | digit;
    }
    return v;
}

static size_t utf8_put(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[n] | c);
    return n;
}

/* \uXXXX at `at` (behind the u), with its second half where it is the first of a pair.
 * Passes it; *n is how many bytes it made of out. */
static enum status put_unicode(const struct json_text *t, size_t *at, size_t end,
                               char *out, size_t *n)
{
    int32_t code = hex4(t, *at, end);
    if (code < 0)
        return json_text_err(t, *at, "\\u needs four hexadecimal digits");
    *at += 4;
    if (code >= 0xd800 && code < 0xe000) {
        bool pair =
            code < 0xdc00 && end - *at >= 6 && t->s[*at] == '\\' && t->s[*at + 1] == 'u';
        int32_t low = pair ? hex4(t, *at + 2, end) : -1;
        if (low < 0xdc00 || low >= 0xe000)
            return json_text_err(t, *at - 4, "a lone half of a surrogate pair");
        *at += 6;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    *n = utf8_put(out, (uint32_t)code);
    return STATUS_OK;
}

/* The escape whose backslash stands at *at. */
static enum status put_escape(const struct json_text *t, size_t *at, size_t end,
                              char *out, size_t *n)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    char c = t->s[*at + 1];
    const char *found = c ? strchr(names, c) : NULL;
    if (!found && c != 'u')
        return json_text_err(t, *at, "an unknown escape in a string");
    *at += 2;
    if (!found)
        return put_unicode(t, at, end, out, n);
    *out = values[found - names];
    *n = 1;
    return STATUS_OK;
}

/* One character of a string; escapes never make more bytes than they take. */
static enum status put_character(const struct json_text *t, size_t *at, size_t end,
                                 char *out, size_t *n)
{
    unsigned char c = (unsigned char)t->s[*at];
    if (c == '\\')
        return put_escape(t, at, end, out, n);
    if (c < 0x20)
        return json_text_err(t, *at, "a control character stands bare in a string");
    *n = (size_t)utf8_sequence_len(t->s + *at, end - *at);
    if (!*n)
        return json_text_err(t, *at, "a string is not UTF-8");
    memcpy(out, t->s + *at, *n);
    *at += *n;
    return STATUS_OK;
}

/* The place of the quote that ends the string whose first byte is at `at`; len where
 * there is none. */
static size_t closing_quote(const struct json_text *t, size_t at)
{
    while (at < t->len && t->s[at] != '"')
        at += t->s[at] == '\\' ? 2 : 1;
    return at < t->len ? at : t->len;
}

enum status json_text_string(struct json_text *t, const char **out, size_t *len)
{
    size_t at = t->at + 1, end = closing_quote(t, at), n = 0;
    if (end == t->len)
        return json_text_err(t, t->at, "a string has no end");
    char *decoded = arena_alloc(t->arena, end - at + 1);
    while (at < end) {
        size_t took = 0;
        enum status st = put_character(t, &at, end, decoded + n, &took);
        if (st)
            return st;
        n += took;
    }
    decoded[n] = '\0';
    *out = decoded;
    *len = n;
    t->at = end + 1;
    return STATUS_OK;
}
