#include "trace/event_reader.h"

#include "trace/decimal.h"
#include "trace/event_keys.h"

#include <string.h>

_Static_assert(EVENT_NUMBER_COUNT <= 32, "numbers_seen has 32 bits");

/* The walk stays in registers only when all of it is one function. */
#define INLINE static inline __attribute__((always_inline))

/* Marks of an event from `m` on. Behind the last one of the index stand marks at the end
 * of the text, where there is a space: what looks for a mark there finds none. */
struct walk {
    const struct text_index *x;
    const struct event_keys *keys;
    const char *text;
    const uint32_t *m;
};

/* A member's value: a string without its quotes, a word, or brackets and all. */
struct value {
    const char *s;
    size_t len;
    char opens; /* '"', '{', '[', or 0 for a word */
};

INLINE char mark_at(const struct walk *w, int i)
{
    return w->text[w->m[i]];
}

/* Control characters between marks are taken for white space. */
INLINE bool is_space(char ch)
{
    return (uint8_t)ch <= ' ';
}

/* From '"' of a key to behind its ':'. */
INLINE bool walk_key(struct walk *w, const char **key, size_t *len)
{
    uint32_t quote = w->m[0], colon = w->m[1], end = colon - 1;
    if (w->text[quote] != '"' || w->text[colon] != ':')
        return false;
    while (is_space(w->text[end]))
        end--;
    if (w->text[end] != '"' || end <= quote)
        return false;
    *key = w->text + quote + 1;
    *len = end - quote - 1;
    w->m += 2;
    return true;
}

/* Over brackets and what they hold. */
INLINE bool walk_nested(struct walk *w)
{
    int depth = 0;
    do {
        switch (mark_at(w, 0)) {
        case '{':
        case '[':
            if (++depth > JSON_NESTING_MAX)
                return false;
            break;
        case '}':
        case ']':
            depth--;
            break;
        case ' ':
            return false; /* no more marks */
        default:
            break;
        }
        w->m++;
    } while (depth);
    return true;
}

INLINE bool only_space(const char *from, const char *to)
{
    if (from < to && *from == ' ') /* the usual one */
        from++;
    while (from < to && is_space(*from))
        from++;
    return from == to;
}

/* At the '}' of brackets that should hold nothing. */
INLINE bool walk_empty(struct walk *w)
{
    w->m++;
    return only_space(w->text + w->m[-2] + 1, w->text + w->m[-1]);
}

/* Over the mark behind a member: was it the last one, and is *good that it was? */
INLINE bool walk_last(struct walk *w, bool *good)
{
    char mark = mark_at(w, 0);
    w->m++;
    *good = mark == '}';
    return mark != ',';
}

/* From behind the colon to the mark behind the value: ',' or '}'. */
INLINE bool walk_value(struct walk *w, struct value *v)
{
    const char *begin = w->text + w->m[-1] + 1, *mark = w->text + w->m[0], *end;
    v->opens = *mark;
    switch (*mark) {
    case ',':
    case '}':
        v->opens = 0;
        begin += *begin == ' ';
        while (is_space(*begin))
            begin++;
        end = mark;
        break;
    case '"':
        if (!only_space(begin, mark))
            return false;
        begin = mark + 1;
        w->m++;
        end = w->text + w->m[0];
        break;
    case '{':
    case '[':
        if (!only_space(begin, mark) || !walk_nested(w))
            return false;
        begin = mark;
        end = w->text + w->m[-1] + 1;
        break;
    default:
        return false;
    }
    while (end > begin && is_space(end[-1]))
        end--;
    if (v->opens == '"' && *--end != '"')
        return false;
    if (end < begin || (!v->opens && end == begin))
        return false;
    v->s = begin;
    v->len = (size_t)(end - begin);
    return true;
}

/* The same for a value that is not wanted. */
INLINE bool walk_over_value(struct walk *w)
{
    switch (mark_at(w, 0)) {
    case ',':
    case '}':
        return true;
    case '"':
        if (!only_space(w->text + w->m[-1] + 1, w->text + w->m[0]))
            return false;
        w->m++;
        return true;
    case '{':
    case '[':
        return walk_nested(w);
    default:
        return false;
    }
}

