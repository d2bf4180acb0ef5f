#include "lint/source_window.h"

#include "base/text_fit.h"

#include <string.h>

static const char ellipsis[] = "…";

/* The bytes of the first n characters of a line, and their columns. */
static size_t front_of_characters(const char *line, int32_t n, int *columns)
{
    size_t bytes = 0;
    int width;
    for (*columns = 0; n > 0 && line[bytes]; n--) {
        bytes += (size_t)text_char(line + bytes, &width);
        *columns += width;
    }
    return bytes;
}

/* The bytes of the characters that begin before a column, and their columns. */
static size_t front_of_columns(const char *line, int limit, int *columns)
{
    size_t bytes = 0;
    int width;
    for (*columns = 0; *columns < limit && line[bytes];) {
        bytes += (size_t)text_char(line + bytes, &width);
        *columns += width;
    }
    return bytes;
}

/* The same, without a character that would reach beyond the limit. */
static size_t front_within(const char *line, int limit, int *columns)
{
    size_t bytes = 0;
    *columns = 0;
    while (line[bytes]) {
        int width, len = text_char(line + bytes, &width);
        if (*columns + width > limit)
            break;
        bytes += (size_t)len;
        *columns += width;
    }
    return bytes;
}

/* Where the shown part begins, so that the cause is in it: a third of the room is left
 * for what stands before it. */
static int first_column(int caret, int caret_end, int total, int room)
{
    if (total <= room || caret_end < room)
        return 0;
    return caret > room / 3 ? caret - room / 3 : 0;
}

void source_window_init(struct source_window *w, const char *line, int32_t caret,
                        int32_t caret_width, int columns)
{
    int at, width, skipped, shown;
    int total = text_columns(line);
    size_t bytes = front_of_characters(line, caret, &at);
    front_of_characters(line + bytes, caret_width, &width);
    int begin = first_column(at, at + width, total, columns);
    size_t from = front_of_columns(line, begin, &skipped);
    strbuf_init(&w->text);
    int room = columns - (from > 0);
    if (total - skipped > room)
        room--;
    size_t len = front_within(line + from, room, &shown);
    if (from)
        strbuf_puts(&w->text, ellipsis);
    strbuf_add(&w->text, line + from, len);
    if (line[from + len])
        strbuf_puts(&w->text, ellipsis);
    w->caret = at - skipped + (from > 0);
    int most = text_columns(w->text.s) - w->caret;
    w->width = width < most ? width : most;
    if (w->width < 1)
        w->width = 1;
}

void source_window_release(struct source_window *w)
{
    strbuf_release(&w->text);
}
