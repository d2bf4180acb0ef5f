/* A growing string. s is always NUL-terminated and never NULL after strbuf_init(). */
#ifndef GAIT_BASE_STRBUF_H
#define GAIT_BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

struct strbuf {
    char *s;
    size_t len, cap;
};

void strbuf_init(struct strbuf *b);
void strbuf_release(struct strbuf *b);
void strbuf_clear(struct strbuf *b);
void strbuf_add(struct strbuf *b, const char *s, size_t len);
void strbuf_puts(struct strbuf *b, const char *s);
void strbuf_putc(struct strbuf *b, char c);
void strbuf_repeat(struct strbuf *b, const char *s, int times);
void strbuf_printf(struct strbuf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void strbuf_vprintf(struct strbuf *b, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));
char *
strbuf_detach(struct strbuf *b); /* the caller frees with mem_free(); b is empty again */

#endif
