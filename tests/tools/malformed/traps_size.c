/* Too much of something: time and memory must stay bounded, and neighbours unharmed. */
#include "traps.h"

#include <stdio.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

enum { KIB = 1 << 10, MIB = 1 << 20 };

/* Good events, an element opened by `begin`, `unit` repeated, `end`, good events. */
static void repeated(struct corpus *c, const char *variant, const char *begin,
                     const char *unit, int times, const char *end)
{
    corpus_open(c, "%s", variant);
    put_head(c);
    put_before(c, AROUND);
    put_element(c, begin);
    put_times(c, unit, times);
    put(c, "%s", end);
    put_after(c, AROUND);
    put_foot(c);
}

#define OPEN_ARGS                                                                        \
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", \"pid\": 9, \"tid\": 10, "  \
    "\"ts\": 1500, \"dur\": 4, \"args\": {\"a\": "

/* `open` and `close` as often as the depth says, in each place where a value can stand.
 */
static void nested(struct corpus *c, int depth, const char *what, const char *open,
                   const char *close)
{
    static const struct {
        const char *name, *begin, *end;
    } places[] = {{"in_args", OPEN_ARGS, "}}"}, {"as_an_element", "", ""}};
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        corpus_open(c, "%d_%s_%s", depth, what, places[i].name);
        put_head(c);
        put_before(c, AROUND);
        put_element(c, places[i].begin);
        put_times(c, open, depth);
        put(c, "1");
        put_times(c, close, depth);
        put(c, "%s", places[i].end);
        put_after(c, AROUND);
        put_foot(c);
        corpus_close(c);
    }
    corpus_open(c, "%d_%s_in_the_head", depth, what);
    put(c, "{\"x\": ");
    put_times(c, open, depth);
    put(c, "1");
    put_times(c, close, depth);
    put(c, ", \"traceEvents\": [");
    put_before(c, AROUND);
    put_foot(c);
    corpus_close(c);
    corpus_open(c, "%d_%s_and_nothing_else", depth, what);
    put_times(c, open, depth);
    expect_refusal(c);
    corpus_close(c);
}

void nesting_too_deep(struct corpus *c)
{
    static const int depths[] = {31, 32, 33, 64, 1000, 200000};
    for (size_t i = 0; i < COUNT_OF(depths); i++) {
        nested(c, depths[i], "arrays", "[", "]");
        nested(c, depths[i], "objects", "{\"a\": ", "}");
    }
}

void names_too_long(struct corpus *c)
{
    static const int sizes[] = {16 * KIB - 1, 16 * KIB, 16 * KIB + 1, MIB};
    static const struct {
        const char *name, *begin, *end;
    } places[] = {
        {"name",
         "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"ts\": 1, \"dur\": 1, \"name\": \"",
         "\"}"},
        {"category",
         "{\"ph\": \"X\", \"name\": \"odd\", \"ts\": 1, \"dur\": 1, \"cat\": \"", "\"}"},
        {"key",
         "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", \"ts\": 1, \"dur\": "
         "1, \"",
         "\": 1}"},
        {"argument", OPEN_ARGS "\"", "\"}}"},
        {"shapes",
         "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", \"ts\": 1, "
         "\"dur\": 1, \"args\": {\"Input Dims\": [[1",
         "]]}}"},
        {"tid",
         "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", \"ts\": 1, \"dur\": "
         "1, \"tid\": \"",
         "\"}"},
        {"thread_name",
         "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 9, \"tid\": 10, "
         "\"args\": {\"name\": \"",
         "\"}}"},
    };
    char variant[64];
    for (size_t i = 0; i < COUNT_OF(places); i++)
        for (size_t k = 0; k < COUNT_OF(sizes); k++) {
            snprintf(variant, sizeof variant, "%s_of_%d", places[i].name, sizes[k]);
            repeated(c, variant, places[i].begin, "1", sizes[k], places[i].end);
            corpus_close(c);
        }
    repeated(c, "name_of_wide_characters", places[0].begin, "\xe2\x82\xac", 8000, "\"}");
    corpus_close(c);
    repeated(c, "name_of_escapes", places[0].begin, "\\u20ac", 8000, "\"}");
    corpus_close(c);
    repeated(c, "name_of_backslashes", places[0].begin, "\\\\", 100000, "\"}");
    corpus_close(c);
    corpus_open(c, "host_name");
    put(c, "{\"host_name\": \"");
    put_times(c, "h", MIB);
    put(c, "\", \"traceEvents\": [");
    put_before(c, AROUND);
    put_foot(c);
    corpus_close(c);
}

