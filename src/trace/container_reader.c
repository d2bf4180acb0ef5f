#include "trace/container_reader.h"

#include "trace/resync.h"

#include <string.h>

enum step_result {
    STEP_AGAIN, /* something was read that is not an event */
    STEP_EVENT,
    STEP_MORE, /* the text in view ends too early */
    STEP_BAD,  /* damage */
};

void container_reader_init(struct container_reader *r, struct byte_source *source,
                           size_t window_bytes, struct trace_head *head,
                           struct trace_notes *notes)
{
    *r = (struct container_reader){.head = head, .notes = notes};
    text_window_init(&r->window, source, window_bytes);
}

void container_reader_release(struct container_reader *r)
{
    text_window_release(&r->window);
}

int64_t container_reader_text_bytes(const struct container_reader *r)
{
    return r->window.offset + (int64_t)r->window.len;
}

static bool is_space(char ch)
{
    return ch == ' ' || ch == '\n' || ch == '\r' || ch == '\t';
}

/* White space at the front is used up at once: however long, it never fills the window.
 */
static void reader_skip_space(struct container_reader *r)
{
    size_t n = 0;
    while (n < r->window.len && is_space(r->window.at[n]))
        n++;
    text_window_use(&r->window, n);
}

static struct json_cursor reader_cursor(const struct container_reader *r)
{
    return (struct json_cursor){r->window.at, r->window.at + r->window.len};
}

static void reader_use(struct container_reader *r, const struct json_cursor *c)
{
    text_window_use(&r->window, (size_t)(c->p - r->window.at));
}

static enum step_result step_of(enum json_result r)
{
    return r == JSON_OK ? STEP_AGAIN : r == JSON_MORE ? STEP_MORE : STEP_BAD;
}

/* The first bracket says what the document is; a byte order mark may stand before it. */
static enum step_result step_start(struct container_reader *r)
{
    static const char mark[] = "\xef\xbb\xbf";
    struct text_window *w = &r->window;
    if (!w->len || (w->len < sizeof r->begin && !w->over))
        return STEP_MORE;
    if (!r->begin[0]) {
        size_t n = w->len < sizeof r->begin - 1 ? w->len : sizeof r->begin - 1;
        for (size_t i = 0; i < n; i++)
            r->begin[i] = w->at[i] >= 0x20 && w->at[i] < 0x7f ? w->at[i] : '.';
    }
    if (w->len >= 3 && !memcmp(w->at, mark, 3)) {
        text_window_use(w, 3);
        return STEP_AGAIN;
    }
    if (*w->at != '{' && *w->at != '[')
        return STEP_BAD;
    r->is_json = true;
    r->bare_array = r->seen_events = *w->at == '[';
    r->state = r->bare_array ? CONTAINER_EVENTS : CONTAINER_OBJECT;
    r->first = true;
    text_window_use(w, 1);
    return STEP_AGAIN;
}

static enum step_result reader_close(struct container_reader *r,
                                     const struct json_cursor *c)
{
    reader_use(r, c);
    r->state = CONTAINER_OVER;
    r->complete = true;
    return STEP_AGAIN;
}

static enum step_result step_object(struct container_reader *r)
{
    struct json_cursor c = reader_cursor(r);
    struct json_text key, value;
    bool first = r->first;
    enum json_result j = scan_next_member(&c, &first, &key);
    if (j != JSON_OK)
        return step_of(j);
    if (!key.s)
        return reader_close(r, &c);
    if (json_text_is(&key, "traceEvents") && *c.p == '[') {
        c.p++;
        r->state = CONTAINER_EVENTS;
        r->first = r->seen_events = true;
        reader_use(r, &c);
        return STEP_AGAIN;
    }
    j = scan_raw_value(&c, &value);
    if (j == JSON_OK && c.p == c.end)
        j = JSON_MORE; /* trace_head_member() wants a byte behind the value */
    if (j != JSON_OK)
        return step_of(j);
    trace_head_member(r->head, &key, &value);
    r->first = false;
    reader_use(r, &c);
    return STEP_AGAIN;
}

static enum step_result step_events(struct container_reader *r, struct trace_event *e)
{
    struct json_cursor c = reader_cursor(r);
    bool first = r->first, over;
    enum json_result j = scan_next_element(&c, &first, &over);
    if (j != JSON_OK)
        return step_of(j);
    if (over) {
        if (r->bare_array)
            return reader_close(r, &c);
        r->state = CONTAINER_OBJECT;
        r->first = false;
        reader_use(r, &c);
        return STEP_AGAIN;
    }
    int64_t offset = r->window.offset + (c.p - r->window.at);
    bool is_event = *c.p == '{';
    j = is_event ? event_parse(e, &c) : scan_skip(&c);
    if (j != JSON_OK)
        return step_of(j);
    r->first = false;
    reader_use(r, &c);
    if (is_event) {
        e->offset = offset;
        return STEP_EVENT;
    }
    r->lost_events++;
    trace_note(r->notes, TRACE_NOTE_NOT_AN_OBJECT, offset);
    return STEP_AGAIN;
}

