#include "spans/span_cursor.h"

#include "base/mem.h"

/* Whatever the file gives back, no more than a row is read behind the bytes at hand. */
enum { BUFFER_SLACK = PACK_ROW_MAX_BYTES + PACK_SLACK };

_Static_assert((int)PACK_ROW_MAX_BYTES <= (int)SPAN_CURSOR_BUFFER_MIN,
               "a row fits in a buffer");

void span_cursor_release(struct span_cursor *c)
{
    mem_free(c->buffer);
}

/* Moves what is left to the buffer's begin and fills it up. */
static bool span_cursor_refill(struct span_cursor *c,
                               const struct span_cursor_source *from)
{
    size_t kept = (size_t)(c->end - c->at);
    size_t bytes = from->buffer_bytes - kept;
    if (bytes > c->file_bytes_left)
        bytes = c->file_bytes_left;
    memmove(c->buffer, c->at, kept);
    if (spill_file_read(from->file, c->buffer + kept, bytes, c->file_offset, from->err) !=
        STATUS_OK)
        return false;
    c->at = c->buffer;
    c->end = c->buffer + kept + bytes;
    c->file_offset += (int64_t)bytes;
    c->file_bytes_left -= (uint32_t)bytes;
    return true;
}

static bool span_cursor_damaged(const struct span_cursor_source *from)
{
    err_set(from->err, STATUS_ENVIRONMENT,
            "spans in a temporary file in %s are not as they were written; check that "
            "disk, or set TMPDIR to another",
            from->file->folder);
    return false;
}

/* The last row has been read: were these the bytes that were written? */
static bool span_cursor_is_whole(const struct span_cursor *c)
{
    return c->at == c->end && !c->file_bytes_left &&
           c->state.begin_ns == c->run->last_begin_ns;
}

/* Unpacks the next row; there must be one. */
static inline bool span_cursor_next(struct span_cursor *c, struct span *row,
                                    const struct span_cursor_source *from)
{
    if (c->file_bytes_left && c->end - c->at < PACK_ROW_MAX_BYTES &&
        !span_cursor_refill(c, from))
        return false;
    c->at = unpack_row(row, c->at, &c->state);
    c->rows_left--;
    if (c->at > c->end || (uint32_t)row->lane > c->run->lane_max ||
        row->name > c->run->name_max || row->shapes > c->run->name_max ||
        (unsigned)row->kind >= SPAN_KIND_COUNT)
        return span_cursor_damaged(from);
    row->lane = c->lane[row->lane];
    row->name = c->name[row->name];
    row->shapes = c->name[row->shapes];
    row->step = -1;
    row->line = 0;
    return true;
}

bool span_cursor_open(struct span_cursor *c, const struct span_cursor_source *from,
                      const struct span_run *run)
{
    c->run = run;
    c->rows_left = run->rows;
    c->state = (struct pack_state){.begin_ns = run->first_begin_ns};
    c->at = c->end = run->memory;
    c->file_bytes_left = 0;
    if (run->memory) {
        c->end += run->bytes;
    } else {
        if (!c->buffer)
            c->buffer = mem_zalloc(1, from->buffer_bytes + BUFFER_SLACK);
        c->at = c->end = c->buffer;
        c->file_bytes_left = run->bytes;
        c->file_offset = run->file_offset;
    }
    return span_cursor_next(c, &c->head, from);
}

size_t span_cursor_take(struct span_cursor *c, const struct span_cursor_source *from,
                        int64_t limit_ns, struct span *out, size_t room, bool *more)
{
    size_t n = 1;
    out[0] = c->head;
    *more = false;
    while (c->rows_left) {
        if (!span_cursor_next(c, &out[n], from))
            return 0;
        if (out[n].begin_ns >= limit_ns || n == room) {
            c->head = out[n];
            *more = true;
            return n;
        }
        n++;
    }
    if (!span_cursor_is_whole(c)) {
        span_cursor_damaged(from);
        return 0;
    }
    return n;
}
