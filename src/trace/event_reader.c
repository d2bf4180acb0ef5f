#include "trace/event_reader.h"

#include "trace/decimal.h"

#include <string.h>

enum { US_TO_NS = 3 }; /* as a power of ten */

struct arg_key {
    const char *key;
    uint8_t len;
    uint8_t index;
};

#define NUMBER_KEY(v, key) {key, sizeof key - 1, EVENT_NUMBER_##v},
#define TEXT_KEY(v, key) {key, sizeof key - 1, EVENT_TEXT_##v},
static const struct arg_key number_key[] = {EVENT_NUMBER_LIST(NUMBER_KEY)};
static const struct arg_key text_key[] = {EVENT_TEXT_LIST(TEXT_KEY)};

_Static_assert(EVENT_NUMBER_COUNT <= 32, "numbers_seen has 32 bits");

/* Equal when letters of s are made small; word is small already. */
static bool same_word(const char *s, const char *word, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char ch = s[i] >= 'A' && s[i] <= 'Z' ? (char)(s[i] | 0x20) : s[i];
        if (ch != word[i])
            return false;
    }
    return true;
}

static int find_key(const struct arg_key *keys, int n, const struct json_text *t)
{
    for (int i = 0; i < n; i++)
        if (keys[i].len == t->len && same_word(t->s, keys[i].key, t->len))
            return keys[i].index;
    return -1;
}

static enum json_result parse_number_arg(struct trace_event *e, struct json_cursor *c,
                                         int which)
{
    struct json_text t;
    enum json_result r = scan_scalar(c, &t);
    if (r == JSON_OK && decimal_to_int64(&e->number[which], t.s, t.len, 0))
        e->numbers_seen |= UINT32_C(1) << which;
    return r;
}

static enum json_result parse_arg(struct trace_event *e, struct json_cursor *c,
                                  const struct json_text *key)
{
    int which = find_key(number_key, EVENT_NUMBER_COUNT, key);
    if (which >= 0)
        return parse_number_arg(e, c, which);
    which = find_key(text_key, EVENT_TEXT_COUNT, key);
    if (which < 0)
        return scan_skip(c);
    struct json_text t;
    enum json_result r =
        which == EVENT_TEXT_INPUT_DIMS ? scan_raw_value(c, &t) : scan_scalar(c, &t);
    if (r == JSON_OK)
        e->text[which] = t;
    return r;
}

static enum json_result parse_args(struct trace_event *e, struct json_cursor *c)
{
    if (*c->p != '{')
        return scan_skip(c);
    c->p++;
    bool first = true;
    for (;;) {
        struct json_text key;
        enum json_result r = scan_next_member(c, &first, &key);
        if (r != JSON_OK || !key.s)
            return r;
        r = parse_arg(e, c, &key);
        if (r != JSON_OK)
            return r;
    }
}

static void set_time(struct event_time *time, const struct json_text *t)
{
    bool good = decimal_to_int64(&time->ns, t->s, t->len, US_TO_NS);
    time->state = good ? EVENT_TIME_GOOD : EVENT_TIME_BAD;
}

static void set_row_id(struct event_row_id *id, const struct json_text *t)
{
    id->is_number = decimal_to_int64(&id->number, t->s, t->len, 0);
    id->text = *t;
}

static enum json_result parse_member(struct trace_event *e, struct json_cursor *c,
                                     const struct json_text *key)
{
    struct json_text t;
    if (json_text_is(key, "args"))
        return parse_args(e, c);
    enum json_result r = scan_scalar(c, &t);
    if (r != JSON_OK)
        return r;
    switch (key->len) {
    case 2:
        if (json_text_is(key, "ph"))
            e->ph = t.is_string && t.len == 1 ? t.s[0] : '?';
        else if (json_text_is(key, "ts"))
            set_time(&e->ts, &t);
        break;
    case 3:
        if (json_text_is(key, "cat"))
            e->cat = t;
        else if (json_text_is(key, "pid"))
            set_row_id(&e->pid, &t);
        else if (json_text_is(key, "tid"))
            set_row_id(&e->tid, &t);
        else if (json_text_is(key, "dur"))
            set_time(&e->dur, &t);
        break;
    case 4:
        if (json_text_is(key, "name"))
            e->name = t;
        break;
    default:
        break;
    }
    return r;
}

enum json_result event_parse(struct trace_event *e, struct json_cursor *c)
{
    bool first = true;
    *e = (struct trace_event){
        .cat.s = "", .name.s = "", .pid.text.s = "", .tid.text.s = ""};
    c->p++;
    for (;;) {
        struct json_text key;
        enum json_result r = scan_next_member(c, &first, &key);
        if (r != JSON_OK || !key.s)
            return r;
        r = parse_member(e, c, &key);
        if (r != JSON_OK)
            return r;
    }
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
