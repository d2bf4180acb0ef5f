/* Values of the wrong type, missing and repeated keys, numbers of every size. */
#include "traps.h"

#include <stdio.h>
#include <string.h>

struct value {
    const char *name, *json;
};

static const struct value values[] = {
    {"null", "null"},
    {"true", "true"},
    {"a_text", "\"x\""},
    {"an_empty_text", "\"\""},
    {"a_negative_number", "-1"},
    {"a_fraction", "0.5"},
    {"a_number_without_bounds", "1e400"},
    {"an_array", "[1, [2, \"]\"], {}]"},
    {"an_object", "{\"a\": {\"b\": [\"}\"]}}"},
};

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

/* An operator in which one field has this value; the others are good. */
static void event_with(char *out, size_t cap, const char *field, const char *json)
{
    static const struct value fields[] = {
        {"ph", "\"X\""}, {"cat", "\"cpu_op\""}, {"name", "\"odd\""}, {"pid", "9"},
        {"tid", "10"},   {"ts", "1500"},        {"dur", "2"},        {"args", "{}"}};
    size_t n = 0;
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        bool it = !strcmp(fields[i].name, field);
        if (it && !json)
            continue;
        n += (size_t)snprintf(out + n, cap - n, "%s\"%s\": %s", n ? ", " : "{",
                              fields[i].name, it ? json : fields[i].json);
    }
    snprintf(out + n, cap - n, "}");
}

static const char *const event_fields[] = {"ph",  "cat", "name", "pid",
                                           "tid", "ts",  "dur",  "args"};

void wrong_type_of_an_event_field(struct corpus *c)
{
    char text[512], variant[96];
    for (size_t i = 0; i < COUNT_OF(event_fields); i++)
        for (size_t k = 0; k < COUNT_OF(values); k++) {
            event_with(text, sizeof text, event_fields[i], values[k].json);
            snprintf(variant, sizeof variant, "%s_is_%s", event_fields[i],
                     values[k].name);
            damaged_element(c, variant, text);
        }
}

static void wrong_argument(struct corpus *c, const char *cat, const char *key)
{
    char text[512], variant[96];
    for (size_t k = 0; k < COUNT_OF(values); k++) {
        snprintf(text, sizeof text,
                 "{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"odd\", \"pid\": 0, "
                 "\"tid\": 7, \"ts\": 1500, \"dur\": 2, \"args\": {\"%s\": %s}}",
                 cat, key, values[k].json);
        snprintf(variant, sizeof variant, "%s_is_%s", key, values[k].name);
        damaged_element(c, variant, text);
    }
}

void wrong_type_of_a_numeric_argument(struct corpus *c)
{
    static const struct value keys[] = {
        {"correlation", "kernel"}, {"External id", "cpu_op"},
        {"stream", "kernel"},      {"device", "kernel"},
        {"bytes", "gpu_memcpy"},   {"Ev Idx", "cpu_op"},
        {"Rank", "cpu_op"},        {"grid", "kernel"},
        {"block", "kernel"},       {"wait_on_stream", "cuda_sync"},
    };
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        wrong_argument(c, keys[i].json, keys[i].name);
}

void wrong_type_of_a_text_argument(struct corpus *c)
{
    static const struct value keys[] = {
        {"Collective name", "kernel"}, {"cuda_sync_kind", "cuda_sync"},
        {"Input Dims", "cpu_op"},      {"Input type", "cpu_op"},
        {"Call stack", "cpu_op"},      {"Python parent id", "python_function"},
    };
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        wrong_argument(c, keys[i].json, keys[i].name);
}

void wrong_type_of_a_head_value(struct corpus *c)
{
    static const char *const keys[] = {
        "schemaVersion", "deviceProperties", "distributedInfo", "baseTimeNanoseconds",
        "record_shapes", "with_stack",       "displayTimeUnit", "host_name"};
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        for (size_t k = 0; k < COUNT_OF(values); k++) {
            corpus_open(c, "%s_is_%s", keys[i], values[k].name);
            put(c, "{\"%s\": %s, \"traceEvents\": [", keys[i], values[k].json);
            put_before(c, AROUND);
            put(c, "], \"%s\": %s}", keys[i], values[k].json);
            corpus_close(c);
        }
    for (size_t k = 0; k < COUNT_OF(values); k++) {
        if (values[k].json[0] == '[')
            continue;
        corpus_open(c, "traceEvents_is_%s", values[k].name);
        put(c, "{\"schemaVersion\": 1, \"traceEvents\": %s}", values[k].json);
        expect_refusal(c);
        corpus_close(c);
    }
}

