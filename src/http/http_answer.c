#include "http/http_answer.h"

#include "http/http_line.h"

#include <stdint.h>

enum { ANSWER_LINE_MAX = 1024 };

int http_answer_code(const char *text, size_t len)
{
    static const char form[] = "HTTP/1.d ddd"; /* d: a digit */
    const size_t form_len = sizeof form - 1;
    for (size_t i = 0; i < len && i < form_len; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return -1;
    if (len > form_len && !memchr(" \r\n", text[form_len], 3))
        return -1;
    const char *digits = text + form_len - 3;
    if (!memchr(text, '\n', len))
        return len < ANSWER_LINE_MAX ? 0 : -1;
    int code = len > form_len
                   ? (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + digits[2] - '0'
                   : -1;
    return code >= 100 ? code : -1;
}

/* --- the body --- */

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* A number of this base that l begins with; false: none, or more than can be meant. */
static bool read_size(size_t *out, struct http_line l, int base)
{
    size_t i = 0;
    for (*out = 0; i < l.len && digit_of(l.s[i]) < base; i++) {
        *out = *out * (size_t)base + (size_t)digit_of(l.s[i]);
        if (*out > INT32_MAX)
            return false;
    }
    return i > 0;
}

/* How the body ends. */
struct body_form {
    bool is_chunked, has_length, is_malformed;
    size_t length;
};

/* The head, from its second line on; false: its end has not come. */
static bool read_head(struct body_form *out, const char *text, size_t len, size_t *at)
{
    struct http_line l, value;
    *out = (struct body_form){0};
    for (bool first = true; http_line_take(&l, text, len, at); first = false) {
        if (!l.len)
            return true;
        if (first)
            continue;
        if (http_line_field(&value, l, "Transfer-Encoding"))
            out->is_chunked = http_line_is_nocase(value, "chunked");
        if (http_line_field(&value, l, "Content-Length")) {
            out->has_length = true;
            out->is_malformed |= !read_size(&out->length, value, 10);
        }
    }
    return false;
}

/* "1a;name=value", as many bytes, an empty line; the last has none. True: no more comes. */
static bool read_chunks(struct strbuf *out, const char *text, size_t len, size_t at)
{
    struct http_line l;
    size_t bytes;
    while (http_line_take(&l, text, len, &at)) {
        if (!read_size(&bytes, l, 16) || !bytes)
            return true;
        size_t here = len - at < bytes ? len - at : bytes;
        strbuf_add(out, text + at, here);
        at += here;
        if (here == bytes && http_line_take(&l, text, len, &at) && l.len)
            return true;
    }
    return false;
}

bool http_answer_body(struct strbuf *out, const char *text, size_t len)
{
    struct body_form form;
    size_t at = 0;
    strbuf_clear(out);
    if (!read_head(&form, text, len, &at))
        return false;
    if (form.is_malformed || http_answer_code(text, len) == 204)
        return true;
    if (form.is_chunked)
        return read_chunks(out, text, len, at);
    size_t left = len - at;
    strbuf_add(out, text + at,
               form.has_length && left > form.length ? form.length : left);
    return form.has_length && left >= form.length;
}
