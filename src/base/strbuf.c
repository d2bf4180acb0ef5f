#include "base/strbuf.h"

#include "base/mem.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

static void strbuf_reserve(struct strbuf *b, size_t extra)
{
    vec_grow(b->s, b->cap, b->len + extra + 1);
}

void strbuf_init(struct strbuf *b)
{
    *b = (struct strbuf){0};
    strbuf_reserve(b, 15);
    b->s[0] = '\0';
}

void strbuf_release(struct strbuf *b)
{
    mem_free(b->s);
    *b = (struct strbuf){0};
}

void strbuf_clear(struct strbuf *b)
{
    b->len = 0;
    b->s[0] = '\0';
}

void strbuf_add(struct strbuf *b, const char *s, size_t len)
{
    strbuf_reserve(b, len);
    memcpy(b->s + b->len, s, len);
    b->len += len;
    b->s[b->len] = '\0';
}

void strbuf_puts(struct strbuf *b, const char *s)
{
    strbuf_add(b, s, strlen(s));
}

void strbuf_putc(struct strbuf *b, char c)
{
    strbuf_add(b, &c, 1);
}

void strbuf_repeat(struct strbuf *b, const char *s, int times)
{
    for (int i = 0; i < times; i++)
        strbuf_puts(b, s);
}

void strbuf_vprintf(struct strbuf *b, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int need = vsnprintf(NULL, 0, fmt, args);
    if (need < 0)
        BUG("cannot format \"%s\"", fmt);
    strbuf_reserve(b, (size_t)need);
    vsnprintf(b->s + b->len, (size_t)need + 1, fmt, again);
    va_end(again);
    b->len += (size_t)need;
}

void strbuf_printf(struct strbuf *b, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    strbuf_vprintf(b, fmt, args);
    va_end(args);
}

char *strbuf_detach(struct strbuf *b)
{
    char *s = b->s;
    strbuf_init(b);
    return s;
}