void a_field_is_missing(struct corpus *c)
{
    char text[512], variant[96];
    for (size_t i = 0; i < COUNT_OF(event_fields); i++) {
        event_with(text, sizeof text, event_fields[i], NULL);
        snprintf(variant, sizeof variant, "no_%s", event_fields[i]);
        damaged_element(c, variant, text);
    }
    damaged_element(c, "no_field_at_all", "{}");
}

void a_field_comes_twice(struct corpus *c)
{
    char text[512], variant[96];
    for (size_t i = 0; i < COUNT_OF(event_fields); i++) {
        event_with(text, sizeof text, "", NULL);
        text[strlen(text) - 1] = '\0';
        snprintf(text + strlen(text), sizeof text - strlen(text), ", \"%s\": \"X\"}",
                 event_fields[i]);
        snprintf(variant, sizeof variant, "%s", event_fields[i]);
        damaged_element(c, variant, text);
    }
    corpus_open(c, "traceEvents");
    put(c, "{\"traceEvents\": [");
    put_before(c, AROUND);
    put(c, "], \"traceEvents\": [");
    c->first = true;
    put_after(c, AROUND);
    put(c, "]}");
    expect_before_only(c);
    corpus_close(c);
}

void numbers_of_every_size(struct corpus *c)
{
    static const char *const numbers[] = {
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551616",
        "9223372036854775.807",
        "4000000000000000",
        "4000000000000000.001",
        "1e15",
        "1e18",
        "1E+3",
        "1e-3",
        "1e",
        "1e+",
        "1.",
        ".5",
        "-.5",
        "+5",
        "--5",
        "1.2.3",
        "0x10",
        "1_000",
        "007",
        "-0",
        "1e2147483648",
        "1e-2147483648",
        "1e99999999999999999999",
        "NaN",
        "Infinity",
        "-Infinity",
        "inf",
        "nan",
        "1,5",
        "0.0000000000000000000000000000000000000000000001",
        "123456789012345678901234567890.123456789"};
    char text[512], variant[96];
    for (size_t k = 0; k < COUNT_OF(numbers); k++)
        for (int dur = 0; dur < 2; dur++) {
            event_with(text, sizeof text, dur ? "dur" : "ts", numbers[k]);
            snprintf(variant, sizeof variant, "%s_%.40s", dur ? "dur" : "ts", numbers[k]);
            damaged_element(c, variant, text);
        }
}

void unknown_categories_and_phases(struct corpus *c)
{
    static const char *const cats[] = {
        "\"unheard_of\"", "\"CPU_OP\"",        "\"cpu_op \"", "\"cpu_op\\n\"",
        "\"\\u0000\"",    "\"kernel,cpu_op\"", "\"xpu_\"",    "\"xpu_banana\""};
    static const char *const phases[] = {"\"B\"",  "\"E\"", "\"b\"",    "\"N\"", "\"P\"",
                                         "\"XX\"", "\"x\"", "\"\\\"\"", "\"C\"", "\"t\""};
    char text[512], variant[96];
    for (size_t i = 0; i < COUNT_OF(cats); i++) {
        event_with(text, sizeof text, "cat", cats[i]);
        snprintf(variant, sizeof variant, "category_%zu", i);
        damaged_element(c, variant, text);
    }
    for (size_t i = 0; i < COUNT_OF(phases); i++) {
        event_with(text, sizeof text, "ph", phases[i]);
        snprintf(variant, sizeof variant, "phase_%zu", i);
        damaged_element(c, variant, text);
    }
    corpus_open(c, "a_thousand_categories");
    put_head(c);
    put_before(c, AROUND);
    for (int i = 0; i < 1000; i++) {
        put_comma(c);
        put(c, "{\"ph\":\"X\",\"cat\":\"cat%d\",\"name\":\"n\",\"ts\":1,\"dur\":1}", i);
    }
    put_after(c, AROUND);
    put_foot(c);
    corpus_close(c);
}
