#include "trace/text_window.h"

#include "base/mem.h"

#include <string.h>

void text_window_init(struct text_window *w, struct byte_source *source,
                      size_t first_bytes)
{
    *w = (struct text_window){.source = source};
    w->cap = first_bytes ? first_bytes : WINDOW_BYTES_DEFAULT;
    if (w->cap > WINDOW_BYTES_MAX)
        w->cap = WINDOW_BYTES_MAX;
    w->buf = mem_alloc(w->cap);
    w->at = w->buf;
}

void text_window_release(struct text_window *w)
{
    mem_free(w->buf);
    *w = (struct text_window){0};
}

/* More than half in use: double, so that what is parsed again stays in proportion to what
 * is new. */
static void window_make_room(struct text_window *w)
{
    if (w->len)
        memmove(w->buf, w->at, w->len);
    if (w->len > w->cap / 2 && w->cap < WINDOW_BYTES_MAX) {
        w->cap = w->cap > WINDOW_BYTES_MAX / 2 ? WINDOW_BYTES_MAX : w->cap * 2;
        w->buf = mem_resize(w->buf, w->cap, 1);
    }
    w->at = w->buf;
}

enum window_result text_window_more(struct text_window *w)
{
    if (w->over)
        return WINDOW_OVER;
    window_make_room(w);
    if (w->len == w->cap)
        return WINDOW_FULL;
    size_t before = w->len;
    while (w->len < w->cap && !w->over) {
        size_t got = byte_source_read(w->source, w->buf + w->len, w->cap - w->len);
        w->len += got;
        w->over = got == 0;
    }
    return w->len > before ? WINDOW_GREW : WINDOW_OVER;
}

void text_window_use(struct text_window *w, size_t n)
{
    w->at += n;
    w->len -= n;
    w->offset += (int64_t)n;
}
