#include "trace/container_reader.h"

#include "base/mem.h"
#include "trace/resync.h"

#include <string.h>

enum step_result {
    STEP_AGAIN, /* something was read that is not an event */
    STEP_EVENT,
    STEP_MORE, /* the text in view ends too early */
    STEP_BAD,  /* damage */
};

static void view_use(struct text_view *w, size_t n)
{
    w->at += n;
    w->len -= n;
    w->offset += (int64_t)n;
}

void container_reader_init(struct container_reader *r, struct trace_head *head,
                           struct trace_notes *notes)
{
    *r = (struct container_reader){.head = head, .notes = notes};
    text_index_init(&r->index);
}

void container_reader_release(struct container_reader *r)
{
    text_index_release(&r->index);
    mem_free(r->rest);
    mem_free(r->joined);
    *r = (struct container_reader){0};
}

/* --- views --- */

static void append(char **buf, size_t *cap, size_t at, const char *text, size_t len)
{
    vec_grow(*buf, *cap, at + len + TEXT_PADDING);
    if (len)
        memcpy(*buf + at, text, len);
    memset(*buf + at + len, ' ', TEXT_PADDING);
}

/* What was not enough is tried again when there is twice as much of it, so that a long
 * event is not read once for every short view. */
static bool reader_waits(const struct container_reader *r)
{
    size_t enough = 2 * r->tried_len;
    if (enough > CONTAINER_REST_MAX)
        enough = CONTAINER_REST_MAX;
    return !r->view.over && r->rest_len < enough;
}

/* The rest becomes the view. */
static void view_rest(struct container_reader *r)
{
    char *text = r->rest;
    size_t cap = r->rest_cap;
    r->rest = r->joined;
    r->rest_cap = r->joined_cap;
    r->joined = text;
    r->joined_cap = cap;
    r->view.text = r->view.at = text;
    r->view.len = r->rest_len;
    r->view.offset = r->text_bytes - (int64_t)r->rest_len;
    r->rest_len = 0;
}

void container_reader_view(struct container_reader *r, const char *text, size_t len,
                           int64_t offset, bool over)
{
    r->view = (struct text_view){text, text, len, offset, over};
    r->text_bytes = offset + (int64_t)len;
    r->indexed = r->waiting = false;
    if (!r->rest_len)
        return;
    append(&r->rest, &r->rest_cap, r->rest_len, text, len);
    r->rest_len += len;
    r->waiting = reader_waits(r);
    if (!r->waiting)
        view_rest(r);
}

void container_reader_view_behind(struct container_reader *r, bool events,
                                  const char *text, size_t len, int64_t offset, bool over)
{
    r->rest_len = 0;
    r->first = !events;
    container_reader_view(r, text, len, offset, over);
}

static void reader_keep_rest(struct container_reader *r)
{
    append(&r->rest, &r->rest_cap, 0, r->view.at, r->view.len);
    r->rest_len = r->tried_len = r->view.len;
    view_use(&r->view, r->view.len);
}

/* White space at the front is used up at once: however long, it never fills the window.
 */
static void reader_skip_space(struct container_reader *r)
{
    size_t n = 0;
    while (n < r->view.len && json_is_space(r->view.at[n]))
        n++;
    view_use(&r->view, n);
}

static struct json_cursor reader_cursor(const struct container_reader *r)
{
    return (struct json_cursor){r->view.at, r->view.at + r->view.len};
}

static void reader_use(struct container_reader *r, const struct json_cursor *c)
{
    view_use(&r->view, (size_t)(c->p - r->view.at));
}

static enum step_result step_of(enum json_result r)
{
    return r == JSON_OK ? STEP_AGAIN : r == JSON_MORE ? STEP_MORE : STEP_BAD;
}

