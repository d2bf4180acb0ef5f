/* One line of a message's head, within the text that came: what requests and answers have
 * in common. */
#ifndef GAIT_HTTP_HTTP_LINE_H
#define GAIT_HTTP_HTTP_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

struct http_line {
    const char *s;
    size_t len;
};

/* The next whole line without its break; false: its end has not come yet. */
static inline bool http_line_take(struct http_line *out, const char *text, size_t len,
                                  size_t *at)
{
    const char *end = memchr(text + *at, '\n', len - *at);
    if (!end)
        return false;
    *out = (struct http_line){text + *at, (size_t)(end - text) - *at};
    *at += out->len + 1;
    if (out->len && out->s[out->len - 1] == '\r')
        out->len--;
    return true;
}

/* Is it this text, whatever the case of letters? */
static inline bool http_line_is_nocase(struct http_line l, const char *text)
{
    return l.len == strlen(text) && !strncasecmp(l.s, text, l.len);
}

static inline bool http_is_space(char c)
{
    return c == ' ' || c == '\t';
}

/* Where l is "name: value", its value without spaces around it. */
static inline bool http_line_field(struct http_line *value, struct http_line l,
                                   const char *name)
{
    size_t skip = strlen(name);
    if (l.len <= skip || l.s[skip] != ':' || strncasecmp(l.s, name, skip) != 0)
        return false;
    *value = (struct http_line){l.s + skip + 1, l.len - skip - 1};
    for (; value->len && http_is_space(*value->s); value->len--)
        value->s++;
    while (value->len && http_is_space(value->s[value->len - 1]))
        value->len--;
    return true;
}

#endif
