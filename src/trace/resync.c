#include "trace/resync.h"

#include "trace/json_scan.h"

#include <string.h>

/* What an event may begin with, and what follows the events in a footer. */
static const char *const event_keys[] = {"\"ph\"",  "\"name\"", "\"cat\"",  "\"pid\"",
                                         "\"tid\"", "\"ts\"",   "\"args\"", "\"bp\""};
static const char *const footer_keys[] = {
    "\"traceName\"",       "\"baseTimeNanoseconds\"", "\"distributedInfo\"",
    "\"displayTimeUnit\"", "\"schemaVersion\"",       "\"deviceProperties\"",
    "\"trace_id\"",        "\"traceEvents\""};

struct look {
    const char *p, *end;
};

static void look_space(struct look *l)
{
    while (l->p < l->end && json_is_space(*l->p))
        l->p++;
}

static bool look_char(struct look *l, char ch)
{
    look_space(l);
    if (l->p >= l->end || *l->p != ch)
        return false;
    l->p++;
    return true;
}

static bool look_word(struct look *l, const char *word)
{
    size_t n = strlen(word);
    look_space(l);
    if ((size_t)(l->end - l->p) < n || memcmp(l->p, word, n))
        return false;
    l->p += n;
    return true;
}

/* One of the keys and its colon. Most places are none, and a text may be made of such
 * places alone: the first letter decides. */
static bool look_key(struct look *l, const char *const *keys, size_t n)
{
    look_space(l);
    if (l->end - l->p < 2 || *l->p != '"')
        return false;
    for (size_t i = 0; i < n; i++)
        if (l->p[1] == keys[i][1] && look_word(l, keys[i]))
            return look_char(l, ':');
    return false;
}

/* An object behind a colon is a value (args), not an event. */
static bool behind_colon(const char *s, size_t i)
{
    size_t back = i < RESYNC_LOOKAHEAD ? 0 : i - RESYNC_LOOKAHEAD;
    while (i > back && json_is_space(s[i - 1]))
        i--;
    return i > back && s[i - 1] == ':';
}

/* Could resync_at() find something at s[i]? A text of brackets alone is told by the byte
 * behind each of them, in a hundredth of the time. s[i + 1] is there. */
static inline bool is_worth_a_look(const char *s, size_t i)
{
    char next = s[i + 1];
    switch (s[i]) {
    case '{':
        return next == '"' || json_is_space(next);
    case ']':
        return next == ',' || json_is_space(next);
    case '"':
        return next == 't'; /* "traceEvents" */
    default:
        return false;
    }
}

static enum resync_kind resync_at(size_t *at, const char *s, size_t i, size_t len)
{
    size_t end = len - i < RESYNC_LOOKAHEAD ? len : i + RESYNC_LOOKAHEAD;
    struct look l = {s + i + 1, s + end};
    if (s[i] == '{' && !behind_colon(s, i) &&
        look_key(&l, event_keys, sizeof event_keys / sizeof *event_keys)) {
        *at = i;
        return RESYNC_EVENT;
    }
    if (s[i] == ']' && look_char(&l, ',') &&
        look_key(&l, footer_keys, sizeof footer_keys / sizeof *footer_keys)) {
        *at = i + 1;
        return RESYNC_FOOTER;
    }
    if (s[i] == '"') {
        l.p = s + i;
        const char *const key = "\"traceEvents\"";
        if (look_key(&l, &key, 1) && look_char(&l, '[')) {
            *at = (size_t)(l.p - s);
            return RESYNC_EVENTS;
        }
    }
    return RESYNC_NONE;
}

enum resync_kind resync_find(size_t *at, const char *s, size_t from, size_t len,
                             bool over)
{
    size_t last = over ? len : len < RESYNC_LOOKAHEAD ? 0 : len - RESYNC_LOOKAHEAD;
    for (size_t i = from; i < last && i + 1 < len; i++) {
        if (!is_worth_a_look(s, i))
            continue;
        enum resync_kind kind = resync_at(at, s, i, len);
        if (kind != RESYNC_NONE)
            return kind;
    }
    *at = last > from ? last : from;
    return RESYNC_NONE;
}

size_t resync_last_event(const char *s, size_t len)
{
    for (size_t i = len ? len - 1 : 0; i-- > 1;) {
        size_t at;
        if (s[i] == '{' && is_worth_a_look(s, i) &&
            resync_at(&at, s, i, len) == RESYNC_EVENT)
            return i;
    }
    return 0;
}
