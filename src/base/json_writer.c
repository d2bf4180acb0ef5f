#include "base/json_writer.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_init(struct json_writer *w, struct strbuf *out)
{
    *w = (struct json_writer){.out = out};
}

static void json_newline(struct json_writer *w)
{
    if (w->compact)
        return;
    strbuf_putc(w->out, '\n');
    strbuf_repeat(w->out, "  ", w->depth);
}

/* What stands between the previous value and the next one. */
static void json_separate(struct json_writer *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (!w->depth)
        return;
    if (w->filled[w->depth - 1])
        strbuf_putc(w->out, ',');
    w->filled[w->depth - 1] = true;
    json_newline(w);
}

static void json_begin(struct json_writer *w, char open, char close)
{
    json_separate(w);
    if (w->depth == JSON_DEPTH_MAX)
        BUG("JSON nested deeper than %d", JSON_DEPTH_MAX);
    strbuf_putc(w->out, open);
    w->close[w->depth] = close;
    w->filled[w->depth++] = false;
}

void json_begin_object(struct json_writer *w)
{
    json_begin(w, '{', '}');
}

void json_begin_array(struct json_writer *w)
{
    json_begin(w, '[', ']');
}

void json_end(struct json_writer *w)
{
    if (!w->depth)
        BUG("json_end without a begin");
    bool filled = w->filled[--w->depth];
    if (filled)
        json_newline(w);
    strbuf_putc(w->out, w->close[w->depth]);
    if (!w->depth && !w->compact)
        strbuf_putc(w->out, '\n');
}

int utf8_sequence_len(const char *s, size_t len)
{
    const unsigned char *u = (const unsigned char *)s;
    if (!len)
        return 0;
    if (u[0] < 0x80)
        return 1;
    int n = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
    if (u[0] < 0xc2 || u[0] > 0xf4 || len < (size_t)n)
        return 0;
    for (int i = 1; i < n; i++)
        if ((u[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xf0 && u[1] < 0x90);
    bool surrogate = u[0] == 0xed && u[1] > 0x9f;
    bool too_high = u[0] == 0xf4 && u[1] > 0x8f;
    return overlong || surrogate || too_high ? 0 : n;
}

bool utf8_is_valid(const char *s, size_t len)
{
    for (size_t i = 0; i < len;) {
        int n = utf8_sequence_len(s + i, len - i);
        if (!n)
            return false;
        i += (size_t)n;
    }
    return true;
}

/* U+0080 … U+009F: controls of a terminal too, of two bytes each. */
static bool is_c1(const char *s, int n)
{
    return n == 2 && (unsigned char)s[0] == 0xc2 && (unsigned char)s[1] < 0xa0;
}

static void quote_ascii(struct strbuf *out, char c)
{
    if (c == '"' || c == '\\')
        strbuf_printf(out, "\\%c", c);
    else if (c == '\n')
        strbuf_puts(out, "\\n");
    else if (c == '\t')
        strbuf_puts(out, "\\t");
    else if ((unsigned char)c < 0x20 || c == 0x7f)
        strbuf_printf(out, "\\u%04x", (unsigned)c);
    else
        strbuf_putc(out, c);
}

static void json_quote(struct strbuf *out, const char *s)
{
    size_t len = strlen(s);
    strbuf_putc(out, '"');
    for (size_t i = 0; i < len;) {
        int n = utf8_sequence_len(s + i, len - i);
        if (!n)
            strbuf_puts(out, "\xef\xbf\xbd");
        else if (n == 1)
            quote_ascii(out, s[i]);
        else if (is_c1(s + i, n))
            strbuf_printf(out, "\\u%04x", (unsigned)(unsigned char)s[i + 1]);
        else
            strbuf_add(out, s + i, (size_t)n);
        i += n ? (size_t)n : 1;
    }
    strbuf_putc(out, '"');
}

void json_key(struct json_writer *w, const char *key)
{
    if (!w->depth || w->close[w->depth - 1] != '}')
        BUG("key \"%s\" outside an object", key);
    json_separate(w);
    json_quote(w->out, key);
    strbuf_puts(w->out, w->compact ? ":" : ": ");
    w->after_key = true;
}

void json_string(struct json_writer *w, const char *s)
{
    json_separate(w);
    json_quote(w->out, s);
}

void json_int(struct json_writer *w, int64_t v)
{
    json_separate(w);
    strbuf_printf(w->out, "%lld", (long long)v);
}

void json_bool(struct json_writer *w, bool v)
{
    json_separate(w);
    strbuf_puts(w->out, v ? "true" : "false");
}

void json_null(struct json_writer *w)
{
    json_separate(w);
    strbuf_puts(w->out, "null");
}

static void strip_trailing_zeros(char *s)
{
    if (!strchr(s, '.'))
        return;
    char *end = s + strlen(s);
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.')
        end[-1] = '\0';
}

void json_raw(struct json_writer *w, const char *json)
{
    json_separate(w);
    strbuf_puts(w->out, json);
}

void json_double(struct json_writer *w, double v, int decimals)
{
    if (!isfinite(v)) {
        json_null(w);
        return;
    }
    char text[400];
    snprintf(text, sizeof text, "%.*f", decimals, v);
    strip_trailing_zeros(text);
    json_separate(w);
    strbuf_puts(w->out, strcmp(text, "-0") ? text : "0");
}

void json_number_text(char out[JSON_NUMBER_MAX], double v)
{
    enum { DIGITS_TIDY = 15, DIGITS_ALWAYS_EXACT = 17 }; /* of a double */
    int digits = DIGITS_TIDY;
    do
        snprintf(out, JSON_NUMBER_MAX, "%.*g", digits, v);
    while (strtod(out, NULL) != v && digits++ < DIGITS_ALWAYS_EXACT);
}

void json_exact(struct json_writer *w, double v)
{
    if (!isfinite(v)) {
        json_null(w);
        return;
    }
    char text[JSON_NUMBER_MAX];
    json_number_text(text, v);
    json_separate(w);
    strbuf_puts(w->out, text);
}

void json_ns_as_us(struct json_writer *w, int64_t ns)
{
    char text[40];
    uint64_t abs_ns = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    snprintf(text, sizeof text, "%s%llu.%03llu", ns < 0 ? "-" : "",
             (unsigned long long)(abs_ns / 1000), (unsigned long long)(abs_ns % 1000));
    strip_trailing_zeros(text);
    json_separate(w);
    strbuf_puts(w->out, text);
}

void json_field_string(struct json_writer *w, const char *key, const char *s)
{
    json_key(w, key);
    json_string(w, s);
}

void json_field_text_or_null(struct json_writer *w, const char *key, const char *s)
{
    json_key(w, key);
    if (s && *s)
        json_string(w, s);
    else
        json_null(w);
}

void json_field_int(struct json_writer *w, const char *key, int64_t v)
{
    json_key(w, key);
    json_int(w, v);
}

void json_field_double(struct json_writer *w, const char *key, double v, int decimals)
{
    json_key(w, key);
    json_double(w, v, decimals);
}

void json_field_exact(struct json_writer *w, const char *key, double v)
{
    json_key(w, key);
    json_exact(w, v);
}

void json_field_us(struct json_writer *w, const char *key, int64_t ns)
{
    json_key(w, key);
    json_ns_as_us(w, ns);
}

int utf8_letters(const char *s)
{
    int n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}
