/* event_parse() gives what the plain parser gives, for whatever that takes. */
#include "cmocka_setup.h"

#include "base/mem.h"
#include "plain_event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void same_text(const struct json_text *a, const struct json_text *b)
{
    assert_int_equal(!a->s, !b->s);
    if (!a->s)
        return;
    assert_int_equal(a->len, b->len);
    if (!a->len)
        return;
    assert_ptr_equal(a->s, b->s);
    assert_int_equal(a->is_string, b->is_string);
    assert_true(a->is_raw || !b->is_raw); /* fast may say raw where it need not */
}

static void same_row(const struct event_row_id *a, const struct event_row_id *b)
{
    assert_int_equal(a->is_number, b->is_number);
    if (a->is_number)
        assert_int_equal(a->number, b->number);
    same_text(&a->text, &b->text);
}

static void same_event(const struct trace_event *fast, const struct trace_event *plain)
{
    assert_int_equal(fast->ph, plain->ph);
    if (fast->ph == 's' || fast->ph == 't' || fast->ph == 'f')
        return; /* the rest is not read */
    same_text(&fast->cat, &plain->cat);
    same_text(&fast->name, &plain->name);
    same_row(&fast->pid, &plain->pid);
    same_row(&fast->tid, &plain->tid);
    assert_int_equal(fast->ts.state, plain->ts.state);
    assert_int_equal(fast->dur.state, plain->dur.state);
    if (fast->ts.state == EVENT_TIME_GOOD)
        assert_int_equal(fast->ts.ns, plain->ts.ns);
    if (fast->dur.state == EVENT_TIME_GOOD)
        assert_int_equal(fast->dur.ns, plain->dur.ns);
    assert_int_equal(fast->numbers_seen, plain->numbers_seen);
    for (int i = 0; i < EVENT_NUMBER_COUNT; i++)
        if (fast->numbers_seen >> i & 1)
            assert_int_equal(fast->number[i], plain->number[i]);
    for (int i = 0; i < EVENT_TEXT_COUNT; i++)
        same_text(&fast->text[i], &plain->text[i]);
}

/* Both parsers on the text; returns whether the fast one took it. */
static bool compare(const char *json)
{
    size_t len = strlen(json);
    char *text = mem_alloc(len + TEXT_PADDING);
    memcpy(text, json, len);
    memset(text + len, ' ', TEXT_PADDING);
    struct text_index x;
    struct trace_event fast, plain;
    text_index_init(&x);
    text_index_start(&x, text, 0, len);
    enum json_result r = event_parse(&fast, &x);
    struct json_cursor c = {text, text + len};
    if (r == JSON_OK) {
        assert_int_equal(plain_event_parse(&plain, &c), JSON_OK);
        assert_ptr_equal(c.p, text + x.at[x.next - 1] + 1);
        same_event(&fast, &plain);
    }
    text_index_release(&x);
    mem_free(text);
    return r == JSON_OK;
}

static const char *const events[] = {
    "{}",
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::add\", \"pid\": 12, \"tid\": "
    "-7,\n \"ts\": 1623143089861234, \"dur\": 5}",
    "{\"ph\":\"X\",\"ts\":5634921843.123,\"dur\":0.001,\"pid\":\"Spans\",\"tid\":"
    "\"stream "
    "7\"}",
    "{\"ts\":1.5,\"dur\":1e3,\"ph\":\"X\"}",
    "{\"ts\":-12.25,\"dur\":\"17\",\"ph\":\"XX\",\"pid\":null,\"tid\":1.0}",
    "{\"ts\":123456789012345678901234567890,\"dur\":9223372036854775}",
    "{\"ts\":9223372036854776,\"dur\":99999999999999999999.999}",
    "{\"ph\":\"X\",\"name\":\"a \\\"quoted\\\" name\",\"args\":{}}",
    "{\"name\":\"tab\there\",\"cat\":\"\"}",
    "{ \"args\" : { \"External id\" : 77 , \"correlation\"\n:\"12\", \"Input Dims\": "
    "[[1, 2], "
    "[], [3]], \"Concrete Inputs\": [\"\", \"a,]}\"], \"stream\": 0x7 } , \"ph\" : \"X\" "
    "}",
    "{\"args\":{\"Input dims\":\"none\",\"grid\":[1,2,3],\"Collective "
    "name\":\"allreduce\",\"bytes\":[1]}}",
    "{\"args\":{\"nested\":{\"a\":{\"b\":[{}]}},\"ev idx\":3},\"ph\":\"i\"}",
    "{\"args\":[1,2],\"name\":{\"x\":1},\"ts\":[1],\"pid\":{}}",
    "{\"unknown\":{\"ph\":\"Y\"},\"ph\":\"X\"}",
    "{\"ph\":\"X\",\"ph\":\"M\",\"args\":{\"name\":\"thread 1\",\"labels\":\"GPU 0\"}}",
};

static void ordinary_events_are_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (!compare(events[i]))
            fail_msg("not taken: %s", events[i]);
}

/* Numbers of every length and form. */
static void numbers_are_read_alike(void **state)
{
    (void)state;
    char text[200];
    srand(7);
    for (int i = 0; i < 20000; i++) {
        char digits[32];
        int n = 1 + rand() % 22;
        for (int k = 0; k < n; k++)
            digits[k] = (char)('0' + rand() % 10);
        digits[n] = '\0';
        if (n > 2 && rand() % 2)
            digits[rand() % n] = "..-+eE,x"[rand() % 6];
        snprintf(text, sizeof text, "{\"ts\":%s,\"pid\":%s,\"args\":{\"stream\":%s}}",
                 digits, digits, digits);
        compare(text);
    }
}

/* Some bytes changed: the fast parser may take less than the plain one, never other. What
 * it does not look at (unknown members) is left alone here. */
static void damaged_events_are_never_read_otherwise(void **state)
{
    (void)state;
    static const char with[] = "{}[]:,\"\\ 0a\n";
    char text[600];
    srand(11);
    int taken = 0;
    for (int i = 0; i < 100000; i++) {
        const char *json = events[1 + (size_t)rand() % 3];
        strcpy(text, json);
        for (int k = rand() % 3; k >= 0; k--)
            text[(size_t)rand() % strlen(text)] = with[rand() % (int)(sizeof with - 1)];
        struct json_cursor c = {text, text + strlen(text)};
        struct trace_event e;
        if (plain_event_parse(&e, &c) == JSON_OK)
            taken += compare(text);
    }
    assert_true(taken > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_events_are_taken),
        cmocka_unit_test(numbers_are_read_alike),
        cmocka_unit_test(damaged_events_are_never_read_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
