/* Bytes as one event. Every kernel of the index gives the same marks; where the strict
 * plain parser takes the event, event_parse() takes it too and reads the same times and
 * numbers; in pieces or whole makes no difference. */
#include "../unit/trace/plain_event.h"

#include <stdlib.h>

enum { SIZE_MAX_HERE = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_kernels(const char *text, size_t stretches)
{
    static uint32_t want[SIZE_MAX_HERE + 256], got[SIZE_MAX_HERE + 256];
    uint8_t want_odd[SIZE_MAX_HERE / 64 + 2], got_odd[SIZE_MAX_HERE / 64 + 2];
    struct index_state s = {0};
    size_t n =
        text_index_kernel(INDEX_KERNELS - 1)(&s, text, 0, stretches, want, want_odd);
    for (int k = 0; k + 1 < INDEX_KERNELS; k++) {
        struct index_state t = {0};
        if (!text_index_kernel(k))
            continue;
        if (text_index_kernel(k)(&t, text, 0, stretches, got, got_odd) != n ||
            memcmp(want, got, n * sizeof *got) || memcmp(want_odd, got_odd, stretches) ||
            s.in_string != t.in_string || s.escaped != t.escaped)
            abort();
    }
}

static enum json_result parse(struct trace_event *e, struct text_index *x,
                              const char *text, size_t len)
{
    text_index_start(x, text, 0, len);
    return event_parse(e, x);
}

static void check_time(const struct event_time *a, const struct event_time *b)
{
    if (a->state != b->state || (a->state == EVENT_TIME_GOOD && a->ns != b->ns))
        abort();
}

static void check_same(const struct trace_event *a, const struct trace_event *b)
{
    if (a->ph == 's' || a->ph == 't' || a->ph == 'f')
        return; /* nothing more is read of it, not even a second "ph" */
    if (a->ph != b->ph)
        abort();
    check_time(&a->ts, &b->ts);
    check_time(&a->dur, &b->dur);
    if (a->numbers_seen != b->numbers_seen || a->name.len != b->name.len ||
        a->cat.len != b->cat.len)
        abort();
    for (int i = 0; i < EVENT_NUMBER_COUNT; i++)
        if (event_has(a, i) && a->number[i] != b->number[i])
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct text_index x;
    static char text[SIZE_MAX_HERE + 2 * TEXT_PADDING];
    if (!x.at)
        text_index_init(&x);
    if (size > SIZE_MAX_HERE)
        return 0;
    memcpy(text, data, size);
    memset(text + size, ' ', 2 * TEXT_PADDING);
    check_kernels(text, (size + 63) / 64);
    if (!size || text[0] != '{')
        return 0;
    struct trace_event fast, plain;
    enum json_result r = parse(&fast, &x, text, size);
    struct json_cursor c = {text, text + size};
    if (plain_event_parse(&plain, &c) != JSON_OK)
        return 0;
    /* Spaces before a colon and a comma before a closing bracket are for the strict
     * parser alone. */
    if (r == JSON_OK)
        check_same(&fast, &plain);
    return 0;
}