void events_too_long(struct corpus *c)
{
    repeated(c, "text_of_15_mib", OPEN_ARGS "\"", "abcdefgh", 15 * MIB / 8, "\"}}");
    corpus_close(c);
    repeated(c, "text_of_17_mib", OPEN_ARGS "\"", "abcdefgh", 17 * MIB / 8, "\"}}");
    corpus_close(c);
    repeated(c, "array_of_17_mib", OPEN_ARGS "[1", ", 1234567", 17 * MIB / 9, "]}}");
    corpus_close(c);
    repeated(c, "args_of_17_mib", OPEN_ARGS "1", ", \"k\": 12", 17 * MIB / 9, "}}");
    corpus_close(c);
    corpus_open(c, "a_head_value_of_17_mib");
    put(c, "{\"WARNING\": [\"");
    put_times(c, "text of a log line; ", 17 * MIB / 20);
    put(c, "\"], \"traceEvents\": [");
    put_before(c, AROUND);
    put_foot(c);
    corpus_close(c);
    corpus_open(c, "a_footer_value_of_17_mib");
    put_head(c);
    put_before(c, AROUND);
    put(c, "], \"WARNING\": [\"");
    put_times(c, "text of a log line; ", 17 * MIB / 20);
    put(c, "\"]}");
    corpus_close(c);
    corpus_open(c, "a_name_never_closed_in_17_mib");
    put_head(c);
    put_before(c, AROUND);
    put_element(c, "{\"ph\": \"X\", \"name\": \"");
    put_times(c, "abcdefgh", 17 * MIB / 8);
    corpus_close(c);
}

void numbers_too_long(struct corpus *c)
{
    static const struct {
        const char *name, *begin, *end;
    } places[] = {
        {"ts",
         "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", \"dur\": 1, \"ts\": 1",
         "}"},
        {"fraction",
         "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", \"dur\": 1, "
         "\"ts\": 1.",
         "}"},
        {"exponent",
         "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", \"dur\": 1, "
         "\"ts\": 1e",
         "}"},
        {"negative_exponent",
         "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", "
         "\"dur\": 1, \"ts\": 1e-",
         "}"},
        {"pid",
         "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", \"dur\": 1, \"ts\": "
         "1, \"pid\": 1",
         "}"},
        {"step",
         "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"ts\": 1, \"dur\": 1, "
         "\"name\": \"ProfilerStep#1",
         "\"}"},
    };
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        repeated(c, places[i].name, places[i].begin, "0", MIB, places[i].end);
        corpus_close(c);
    }
}

void too_many_threads(struct corpus *c)
{
    static const struct {
        const char *name, *format;
    } forms[] = {
        {"threads",
         "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"t\",\"pid\":1,\"tid\":%d,"
         "\"ts\":1,\"dur\":1}"},
        {"streams",
         "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"t\",\"pid\":0,\"tid\":7,\"ts\":1,"
         "\"dur\":1,\"args\":{\"stream\":%d}}"},
        {"names_of_threads",
         "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":%d,"
         "\"args\":{\"name\":\"t\"}}"},
        {"texts",
         "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"t\",\"pid\":1,\"tid\":\"x%dx\","
         "\"ts\":1,\"dur\":1}"},
    };
    for (size_t k = 0; k < COUNT_OF(forms); k++) {
        corpus_open(c, "%s", forms[k].name);
        put_head(c);
        put_before(c, AROUND);
        for (int i = 0; i < 100000; i++) {
            put_comma(c);
            put(c, forms[k].format, i + 100);
        }
        put_after(c, AROUND);
        put_foot(c);
        corpus_close(c);
    }
}