/* The first bracket says what the document is; a byte order mark may stand before it. */
static enum step_result step_start(struct container_reader *r)
{
    static const char mark[] = "\xef\xbb\xbf";
    struct text_view *w = &r->view;
    if (!w->len || (w->len < sizeof r->begin && !w->over))
        return STEP_MORE;
    if (!r->begin[0]) {
        size_t n = w->len < sizeof r->begin - 1 ? w->len : sizeof r->begin - 1;
        for (size_t i = 0; i < n; i++)
            r->begin[i] = w->at[i] >= 0x20 && w->at[i] < 0x7f ? w->at[i] : '.';
    }
    if (w->len >= 3 && !memcmp(w->at, mark, 3)) {
        view_use(w, 3);
        return STEP_AGAIN;
    }
    if (*w->at != '{' && *w->at != '[')
        return STEP_BAD;
    r->is_json = true;
    r->bare_array = r->seen_events = *w->at == '[';
    r->state = r->bare_array ? CONTAINER_EVENTS : CONTAINER_OBJECT;
    r->first = true;
    view_use(w, 1);
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

static bool holds_events(const struct json_text *object)
{
    static const char key[] = "\"traceEvents\"";
    return *object->s == '{' && memmem(object->s, object->len, key, sizeof key - 1);
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
    if (!r->seen_events && holds_events(&value))
        return STEP_BAD; /* a bracket before them was not closed */
    trace_head_member(r->head, &key, &value);
    r->first = false;
    reader_use(r, &c);
    return STEP_AGAIN;
}

/* Is the next mark at text[at]? Marks before it are passed over. */
static bool index_is_at(struct text_index *x, size_t at)
{
    do {
        while (x->next < x->n && x->at[x->next] < at)
            x->next++;
    } while (x->next == x->n && text_index_more(x));
    return x->next < x->n && x->at[x->next] == at;
}

/* The event at the cursor, which is moved behind it. The index goes on from one event to
 * the next; after damage it begins anew. */
static enum json_result parse_event(struct container_reader *r, struct trace_event *e,
                                    struct json_cursor *c)
{
    struct text_index *x = &r->index;
    const char *text = r->view.text;
    size_t at = (size_t)(c->p - text);
    if (!r->indexed || !index_is_at(x, at))
        text_index_start(x, text, at, (size_t)(c->end - text));
    r->indexed = true;
    enum json_result j = event_parse(e, x);
    if (j == JSON_OK)
        c->p = text + text_index_used(x);
    else
        r->indexed = false;
    return j;
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
    const char *begin = c.p;
    int64_t offset = r->view.offset + (begin - r->view.at);
    bool is_event = *c.p == '{';
    j = is_event ? parse_event(r, e, &c) : scan_skip(&c);
    if (j != JSON_OK)
        return step_of(j);
    r->first = false;
    reader_use(r, &c);
    if (c.p - begin > CONTAINER_REST_MAX) {
        r->lost_events++;
        r->lost_bytes += c.p - begin;
        trace_note_bytes(r->notes, TRACE_NOTE_TOO_LONG_EVENT, offset, c.p - begin);
        return STEP_AGAIN;
    }
    if (is_event) {
        e->offset = offset;
        return STEP_EVENT;
    }
    r->lost_events++;
    trace_note(r->notes, TRACE_NOTE_NOT_AN_OBJECT, offset);
    return STEP_AGAIN;
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
    *inside = (size_t)(c.p - r->view.at) + 1;
    return true;
}

static void reader_resume(struct container_reader *r, enum resync_kind kind)
{
    r->first = kind != RESYNC_FOOTER;
    r->state = kind == RESYNC_FOOTER ? CONTAINER_OBJECT : CONTAINER_EVENTS;
    r->bare_array = r->bare_array && kind != RESYNC_FOOTER;
    r->seen_events = true;
}

static enum trace_note damage_note(bool lost_event, bool too_long)
{
    if (too_long)
        return lost_event ? TRACE_NOTE_TOO_LONG_EVENT : TRACE_NOTE_TOO_LONG;
    return lost_event ? TRACE_NOTE_MALFORMED_EVENT : TRACE_NOTE_MALFORMED;
}

/* The damage ends where the view stands now. */
static void reader_note_damage(struct container_reader *r)
{
    const struct damage *d = &r->damage;
    int64_t skipped_bytes = r->view.offset - d->offset;
    trace_note_bytes(r->notes, damage_note(d->lost_event, d->too_long), d->offset,
                     skipped_bytes);
    r->lost_events += d->lost_event;
    r->lost_bytes += skipped_bytes;
}

/* One look for a place to go on at; what stands before the place of search stays in view
 * as far as resync_find() looks back. */
static enum step_result step_search(struct container_reader *r)
{
    struct text_view *w = &r->view;
    size_t at;
    enum resync_kind kind = resync_find(&at, w->at, r->damage.from, w->len, w->over);
    if (kind != RESYNC_NONE) {
        view_use(w, at);
        reader_note_damage(r);
        reader_resume(r, kind);
        return STEP_AGAIN;
    }
    r->damage.from = at < RESYNC_LOOKAHEAD ? at : RESYNC_LOOKAHEAD;
    view_use(w, at - r->damage.from);
    if (w->over)
        view_use(w, w->len);
    return STEP_MORE;
}

/* From here on search for where reading can go on. */
static void reader_damaged(struct container_reader *r, bool too_long)
{
    size_t from = 0;
    bool lost = reader_inside_event(r, &from);
    int64_t event = (int64_t)from - 1; /* its bracket, whatever comma stands before */
    if (!lost && r->first && r->state == CONTAINER_EVENTS)
        from = 1; /* just resumed here: go on behind it */
    /* All of it made sense: nothing inside it is an event of its own. In the head it may
     * be a bracket that was never closed. */
    if (too_long && r->seen_events)
        from = r->view.len - RESYNC_LOOKAHEAD;
    r->damage = (struct damage){r->view.offset, from, lost, too_long};
    if (lost)
        r->damage.offset += event;
    r->state = CONTAINER_SEARCH;
}

/* The text ended in the middle of something. */
static void reader_truncated(struct container_reader *r)
{
    size_t inside;
    if (r->state == CONTAINER_SEARCH)
        reader_note_damage(r);
    if (reader_inside_event(r, &inside)) {
        trace_note(r->notes, TRACE_NOTE_CUT_EVENT, r->view.offset + (int64_t)inside - 1);
        r->lost_events++;
    }
    if (r->is_json || r->seen_events)
        trace_note(r->notes, TRACE_NOTE_TRUNCATED, r->text_bytes);
    r->state = CONTAINER_OVER;
}

static enum step_result reader_step(struct container_reader *r, struct trace_event *e)
{
    if (r->state == CONTAINER_SEARCH)
        return step_search(r);
    reader_skip_space(r);
    if (!r->view.len)
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

/* Text behind the document is used up, and noted once. */
static void reader_after_end(struct container_reader *r)
{
    reader_skip_space(r);
    if (r->view.len && r->complete && !r->noted_after_end) {
        trace_note(r->notes, TRACE_NOTE_TEXT_AFTER_END, r->view.offset);
        r->noted_after_end = true;
    }
    view_use(&r->view, r->view.len);
}

/* A document that ended before its events, or whose head never ended: look for them in
 * what is in view. */
static bool reader_looks_again(struct container_reader *r)
{
    reader_skip_space(r);
    if (r->seen_events || !r->is_json || !r->view.len || r->looked_again)
        return false;
    r->looked_again = r->view.over;
    r->complete = false;
    r->damage = (struct damage){r->view.offset, 0, false, false};
    r->state = CONTAINER_SEARCH;
    return true;
}

bool container_reader_next(struct container_reader *r, struct trace_event *e)
{
    if (r->waiting)
        return false;
    if (r->state == CONTAINER_OVER && r->complete)
        reader_looks_again(r);
    while (r->state != CONTAINER_OVER) {
        enum step_result step = reader_step(r, e);
        if (step == STEP_EVENT)
            return true;
        if (step == STEP_BAD)
            reader_damaged(r, false);
        else if (step == STEP_MORE && r->view.over && !reader_looks_again(r))
            reader_truncated(r);
        else if (step == STEP_MORE && r->view.len >= CONTAINER_REST_MAX)
            reader_damaged(r, true);
        else if (step == STEP_MORE && !r->view.over)
            break;
        if (r->state == CONTAINER_OVER && r->complete)
            reader_looks_again(r);
    }
    if (r->state == CONTAINER_OVER)
        reader_after_end(r);
    else
        reader_keep_rest(r);
    return false;
}

bool container_reader_is_between(const struct container_reader *r)
{
    size_t i = 0;
    bool comma_due = !r->first;
    for (; i < r->rest_len; i++) {
        if (comma_due && r->rest[i] == ',')
            comma_due = false;
        else if (!json_is_space(r->rest[i]))
            break;
    }
    return r->state == CONTAINER_EVENTS && i == r->rest_len && !comma_due;
}
