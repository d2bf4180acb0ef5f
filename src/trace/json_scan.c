#include "trace/json_scan.h"

#include <string.h>

#define TRY(step)                                                                        \
    do {                                                                                 \
        enum json_result try_ = (step);                                                  \
        if (try_ != JSON_OK)                                                             \
            return try_;                                                                 \
    } while (0)

enum json_result scan_space(struct json_cursor *c)
{
    while (c->p < c->end && json_is_space(*c->p))
        c->p++;
    return c->p < c->end ? JSON_OK : JSON_MORE;
}

#define BYTES(b) (0x0101010101010101u * (uint8_t)(b))

/* Non-zero where one of the 8 bytes is a quote, a backslash or a control character; it
 * may say so of bytes behind the first such one, never of one before it. */
static uint64_t word_has_special(uint64_t word)
{
    uint64_t quote = word ^ BYTES('"'), back = word ^ BYTES('\\');
    uint64_t hit = ((quote - BYTES(1)) & ~quote) | ((back - BYTES(1)) & ~back) |
                   ((word - BYTES(0x20)) & ~word);
    return hit & BYTES(0x80);
}

/* The first quote, backslash or control character in p[0..end), or end. */
static const char *find_special(const char *p, const char *end)
{
    while (end - p >= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        if (word_has_special(word))
            break;
        p += 8;
    }
    while (p < end && *p != '"' && *p != '\\' && (uint8_t)*p >= 0x20)
        p++;
    return p;
}

enum json_result scan_string(struct json_cursor *c, struct json_text *out)
{
    const char *begin = c->p + 1;
    if (*c->p != '"')
        return JSON_BAD;
    out->is_raw = false;
    for (const char *p = begin;; p++) {
        p = find_special(p, c->end);
        if (p < c->end && *p == '"') {
            out->s = begin;
            out->len = (size_t)(p - begin);
            out->is_string = true;
            c->p = p + 1;
            return JSON_OK;
        }
        if (p < c->end && *p == '\\')
            p++; /* the escaped byte is never the end */
        if (p >= c->end)
            return JSON_MORE;
        out->is_raw = true;
    }
}

static bool is_word(char ch)
{
    return (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'z') ||
           (ch >= 'A' && ch <= 'Z') || ch == '-' || ch == '+' || ch == '.' || ch == '_';
}

static enum json_result scan_word(struct json_cursor *c, struct json_text *out)
{
    const char *p = c->p;
    while (p < c->end && is_word(*p))
        p++;
    if (p == c->end)
        return JSON_MORE;
    if (p == c->p)
        return JSON_BAD;
    *out = (struct json_text){.s = c->p, .len = (size_t)(p - c->p)};
    c->p = p;
    return JSON_OK;
}

/* The mark between items: takes a comma where one is due, and the closing bracket. */
static enum json_result next_item(struct json_cursor *c, bool *first, char close,
                                  bool *over)
{
    TRY(scan_space(c));
    if (*c->p != close && !*first) {
        if (*c->p != ',')
            return JSON_BAD;
        c->p++;
        TRY(scan_space(c));
    }
    *over = *c->p == close;
    if (*over)
        c->p++;
    *first = false;
    return JSON_OK;
}

enum json_result scan_next_member(struct json_cursor *c, bool *first,
                                  struct json_text *key)
{
    bool over;
    key->s = NULL;
    TRY(next_item(c, first, '}', &over));
    if (over)
        return JSON_OK;
    struct json_text text;
    TRY(scan_string(c, &text));
    TRY(scan_space(c));
    if (*c->p != ':')
        return JSON_BAD;
    c->p++;
    TRY(scan_space(c));
    *key = text;
    return JSON_OK;
}

enum json_result scan_next_element(struct json_cursor *c, bool *first, bool *over)
{
    return next_item(c, first, ']', over);
}

/* The nesting is a stack of bits: 1 for an object, 0 for an array. */
enum json_result scan_skip(struct json_cursor *c)
{
    uint64_t objects = 0;
    int depth = 0;
    do {
        struct json_text text;
        bool first = false, over = false;
        TRY(scan_space(c));
        if (*c->p == '{' || *c->p == '[') {
            if (++depth > JSON_NESTING_MAX)
                return JSON_BAD;
            objects = objects << 1 | (*c->p == '{');
            first = true;
            c->p++;
        } else if (*c->p == '"') {
            TRY(scan_string(c, &text));
        } else {
            TRY(scan_word(c, &text));
        }
        while (depth) {
            if (objects & 1)
                TRY(scan_next_member(c, &first, &text));
            else
                TRY(scan_next_element(c, &first, &over));
            if (!(objects & 1 ? !text.s : over))
                break;
            depth--;
            objects >>= 1;
            first = false;
        }
    } while (depth);
    return JSON_OK;
}

enum json_result scan_scalar(struct json_cursor *c, struct json_text *out)
{
    *out = (struct json_text){.s = c->p};
    if (*c->p == '"')
        return scan_string(c, out);
    if (*c->p == '{' || *c->p == '[')
        return scan_skip(c);
    return scan_word(c, out);
}

enum json_result scan_raw_value(struct json_cursor *c, struct json_text *out)
{
    *out = (struct json_text){.s = c->p};
    TRY(scan_skip(c));
    out->len = (size_t)(c->p - out->s);
    return JSON_OK;
}

bool json_text_is(const struct json_text *t, const char *word)
{
    return t->len == strlen(word) && !memcmp(t->s, word, t->len);
}
