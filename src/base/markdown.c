/*
 * Punctuation that could begin markup is escaped; < > & | \ become entities, which no
 * parser takes for structure. Mentions, references and links are found after that, in
 * the text itself: a space of no width keeps their parts apart.
 */
#include "base/markdown.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static const char gap[] = "&#8203;";

static const char *entity_of(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '|':
        return "&#124;";
    case '\\':
        return "&#92;";
    default:
        return NULL;
    }
}

/* Does a gap belong behind s[i]? @name, #12, https://, www. */
static bool begins_link(const char *s, size_t i)
{
    unsigned char next = (unsigned char)s[i + 1];
    return (s[i] == '@' && isalnum(next)) || (s[i] == '#' && isdigit(next)) ||
           (s[i] == ':' && next == '/' && s[i + 2] == '/') ||
           (tolower((unsigned char)s[i]) == 'w' && i >= 2 && next == '.' &&
            tolower((unsigned char)s[i - 1]) == 'w' &&
            tolower((unsigned char)s[i - 2]) == 'w');
}

static void put_char(struct strbuf *out, const char *s, size_t i)
{
    char c = s[i];
    const char *entity = entity_of(c);
    bool in_word =
        i && isalnum((unsigned char)s[i - 1]) && isalnum((unsigned char)s[i + 1]);
    if (entity)
        strbuf_puts(out, entity);
    else if (strchr("`*[]~", c) || (c == '_' && !in_word))
        strbuf_printf(out, "\\%c", c);
    else
        strbuf_putc(out, c);
    if (begins_link(s, i))
        strbuf_puts(out, gap);
}

void markdown_text(struct strbuf *out, const char *s)
{
    size_t digits = strspn(s, "0123456789");
    if (*s && strchr("#+-=", *s)) /* no list, heading or quote begins there */
        strbuf_putc(out, '\\');
    for (size_t i = 0; s[i]; i++) {
        if (i && i == digits && strchr(".)", s[i]) && strchr(" ", s[i + 1]))
            strbuf_putc(out, '\\');
        put_char(out, s, i);
    }
}

/* The fence is longer than any run of backticks within; a space beside each fence is
 * taken away again, and keeps a backtick apart from it. */
void markdown_code(struct strbuf *out, const char *s)
{
    size_t longest = 0;
    for (const char *at = s; *at;) {
        size_t run = strspn(at, "`");
        longest = run > longest ? run : longest;
        at += run ? run : 1;
    }
    const char *pad = longest || !*s || *s == ' ' ? " " : "";
    strbuf_repeat(out, "`", (int)longest + 1);
    strbuf_printf(out, "%s%s%s", pad, s, pad);
    strbuf_repeat(out, "`", (int)longest + 1);
}
