#include "top/top_rows.h"

#include "base/status.h"
#include "base/text_fit.h"

#include <stdio.h>
#include <string.h>

enum { PART_BYTES_MAX = 512, WRAPPED_ROWS_MAX = 3 };

void top_rows_init(struct top_rows *r, int columns, bool colour)
{
    r->n = 0;
    r->columns = columns;
    r->colour = colour;
}

void top_rows_release(struct top_rows *r)
{
    for (int i = 0; i < r->n; i++)
        strbuf_release(&r->row[i].text);
    r->n = 0;
}

void top_row_begin(struct top_rows *r, int spare)
{
    if (r->n == TOP_ROWS_CAP)
        BUG("more than %d rows", TOP_ROWS_CAP);
    struct top_row *row = &r->row[r->n++];
    *row = (struct top_row){.spare = spare};
    strbuf_init(&row->text);
}

static struct top_row *last(struct top_rows *r)
{
    return &r->row[r->n - 1];
}

int top_room(const struct top_rows *r)
{
    return r->columns - r->row[r->n - 1].used;
}

static void put(struct top_rows *r, const char *style, const char *text)
{
    struct top_row *row = last(r);
    bool styled = r->colour && *style;
    if (styled)
        strbuf_printf(&row->text, "\033[%sm", style);
    strbuf_puts(&row->text, text);
    if (styled)
        strbuf_puts(&row->text, "\033[0m");
    row->used += text_columns(text);
}

bool top_put(struct top_rows *r, const char *style, const char *fmt, ...)
{
    char text[PART_BYTES_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (text_columns(text) > top_room(r))
        return false;
    put(r, style, text);
    return true;
}

void top_put_short(struct top_rows *r, const char *style, const char *text)
{
    struct arena a;
    if (top_room(r) < 1)
        return;
    arena_init(&a);
    put(r, style, text_clean(&a, text, top_room(r)));
    arena_release(&a);
}

void top_put_wrapped(struct top_rows *r, const char *style, const char *text)
{
    struct arena a;
    struct strbuf lines;
    arena_init(&a);
    strbuf_init(&lines);
    text_wrap(&lines, text_clean(&a, text, WRAPPED_ROWS_MAX * r->columns), r->columns, 0);
    for (char *line = lines.s, *end; line; line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        if (end)
            *end = '\0';
        if (line != lines.s)
            top_row_begin(r, last(r)->spare);
        top_put_short(r, style, line);
    }
    strbuf_release(&lines);
    arena_release(&a);
}

static void leave_out(struct top_rows *r, int at)
{
    strbuf_release(&r->row[at].text);
    r->n--;
    memmove(&r->row[at], &r->row[at + 1], (size_t)(r->n - at) * sizeof *r->row);
}

void top_rows_fit(struct top_rows *r, int most)
{
    while (r->n > most) {
        int worst = 0; /* the last of those that can be spared equally */
        for (int i = 0; i < r->n; i++)
            if (r->row[i].spare >= r->row[worst].spare)
                worst = i;
        leave_out(r, worst);
    }
}

void top_rows_print(struct strbuf *out, const struct top_rows *r)
{
    for (int i = 0; i < r->n; i++) {
        const struct strbuf *text = &r->row[i].text;
        size_t len = text->len;
        while (len && text->s[len - 1] == ' ')
            len--;
        strbuf_puts(out, i ? "\n" : "");
        strbuf_add(out, text->s, len);
    }
}
