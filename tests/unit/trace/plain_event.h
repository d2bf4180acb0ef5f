/*
 * An event parsed byte by byte and strictly: the reference of event_parse(). The cursor
 * is at the opening bracket of an object; on JSON_OK it is behind it.
 */
#ifndef GAIT_TESTS_PLAIN_EVENT_H
#define GAIT_TESTS_PLAIN_EVENT_H

#include "trace/event_reader.h"

#include "trace/decimal.h"
#include "trace/event_keys.h"

#include <string.h>

enum { US_TO_NS = 3 }; /* as a power of ten */

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
    /* Copied, because event_key_find() reads beyond it. */
    char padded[EVENT_KEY_WORDS * 8 + 8] = "";
    if (key->len > EVENT_KEY_WORDS * 8)
        return scan_skip(c);
    memcpy(padded, key->s, key->len);
    const struct event_key *known = event_key_find(event_keys(), padded, key->len);
    if (!known)
        return scan_skip(c);
    if (!known->is_text)
        return parse_number_arg(e, c, known->index);
    struct json_text t;
    enum json_result r = known->is_raw ? scan_raw_value(c, &t) : scan_scalar(c, &t);
    if (r == JSON_OK)
        e->text[known->index] = t;
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

static enum json_result plain_event_parse(struct trace_event *e, struct json_cursor *c)
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

#endif
