#include "lint/text_lines.h"

#include "base/mem.h"

#include <string.h>

static void add_line(struct text_lines *t, size_t begin)
{
    vec_grow(t->begin, t->cap, t->n + 1);
    t->begin[t->n++] = (uint32_t)begin;
}

void text_lines_init(struct text_lines *t, const char *text, size_t len)
{
    *t = (struct text_lines){.text = text};
    add_line(t, 0);
    for (size_t i = 0; i < len; i++)
        if (text[i] == '\n')
            add_line(t, i + 1);
}

void text_lines_release(struct text_lines *t)
{
    mem_free(t->begin);
    *t = (struct text_lines){0};
}

struct text_place text_lines_place(const struct text_lines *t, uint32_t byte)
{
    size_t low = 0, high = t->n; /* the line is in low..high */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (t->begin[middle] <= byte)
            low = middle;
        else
            high = middle;
    }
    int32_t column = 1;
    for (uint32_t i = t->begin[low]; i < byte; i++)
        column += ((unsigned char)t->text[i] & 0xc0) != 0x80;
    return (struct text_place){(int32_t)low + 1, column};
}