static enum step_result reader_step(struct container_reader *r, struct trace_event *e)
{
    reader_skip_space(r);
    if (!r->window.len)
        return STEP_MORE;
    switch (r->state) {
    case CONTAINER_START:
        return step_start(r);
    case CONTAINER_OBJECT:
        return step_object(r);
    default:
        return step_events(r, e);
    }
}

/* --- damage --- */

/* Does an event begin here, behind the comma that is due? Then it is lost, and the search
 * for the next one begins inside it; else the damage lies between events. */
static bool reader_inside_event(const struct container_reader *r, size_t *inside)
{
    struct json_cursor c = reader_cursor(r);
    bool first = r->first, over;
    if (r->state != CONTAINER_EVENTS || scan_next_element(&c, &first, &over) != JSON_OK ||
        over || *c.p != '{')
        return false;
    *inside = (size_t)(c.p - r->window.at) + 1;
    return true;
}

static void reader_resume(struct container_reader *r, enum resync_kind kind)
{
    r->first = kind != RESYNC_FOOTER;
    r->state = kind == RESYNC_FOOTER ? CONTAINER_OBJECT : CONTAINER_EVENTS;
    r->bare_array = r->bare_array && kind != RESYNC_FOOTER;
    r->seen_events = true;
}

/* Search from s[from] on, keeping some text behind the place of search in view. */
static bool reader_search(struct container_reader *r, size_t from)
{
    struct text_window *w = &r->window;
    for (;;) {
        size_t at;
        enum resync_kind kind = resync_find(&at, w->at, from, w->len, w->over);
        if (kind != RESYNC_NONE) {
            text_window_use(w, at);
            reader_resume(r, kind);
            return true;
        }
        from = at < RESYNC_LOOKAHEAD ? at : RESYNC_LOOKAHEAD;
        text_window_use(w, at - from);
        if (w->over) {
            text_window_use(w, w->len);
            return false;
        }
        text_window_more(w);
    }
}

static enum trace_note damage_note(bool lost_event, bool too_long)
{
    if (too_long)
        return lost_event ? TRACE_NOTE_TOO_LONG_EVENT : TRACE_NOTE_TOO_LONG;
    return lost_event ? TRACE_NOTE_MALFORMED_EVENT : TRACE_NOTE_MALFORMED;
}

/* Skip to where reading can go on; false when the text ends before. */
static bool reader_recover(struct container_reader *r, bool too_long)
{
    int64_t damage_at = r->window.offset;
    size_t from = 0;
    bool lost = reader_inside_event(r, &from);
    if (!lost && r->first && r->state == CONTAINER_EVENTS)
        from = 1; /* just resumed here: go on behind it */
    if (too_long) /* all of it made sense: nothing inside it is an event of its own */
        from = r->window.len - RESYNC_LOOKAHEAD;
    bool found = reader_search(r, from);
    int64_t skipped_bytes = r->window.offset - damage_at;
    trace_note_bytes(r->notes, damage_note(lost, too_long), damage_at, skipped_bytes);
    r->lost_events += lost;
    r->lost_bytes += skipped_bytes;
    return found;
}

/* The text ended in the middle of something. */
static void reader_truncated(struct container_reader *r)
{
    size_t inside;
    if (reader_inside_event(r, &inside)) {
        trace_note(r->notes, TRACE_NOTE_CUT_EVENT, r->window.offset);
        r->lost_events++;
    }
    if (r->is_json || r->seen_events)
        trace_note(r->notes, TRACE_NOTE_TRUNCATED, container_reader_text_bytes(r));
    r->state = CONTAINER_OVER;
}

/* Read on to the end, for the checksum of compressed data and the size of the text. */
static void reader_drain(struct container_reader *r)
{
    bool noted = !r->complete;
    do {
        reader_skip_space(r);
        if (r->window.len && !noted) {
            trace_note(r->notes, TRACE_NOTE_TEXT_AFTER_END, r->window.offset);
            noted = true;
        }
        text_window_use(&r->window, r->window.len);
    } while (text_window_more(&r->window) != WINDOW_OVER);
}

/* More text, or the end of it; a step that asked before the end was known is tried again.
 */
static void reader_more(struct container_reader *r)
{
    bool knew_end = r->window.over;
    switch (text_window_more(&r->window)) {
    case WINDOW_OVER:
        if (knew_end)
            reader_truncated(r);
        break;
    case WINDOW_FULL:
        if (!reader_recover(r, true))
            reader_truncated(r);
        break;
    case WINDOW_GREW:
        break;
    }
}

bool container_reader_next(struct container_reader *r, struct trace_event *e)
{
    if (r->state == CONTAINER_OVER)
        return false;
    while (r->state != CONTAINER_OVER) {
        enum step_result step = reader_step(r, e);
        if (step == STEP_EVENT)
            return true;
        if (step == STEP_MORE)
            reader_more(r);
        else if (step == STEP_BAD && !reader_recover(r, false))
            reader_truncated(r);
    }
    reader_drain(r);
    return false;
}
