/* Escapes of JSON strings to plain UTF-8; declared in json_scan.h. */
#include "trace/json_scan.h"

enum { CODE_REPLACEMENT = 0xfffd };

struct cook {
    const char *p, *end;
    char *dst;
    size_t len, cap;
    unsigned done;
};

/* False when the sequence does not fit any more: whole or not at all. */
static bool cook_put(struct cook *k, const char *s, size_t len)
{
    if (len > k->cap - k->len) {
        k->done |= COOK_CUT;
        return false;
    }
    for (size_t i = 0; i < len; i++)
        k->dst[k->len++] = s[i];
    return true;
}

static bool cook_put_code(struct cook *k, uint32_t code)
{
    char s[4];
    if (code < 0x20 || code == 0x7f)
        return cook_put(k, " ", 1);
    if (code < 0x80) {
        s[0] = (char)code;
        return cook_put(k, s, 1);
    }
    if (code < 0x800) {
        s[0] = (char)(0xc0 | code >> 6);
        s[1] = (char)(0x80 | (code & 0x3f));
        return cook_put(k, s, 2);
    }
    if (code < 0x10000) {
        s[0] = (char)(0xe0 | code >> 12);
        s[1] = (char)(0x80 | (code >> 6 & 0x3f));
        s[2] = (char)(0x80 | (code & 0x3f));
        return cook_put(k, s, 3);
    }
    s[0] = (char)(0xf0 | code >> 18);
    s[1] = (char)(0x80 | (code >> 12 & 0x3f));
    s[2] = (char)(0x80 | (code >> 6 & 0x3f));
    s[3] = (char)(0x80 | (code & 0x3f));
    return cook_put(k, s, 4);
}

/* Four hexadecimal digits at p, or -1. */
static int32_t hex4(const char *p, const char *end)
{
    int32_t v = 0;
    if (end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char ch = p[i];
        int digit = ch >= '0' && ch <= '9'   ? ch - '0'
                    : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10
                    : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10
                                             : -1;
        if (digit < 0)
            return -1;
        v = v << 4 | digit;
    }
    return v;
}

/* p is behind "\u"; returns false when it is no escape after all. */
static bool cook_unicode(struct cook *k, uint32_t *code)
{
    int32_t high = hex4(k->p, k->end);
    if (high < 0)
        return false;
    k->p += 4;
    *code = (uint32_t)high;
    if (high < 0xd800 || high > 0xdfff)
        return true;
    *code = CODE_REPLACEMENT;
    if (high > 0xdbff || k->end - k->p < 6 || k->p[0] != '\\' || k->p[1] != 'u')
        return true;
    int32_t low = hex4(k->p + 2, k->end);
    if (low >= 0xdc00 && low <= 0xdfff) {
        *code = 0x10000 + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
        k->p += 6;
    }
    return true;
}

/* At the byte behind a backslash. */
static bool cook_escape(struct cook *k)
{
    uint32_t code;
    char ch = k->p < k->end ? *k->p++ : '\0';
    switch (ch) {
    case '"':
    case '\\':
    case '/':
        return cook_put(k, &ch, 1);
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        return cook_put(k, " ", 1);
    case 'u':
        if (cook_unicode(k, &code))
            return cook_put_code(k, code);
        break;
    default:
        break;
    }
    k->done |= COOK_BAD_ESCAPE;
    if (!cook_put(k, "\\", 1))
        return false;
    return ch == '\0' ||
           cook_put_code(k, (uint8_t)ch < 0x80 ? (uint8_t)ch : CODE_REPLACEMENT);
}

/* Bytes of the UTF-8 sequence that begins with this byte, 1 where it is none. */
static size_t sequence_len(const char *p, const char *end)
{
    uint8_t b = (uint8_t)*p;
    size_t want = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : b >= 0xc0 ? 2 : 1;
    size_t n = 1;
    while (n < want && p + n < end && ((uint8_t)p[n] & 0xc0) == 0x80)
        n++;
    return n == want ? n : 1;
}

size_t json_text_cook(char *dst, size_t cap, const struct json_text *t, unsigned *done)
{
    struct cook k = {.p = t->s, .end = t->s + t->len, .dst = dst, .cap = cap};
    bool fits = true;
    while (fits && k.p < k.end) {
        if (*k.p == '\\') {
            k.p++;
            fits = cook_escape(&k);
        } else if ((uint8_t)*k.p < 0x20 || *k.p == 0x7f) {
            k.p++;
            fits = cook_put(&k, " ", 1);
        } else {
            size_t n = sequence_len(k.p, k.end);
            fits = cook_put(&k, k.p, n);
            k.p += n;
        }
    }
    *done |= k.done;
    return k.len;
}
