#include "base/text_fit.h"

#include "base/json_writer.h"

#include <stdint.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd";
static const char ellipsis[] = "…";

struct char_range {
    uint32_t first, last;
};

/* Control characters, and those that turn or hide the text around them. */
static const struct char_range unsafe[] = {
    {0x00, 0x1f},     {0x7f, 0x9f},     {0x200b, 0x200f}, {0x2028, 0x202e},
    {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
};
static const struct char_range zero_wide[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489},   {0x0591, 0x05bd}, {0x064b, 0x065f},
    {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},   {0x20d0, 0x20ff}, {0xfe00, 0xfe0f},
    {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
};
static const struct char_range two_wide[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},
    {0x4e00, 0x9fff},   {0xa000, 0xa4cf},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

#define IN_RANGES(ranges, c) in_ranges(ranges, sizeof ranges / sizeof *ranges, c)

static bool in_ranges(const struct char_range *ranges, size_t n, uint32_t c)
{
    for (size_t i = 0; i < n; i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return true;
    return false;
}

static uint32_t utf8_decode(const char *s, int len)
{
    static const unsigned char lead_mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t c = (unsigned char)s[0] & lead_mask[len];
    for (int i = 1; i < len; i++)
        c = c << 6 | ((unsigned char)s[i] & 0x3f);
    return c;
}

int text_char(const char *s, int *columns)
{
    int len = utf8_sequence_len(s, strnlen(s, 4));
    if (len < 1)
        len = 1;
    uint32_t c = utf8_decode(s, len);
    *columns = len == 1                  ? 1
               : IN_RANGES(zero_wide, c) ? 0
               : IN_RANGES(two_wide, c)  ? 2
                                         : 1;
    return len;
}

static void add_clean(struct strbuf *out, const char *s)
{
    size_t len = strlen(s);
    for (size_t i = 0; i < len;) {
        int n = utf8_sequence_len(s + i, len - i);
        uint32_t c = n ? utf8_decode(s + i, n) : 0;
        if (c == '\n' || c == '\t' || c == '\r')
            strbuf_putc(out, ' ');
        else if (!n || IN_RANGES(unsafe, c))
            strbuf_puts(out, replacement);
        else
            strbuf_add(out, s + i, (size_t)n);
        i += n ? (size_t)n : 1;
    }
}

const char *text_clean(struct arena *a, const char *s, int max_columns)
{
    struct strbuf clean, fitting;
    strbuf_init(&clean);
    strbuf_init(&fitting);
    add_clean(&clean, s);
    text_shorten(&fitting, clean.s, max_columns);
    const char *kept = arena_strndup(a, fitting.s, fitting.len);
    strbuf_release(&clean);
    strbuf_release(&fitting);
    return kept;
}

int text_columns(const char *s)
{
    int total = 0, columns;
    while (*s) {
        s += text_char(s, &columns);
        total += columns;
    }
    return total;
}

/* The bytes at the front of s that take at most so many columns. */
static size_t front_bytes(const char *s, int columns)
{
    size_t bytes = 0;
    int width;
    while (s[bytes]) {
        int len = text_char(s + bytes, &width);
        if (width > columns)
            break;
        columns -= width;
        bytes += (size_t)len;
    }
    return bytes;
}

void text_shorten(struct strbuf *out, const char *s, int columns)
{
    int total = text_columns(s);
    if (total <= columns) {
        strbuf_puts(out, s);
        return;
    }
    int back = (columns - 1) / 2, front = columns - 1 - back, ignored;
    size_t tail = front_bytes(s, total - back);
    if (text_columns(s + tail) > back) /* a wide character lies across the cut */
        tail += (size_t)text_char(s + tail, &ignored);
    strbuf_add(out, s, front_bytes(s, front));
    if (columns > 0)
        strbuf_puts(out, ellipsis);
    strbuf_puts(out, s + tail);
}

void text_pad(struct strbuf *out, const char *s, int columns, bool right)
{
    int blanks = columns - text_columns(s);
    if (right)
        strbuf_repeat(out, " ", blanks);
    strbuf_puts(out, s);
    if (!right)
        strbuf_repeat(out, " ", blanks);
}

int text_wrap(struct strbuf *out, const char *s, int columns, int indent)
{
    int lines = 1, at = indent;
    struct strbuf word;
    strbuf_init(&word);
    while (*s) {
        size_t blanks = strspn(s, " "), len = strcspn(s + blanks, " ");
        strbuf_clear(&word);
        strbuf_add(&word, s + blanks, len);
        int width = text_columns(word.s);
        if (at > indent && at + (int)blanks + width > columns) {
            strbuf_putc(out, '\n');
            strbuf_repeat(out, " ", indent);
            at = indent;
            lines++;
            blanks = 0;
        } else {
            strbuf_repeat(out, " ", len ? (int)blanks : 0);
        }
        strbuf_puts(out, word.s);
        at += (int)blanks + width;
        s += strspn(s, " ") + len;
    }
    strbuf_release(&word);
    return lines;
}

bool text_ends_with(const char *s, const char *tail)
{
    size_t n = strlen(s), t = strlen(tail);
    return n >= t && !strcmp(s + n - t, tail);
}