INLINE struct json_text text_of(const struct walk *w, const struct value *v)
{
    struct json_text t = {.s = v->s, .len = v->len, .is_string = v->opens == '"'};
    if (t.is_string) {
        size_t from = (size_t)(v->s - w->text);
        t.is_raw = text_index_is_odd(w->x, from, from + v->len);
    } else if (v->opens) {
        t.len = 0; /* as scan_scalar() gives it */
    }
    return t;
}

/* --- numbers --- */

/* len <= 8 digits at once; 8 bytes are read whatever len is. False where one is none. */
INLINE bool few_digits(const char *s, size_t len, uint64_t *out)
{
    uint64_t w;
    memcpy(&w, s, 8);
    /* The last digit is the last byte; zeros fill in before the first. */
    const uint64_t zeros = UINT64_C(0x3030303030303030);
    if (len < 8)
        w = w << (64 - 8 * len) | zeros >> 8 * len;
    uint64_t digit = w - zeros;
    if ((digit | (digit + UINT64_C(0x7676767676767676))) & UINT64_C(0x8080808080808080))
        return false;
    digit = digit * 10 + (digit >> 8); /* pairs, in every second byte */
    const uint64_t pair = UINT64_C(0x000000ff000000ff);
    uint64_t high = (digit & pair) * UINT64_C(0x000f424000000064);
    uint64_t low = (digit >> 16 & pair) * UINT64_C(0x0000271000000001);
    *out = (high + low) >> 32;
    return true;
}

/* Up to 16 digits and nothing else. */
INLINE bool digits(const char *s, size_t len, int64_t *out)
{
    uint64_t first, last = 0;
    if (!len || len > 16)
        return false;
    if (len <= 8) {
        if (!few_digits(s, len, &first))
            return false;
        *out = (int64_t)first;
        return true;
    }
    if (!few_digits(s, len - 8, &first) || !few_digits(s + len - 8, 8, &last))
        return false;
    *out = (int64_t)(first * 100000000 + last);
    return true;
}

INLINE bool whole_number(const struct value *v, int64_t *out)
{
    return digits(v->s, v->len, out) || decimal_to_int64(out, v->s, v->len, 0);
}

/* As Kineto writes times: whole microseconds, or three digits behind the point. */
INLINE bool quick_ns(const struct value *v, int64_t *ns)
{
    int64_t us, fraction = 0;
    size_t len = v->len;
    if (len > 4 && v->s[len - 4] == '.') {
        if (!digits(v->s + len - 3, 3, &fraction))
            return false;
        len -= 4;
    }
    if (!digits(v->s, len, &us) || us > INT64_MAX / 1001)
        return false;
    *ns = us * 1000 + fraction;
    return true;
}

INLINE void set_time(struct event_time *t, const struct value *v)
{
    const int us_to_ns = 3; /* as a power of ten */
    size_t len = v->opens == '{' || v->opens == '[' ? 0 : v->len;
    bool good =
        len && (quick_ns(v, &t->ns) || decimal_to_int64(&t->ns, v->s, len, us_to_ns));
    t->state = good ? EVENT_TIME_GOOD : EVENT_TIME_BAD;
}

INLINE void set_row_id(const struct walk *w, struct event_row_id *id,
                       const struct value *v)
{
    id->text = text_of(w, v);
    id->is_number = id->text.len && whole_number(v, &id->number);
}

/* --- args --- */

INLINE void set_arg(struct walk *w, struct trace_event *e, const struct event_key *key,
                    const struct value *v)
{
    if (!key->is_text) {
        bool scalar = v->opens != '{' && v->opens != '[';
        if (scalar && whole_number(v, &e->number[key->index]))
            e->numbers_seen |= UINT32_C(1) << key->index;
        return;
    }
    struct json_text t = text_of(w, v);
    if (key->is_raw) {
        t = (struct json_text){.s = v->s, .len = v->len};
        if (v->opens == '"') { /* raw JSON has its quotes */
            t.s--;
            t.len += 2;
        }
    }
    e->text[key->index] = t;
}

/* From '{' to behind its '}'. */
INLINE bool walk_args(struct walk *w, struct trace_event *e)
{
    w->m++;
    if (mark_at(w, 0) == '}')
        return walk_empty(w);
    for (bool good;;) {
        const char *key;
        size_t len;
        if (!walk_key(w, &key, &len))
            return false;
        const struct event_key *known = event_key_find(w->keys, key, len);
        if (known) {
            struct value v;
            if (!walk_value(w, &v))
                return false;
            set_arg(w, e, known, &v);
        } else if (!walk_over_value(w)) {
            return false;
        }
        if (walk_last(w, &good))
            return good;
    }
}

