#include "source/toml_string.h"

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct cursor {
    const char *s, *end;
    struct strbuf out;
    const char *problem;
};

static void put_utf8(struct strbuf *out, uint32_t c)
{
    if (c < 0x80) {
        strbuf_putc(out, (char)c);
        return;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    strbuf_putc(out, (char)(first[more] | c >> (6 * more)));
    while (more--)
        strbuf_putc(out, (char)(0x80 | (c >> (6 * more) & 0x3f)));
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The digits behind \u or \U. */
static void take_code_point(struct cursor *c, int digits)
{
    uint32_t code = 0;
    for (int i = 0; i < digits; i++) {
        int digit = c->s < c->end ? hex_digit(*c->s++) : -1;
        if (digit < 0) {
            c->problem = "\\u wants 4 and \\U 8 hexadecimal digits";
            return;
        }
        code = code << 4 | (uint32_t)digit;
    }
    if (!code)
        c->problem = "a string holds a NUL character; remove it";
    else if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        c->problem = "\\u and \\U want the number of a Unicode character";
    else
        put_utf8(&c->out, code);
}

/* A backslash at the end of a line removes all blanks up to the next word. False: the
 * line goes on behind it. */
static bool take_line_end(struct cursor *c)
{
    const char *s = c->s;
    while (s < c->end && (*s == ' ' || *s == '\t' || *s == '\r'))
        s++;
    if (s == c->end || *s != '\n')
        return false;
    while (s < c->end && (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\n'))
        s++;
    c->s = s;
    return true;
}

static void take_escape(struct cursor *c, bool lines)
{
    static const char letters[] = "btnfr\"\\", meant[] = "\b\t\n\f\r\"\\";
    if (lines && take_line_end(c))
        return;
    char letter = c->s < c->end ? *c->s++ : '\0';
    const char *which = letter ? strchr(letters, letter) : NULL;
    if (which)
        strbuf_putc(&c->out, meant[which - letters]);
    else if (letter == 'u' || letter == 'U')
        take_code_point(c, letter == 'u' ? 4 : 8);
    else
        c->problem = "a string has an unknown escape; write a backslash as \\\\, or put "
                     "the text in single quotes";
}

static size_t quotes_of(const char *raw, size_t len)
{
    bool three = len >= 6 && raw[1] == raw[0] && raw[2] == raw[0];
    return three ? 3 : 1;
}

const char *toml_string(struct arena *a, const char *raw, size_t len,
                        const char **problem)
{
    size_t quotes = quotes_of(raw, len);
    bool lines = quotes == 3, escapes = len && raw[0] == '"';
    if (len < 2 * quotes) {
        *problem = "a string has no end";
        return NULL;
    }
    struct cursor c = {.s = raw + quotes, .end = raw + len - quotes};
    strbuf_init(&c.out);
    if (lines && c.s < c.end && *c.s == '\r')
        c.s += c.s + 1 < c.end && c.s[1] == '\n';
    if (lines && c.s < c.end && *c.s == '\n')
        c.s++;
    while (c.s < c.end && !c.problem) {
        char letter = *c.s++;
        if (escapes && letter == '\\')
            take_escape(&c, lines);
        else
            strbuf_putc(&c.out, letter);
    }
    const char *text = c.problem ? NULL : arena_strndup(a, c.out.s, c.out.len);
    strbuf_release(&c.out);
    *problem = c.problem;
    return text;
}
