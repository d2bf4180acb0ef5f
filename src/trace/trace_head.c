#include "trace/trace_head.h"

#include "base/path.h"
#include "trace/decimal.h"

#include <string.h>

void trace_head_init(struct trace_head *h)
{
    *h = (struct trace_head){.rank = -1};
#define HEAD_SWITCH_UNSAID(member, key) h->member = -1;
    HEAD_SWITCH_LIST(HEAD_SWITCH_UNSAID)
}

static void set_text(char dst[HEAD_TEXT_BYTES], const struct json_text *t)
{
    unsigned done = 0;
    size_t len = json_text_cook(dst, HEAD_TEXT_BYTES - 1, t, &done);
    dst[len] = '\0';
}

/* A number within these bounds; else *out stays. */
static void set_number(int64_t *out, const struct json_text *t, int64_t low, int64_t high)
{
    int64_t v;
    if (decimal_to_int64(&v, t->s, t->len, 0) && v >= low && v <= high)
        *out = v;
}

typedef void member_fn(struct trace_head *h, const struct json_text *key,
                       const struct json_text *value);

/* Each scalar member of the object at the cursor, which is taken whole. */
static bool each_member(struct trace_head *h, struct json_cursor *c, member_fn *use)
{
    bool first = true;
    c->p++;
    for (;;) {
        struct json_text key, value;
        if (scan_next_member(c, &first, &key) != JSON_OK)
            return false;
        if (!key.s)
            return true;
        if (scan_scalar(c, &value) != JSON_OK)
            return false;
        use(h, &key, &value);
    }
}

static void use_distributed(struct trace_head *h, const struct json_text *key,
                            const struct json_text *value)
{
    if (json_text_is(key, "rank"))
        set_number(&h->rank, value, 0, INT32_MAX);
    else if (json_text_is(key, "world_size"))
        set_number(&h->world, value, 1, INT32_MAX);
    else if (json_text_is(key, "backend"))
        set_text(h->backend, value);
}

static void use_device(struct trace_head *h, const struct json_text *key,
                       const struct json_text *value)
{
    if (json_text_is(key, "name") && !h->device[0])
        set_text(h->device, value);
}

static void use_devices(struct trace_head *h, struct json_cursor *c)
{
    bool first = true, over = false;
    c->p++;
    while (scan_next_element(c, &first, &over) == JSON_OK && !over)
        if (*c->p != '{' || !each_member(h, c, use_device))
            return;
}

static void remember_key(struct trace_head *h, const struct json_text *key)
{
    if (h->other_keys < HEAD_KEYS_KEPT)
        set_text(h->other_key[h->other_keys++], key);
}

static void use_scalar(struct trace_head *h, const struct json_text *key,
                       struct json_cursor *c)
{
    struct json_text value;
    if (scan_scalar(c, &value) != JSON_OK)
        value = (struct json_text){.s = ""};
    if (json_text_is(key, "baseTimeNanoseconds"))
        set_number(&h->base_ns, &value, 0, RUN_TIME_MAX_NS);
    else if (json_text_is(key, "host_name"))
        set_text(h->host, &value);
#define HEAD_SWITCH_SET(member, name)                                                    \
    else if (json_text_is(key, name)) set_number(&h->member, &value, 0, INT32_MAX);
    HEAD_SWITCH_LIST(HEAD_SWITCH_SET)
    else remember_key(h, key);
}

void trace_head_member(struct trace_head *h, const struct json_text *key,
                       const struct json_text *value)
{
    /* A word needs a byte behind it to end: the raw value has one in the text it is a
     * slice of, since the scanner went past it. */
    struct json_cursor c = {value->s, value->s + value->len + 1};
    if (json_text_is(key, "distributedInfo") && *c.p == '{')
        each_member(h, &c, use_distributed);
    else if (json_text_is(key, "deviceProperties") && *c.p == '[')
        use_devices(h, &c);
    else
        use_scalar(h, key, &c);
}

void trace_head_to_run(const struct trace_head *h, struct run *run, int32_t rank)
{
#define HEAD_SWITCH_FACT(member, key)                                                    \
    if (h->member >= 0)                                                                  \
        run_add_fact(run, rank, "trace." key, (double)h->member, "", ORIGIN_GIVEN,       \
                     "the trace's head");
    HEAD_SWITCH_LIST(HEAD_SWITCH_FACT)
    if (h->backend[0])
        run_add_fact_text(run, rank, "trace.backend", h->backend, ORIGIN_GIVEN);
}

static bool is_letter(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z');
}

/* The number behind `word` in s[0..len), -1 where there is none: the word is not the tail
 * of another, one of "-_.=" may stand between, and at most 7 digits follow. */
static int64_t number_behind(const char *s, size_t len, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n < len; i++) {
        if (strncasecmp(s + i, word, n) || (i && is_letter(s[i - 1])))
            continue;
        size_t at = i + n + (strchr("-_.=", s[i + n]) != NULL), digits = 0;
        while (at + digits < len && s[at + digits] >= '0' && s[at + digits] <= '9')
            digits++;
        int64_t v;
        if (digits && digits <= 7 && decimal_to_int64(&v, s + at, digits, 0))
            return v;
    }
    return -1;
}

static int64_t rank_from_name(const char *s, size_t len)
{
    int64_t rank = number_behind(s, len, "rank");
    return rank >= 0 ? rank : number_behind(s, len, "worker");
}

int64_t rank_from_path(const char *path)
{
    const char *name = path_name(path);
    int64_t rank = rank_from_name(name, strlen(name));
    if (rank >= 0 || name == path)
        return rank;
    const char *end = name - 1, *folder = end;
    while (folder > path && folder[-1] != '/')
        folder--;
    return rank_from_name(folder, (size_t)(end - folder));
}