void too_many_names(struct corpus *c)
{
    corpus_open(c, "100000_operators");
    put_head(c);
    put_before(c, AROUND);
    for (int i = 0; i < 100000; i++) {
        put_comma(c);
        put(c, "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"n%d\",\"ts\":%d,\"dur\":1}",
            i, i);
    }
    put_after(c, AROUND);
    put_foot(c);
    corpus_close(c);
    corpus_open(c, "50000_steps");
    put_head(c);
    put_before(c, AROUND);
    for (int i = 0; i < 50000; i++) {
        put_comma(c);
        put(c,
            "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\","
            "\"pid\":9,"
            "\"tid\":10,\"ts\":%d,\"dur\":1}",
            i, i);
    }
    put_after(c, AROUND);
    put_foot(c);
    corpus_close(c);
}

void too_many_keys(struct corpus *c)
{
    repeated(c, "arguments", OPEN_ARGS "1", ", \"b\": 2", 100000, "}}");
    corpus_close(c);
    repeated(c, "fields", "{\"ph\": \"X\"", ", \"b\": 2", 100000, "}");
    corpus_close(c);
    repeated(c, "the_same_field", "{\"ph\": \"X\"", ", \"ts\": 2", 100000, "}");
    corpus_close(c);
    corpus_open(c, "head_values");
    put(c, "{");
    put_times(c, "\"b\": 2, ", 100000);
    put(c, "\"traceEvents\": [");
    put_before(c, AROUND);
    put_foot(c);
    corpus_close(c);
    corpus_open(c, "device_properties");
    put(c, "{\"deviceProperties\": [{}");
    put_times(c, ", {\"id\": 1, \"name\": \"G\"}", 20000);
    put(c, "], \"traceEvents\": [");
    put_before(c, AROUND);
    put_foot(c);
    corpus_close(c);
}

void white_space_without_end(struct corpus *c)
{
    enum { BLANKS = 18 * MIB / 8 };
    corpus_open(c, "before_the_document");
    put_times(c, "        ", BLANKS);
    good_document(c, AROUND);
    corpus_close(c);
    corpus_open(c, "behind_the_document");
    good_document(c, AROUND);
    put_times(c, "       \n", BLANKS);
    corpus_close(c);
    corpus_open(c, "in_the_head");
    put(c, "{\"x\":");
    put_times(c, "       \n", BLANKS);
    put(c, "1, \"traceEvents\": [");
    put_before(c, AROUND);
    put_foot(c);
    corpus_close(c);
    repeated(c, "between_events", "{}", "       \n", BLANKS, "");
    corpus_close(c);
    repeated(c, "inside_an_event", "{\"ph\": ", "       \n", BLANKS, "\"X\"}");
    corpus_close(c);
    corpus_open(c, "nothing_else");
    put_times(c, "       \n", BLANKS);
    expect_refusal(c);
    corpus_close(c);
}

/* The same few bytes, millions of times: whoever looks at each place again is found out
 * here. */
void floods(struct corpus *c)
{
    static const char *const units[] = {"{",
                                        "[",
                                        "\"",
                                        "\\",
                                        ",",
                                        ":",
                                        "}",
                                        "]",
                                        "{\"ph\":",
                                        "[{",
                                        "{\"a\":",
                                        "{\"ph\":\"X\",",
                                        "\"traceEvents\":[",
                                        "],\"traceName\":",
                                        "\\\"",
                                        "{\"ph\":\"X\",\"name\":\"",
                                        "{\"ph\" ",
                                        "\"a\":",
                                        "null,",
                                        "1 ",
                                        "\xff",
                                        "{}",
                                        "{\"name\":{",
                                        "]}",
                                        "{\"ph\":\"X\"]"};
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        int times = MIB / (int)strlen(units[i]);
        corpus_open(c, "among_events_%zu", i);
        put_head(c);
        put_before(c, AROUND);
        put_comma(c);
        put_times(c, units[i], times);
        put_after(c, AROUND);
        put_foot(c);
        expect_before_only(c);
        corpus_close(c);
        corpus_open(c, "in_the_head_%zu", i);
        put(c, "{\"x\": 1, ");
        put_times(c, units[i], times);
        put(c, ", \"traceEvents\": [");
        put_before(c, AROUND);
        put_foot(c);
        expect_either(c);
        corpus_close(c);
        corpus_open(c, "nothing_else_%zu", i);
        put_times(c, units[i], times);
        expect_either(c);
        corpus_close(c);
    }
}