/* --- the event --- */

INLINE void set_member(struct walk *w, struct trace_event *e, const char *key, size_t len,
                       const struct value *v)
{
    switch (len) {
    case 2:
        if (!memcmp(key, "ph", 2))
            e->ph = v->opens == '"' && v->len == 1 ? v->s[0] : '?';
        else if (!memcmp(key, "ts", 2))
            set_time(&e->ts, v);
        break;
    case 3:
        if (!memcmp(key, "cat", 3))
            e->cat = text_of(w, v);
        else if (!memcmp(key, "pid", 3))
            set_row_id(w, &e->pid, v);
        else if (!memcmp(key, "tid", 3))
            set_row_id(w, &e->tid, v);
        else if (!memcmp(key, "dur", 3))
            set_time(&e->dur, v);
        break;
    case 4:
        if (!memcmp(key, "name", 4))
            e->name = text_of(w, v);
        break;
    default:
        break;
    }
}

/* Arrows between events are many, and only counted. */
INLINE bool is_arrow(char ph)
{
    return ph == 's' || ph == 'f' || ph == 't';
}

/* Over the members that are left, to behind the event's bracket. */
INLINE bool walk_to_end(struct walk *w)
{
    while (mark_at(w, 0) != '}') {
        char mark = mark_at(w, 0);
        if (mark == ' ')
            return false;
        if (mark == '{' || mark == '[') {
            if (!walk_nested(w))
                return false;
        } else {
            w->m++;
        }
    }
    w->m++;
    return true;
}

/* An event of which nothing is known yet. Member by member, because whole structs would
 * be written and read back. */
INLINE void event_clear(struct trace_event *e)
{
    const struct json_text none = {.s = ""};
    e->ph = '\0';
    e->cat = none;
    e->name = none;
    e->pid.is_number = e->tid.is_number = false;
    e->pid.text = none;
    e->tid.text = none;
    e->ts.state = e->dur.state = EVENT_TIME_ABSENT;
    e->numbers_seen = 0;
    for (int i = 0; i < EVENT_TEXT_COUNT; i++) {
        e->text[i].s = NULL;
        e->text[i].len = 0;
    }
}

INLINE bool walk_event(struct walk *w, struct trace_event *e)
{
    if (mark_at(w, 0) != '{')
        return false;
    w->m++;
    if (mark_at(w, 0) == '}')
        return walk_empty(w);
    for (bool good;;) {
        const char *key;
        size_t len;
        if (!walk_key(w, &key, &len))
            return false;
        if (len == 4 && !memcmp(key, "args", 4) && mark_at(w, 0) == '{' &&
            only_space(w->text + w->m[-1] + 1, w->text + w->m[0])) {
            if (!walk_args(w, e))
                return false;
        } else {
            struct value v;
            if (!walk_value(w, &v))
                return false;
            set_member(w, e, key, len, &v);
            if (is_arrow(e->ph))
                return walk_to_end(w);
        }
        if (walk_last(w, &good))
            return good;
    }
}

/* With the marks that are there. JSON_MORE: they end before the event does. */
static enum json_result parse_with_marks(struct trace_event *e, struct text_index *x)
{
    struct walk w = {.x = x, .keys = event_keys(), .text = x->text, .m = x->at + x->next};
    event_clear(e);
    bool good = walk_event(&w, e);
    /* Two marks are looked at in one go: with fewer left, trouble may be their lack. */
    if (w.m > x->at + x->n || (!good && w.m + 2 > x->at + x->n))
        return JSON_MORE;
    if (!good)
        return JSON_BAD;
    x->next = (uint32_t)(w.m - x->at);
    return JSON_OK;
}

enum json_result event_parse(struct trace_event *e, struct text_index *x)
{
    enum json_result r;
    while ((r = parse_with_marks(e, x)) == JSON_MORE && text_index_more(x))
        ;
    return r;
}

bool event_has(const struct trace_event *e, enum event_number which)
{
    return e->numbers_seen >> which & 1;
}

int64_t event_number(const struct trace_event *e, enum event_number which,
                     int64_t fallback)
{
    return event_has(e, which) ? e->number[which] : fallback;
}
