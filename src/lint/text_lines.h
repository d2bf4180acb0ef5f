/* Bytes of a text as lines and columns, by the same count as source/source_query.h. */
#ifndef GAIT_LINT_TEXT_LINES_H
#define GAIT_LINT_TEXT_LINES_H

#include <stddef.h>
#include <stdint.h>

struct text_place {
    int32_t line, column; /* from 1; columns in characters */
};

struct text_lines {
    const char *text; /* the caller's */
    uint32_t *begin;  /* (n) first byte of each line */
    size_t n, cap;
};

void text_lines_init(struct text_lines *t, const char *text, size_t len);
void text_lines_release(struct text_lines *t);
struct text_place text_lines_place(const struct text_lines *t, uint32_t byte);

#endif
