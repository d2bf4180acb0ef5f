/* Text that is no JSON, or is none of a trace. */
#include "traps.h"

#include <stdio.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

struct named_text {
    const char *name, *text;
};

/* An operator of this name, written as it stands. */
#define NAMED(name)                                                                      \
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"" name                             \
    "\", \"pid\": 9, \"tid\": 10, \"ts\": 1500, \"dur\": 4, \"args\": {\"a\": 1}}"
/* What looks like an event, inside a string that is well formed. */
#define PHANTOM_IN_TEXT                                                                  \
    "{\\\"ph\\\": \\\"X\\\", \\\"cat\\\": \\\"cpu_op\\\", \\\"name\\\": \\\"" PHANTOM    \
    "\\\", \\\"pid\\\": 1, \\\"tid\\\": 1, \\\"ts\\\": 5, \\\"dur\\\": 5}"
#define PHANTOM_EVENT                                                                    \
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"" PHANTOM                          \
    "\", \"pid\": 1, \"tid\": 1, \"ts\": 5, \"dur\": 5}"

static void each_element(struct corpus *c, const struct named_text *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        damaged_element(c, list[i].name, list[i].text);
}

static void each_gap(struct corpus *c, const struct named_text *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        damaged_gap(c, list[i].name, list[i].text);
}

void unescaped_quotes_in_a_name(struct corpus *c)
{
    static const struct named_text list[] = {
        {"a_word", NAMED("a \"quoted\" name")},
        {"one", NAMED("a \" name")},
        {"at_the_begin", NAMED("\"name")},
        {"at_the_end", NAMED("name\"")},
        {"before_a_comma", NAMED("a\", b")},
        {"before_a_colon", NAMED("a\": b")},
        {"before_a_bracket", NAMED("a\"} b")},
        {"a_key", NAMED("a\", \"ph\": \"X")},
        {"three", NAMED("\"\"\"")},
        {"in_args",
         "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", \"ts\": 1500, "
         "\"dur\": 4, \"args\": {\"Call stack\": \"f(\"x\"); g()\"}}"},
        {"in_cat",
         "{\"ph\": \"X\", \"cat\": \"cpu\"op\", \"name\": \"odd\", \"ts\": 1500}"},
        {"never_closed", "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd, \"ts\": "
                         "1500, \"dur\": 4}"},
        {"never_opened", "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": odd\", \"ts\": "
                         "1500, \"dur\": 4}"},
        {"key_never_closed", "{\"ph: \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\"}"},
    };
    each_element(c, list, COUNT_OF(list));
}

void control_characters_in_a_name(struct corpus *c)
{
    for (int ch = 1; ch < 0x20; ch++) {
        char text[256], variant[32];
        snprintf(variant, sizeof variant, "character_%d", ch);
        snprintf(text, sizeof text, NAMED("a%cb"), ch);
        damaged_element(c, variant, text);
    }
    damaged_element(c, "delete",
                    NAMED("a\x7f"
                          "b"));
    damaged_element(c, "terminal_commands", NAMED("\x1b[31mred\x1b[0m"));
    damaged_element(c, "lines", NAMED("one\ntwo\r\nthree"));
}

void escapes_that_json_does_not_know(struct corpus *c)
{
    static const struct named_text list[] = {
        {"windows_path", NAMED("C:\\Users\\user\\new\\train.py")},
        {"hex", NAMED("\\x41")},
        {"octal", NAMED("\\101")},
        {"single_quote", NAMED("\\'")},
        {"short_unicode", NAMED("\\u12")},
        {"no_hex_unicode", NAMED("\\uZZZZ")},
        {"unicode_at_the_end", NAMED("\\u")},
        {"line_end", NAMED("\\\n")},
        {"backslash_at_the_end", NAMED("folder\\\\")},
        {"backslash_before_the_quote", NAMED("folder\\")},
        {"all_known_ones", NAMED("\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0041")},
    };
    each_element(c, list, COUNT_OF(list));
}

void surrogates(struct corpus *c)
{
    static const struct named_text list[] = {
        {"a_pair", NAMED("\\ud83d\\ude00")},
        {"first_half", NAMED("\\ud83d")},
        {"second_half", NAMED("\\ude00")},
        {"wrong_order", NAMED("\\ude00\\ud83d")},
        {"first_half_twice", NAMED("\\ud83d\\ud83d\\ude00")},
        {"half_and_a_letter", NAMED("\\ud83dx")},
        {"half_and_a_bad_escape", NAMED("\\ud83d\\uZZZZ")},
        {"half_and_a_short_escape", NAMED("\\ud83d\\u")},
        {"as_utf8", NAMED("\xed\xa0\xbd")},
        {"no_character", NAMED("\\ufffe\\uffff")},
        {"zero", NAMED("\\u0000")},
    };
    each_element(c, list, COUNT_OF(list));
}

void invalid_utf8(struct corpus *c)
{
    static const struct named_text list[] = {
        {"a_stray_second_byte", NAMED("\x80")},
        {"a_first_byte_alone", NAMED("\xc3")},
        {"cut_after_two_of_three", NAMED("\xe2\x82")},
        {"cut_after_three_of_four", NAMED("\xf0\x9f\x98")},
        {"too_long_a_slash", NAMED("\xc0\xaf")},
        {"beyond_unicode", NAMED("\xf4\x90\x80\x80")},
        {"never_a_byte", NAMED("\xfe\xff")},
        {"latin_1", NAMED("d\xe9j\xe0 vu")},
        {"first_byte_before_the_quote", NAMED("\xf0")},
        {"as_a_category", "{\"ph\": \"X\", \"cat\": \"\xff\xfe\", \"name\": \"odd\", "
                          "\"ts\": 1500, \"dur\": 4}"},
        {"as_a_key",
         "{\"\xff\": 1, \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", "
         "\"ts\": 1500, \"dur\": 4}"},
    };
    each_element(c, list, COUNT_OF(list));
    damaged_gap(c, "between_events", ",\n\xff\xfe\x80 ");
}

void separators_gone_wrong(struct corpus *c)
{
    static const struct named_text list[] = {
        {"no_comma", "\n"},
        {"no_comma_nor_line", ""},
        {"two_commas", ",,\n"},
        {"many_commas", ",,,,,,,,,,,,,,,,\n"},
        {"a_semicolon", ";\n"},
        {"a_comma_in_quotes", "\",\"\n"},
        {"a_comment", ", // next\n"},
        {"a_block_comment", ", /* next */\n"},
        {"a_hash_comment", ", # next\n"},
        {"an_ellipsis", ", ...\n"},
        {"an_equals_sign", "=\n"},
        {"a_blank_line_of_no_break_spaces", ",\xc2\xa0\n"},
        {"a_record_separator", "\x1e\n"},
    };
    each_gap(c, list, COUNT_OF(list));
    corpus_open(c, "a_colon");
    put_head(c);
    put_before(c, AROUND);
    put(c, ":\n");
    c->first = true;
    put_after(c, AROUND);
    put_foot(c);
    c->now.after_min--; /* an object behind a colon may as well be a value */
    corpus_close(c);
    static const struct named_text inside[] = {
        {"no_comma_between_fields", "{\"ph\": \"X\" \"cat\": \"cpu_op\", \"name\": "
                                    "\"odd\", \"ts\": 1500, \"dur\": 4}"},
        {"no_colon", "{\"ph\" \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\"}"},
        {"two_colons", "{\"ph\":: \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\"}"},
        {"comma_for_a_colon", "{\"ph\", \"X\", \"cat\": \"cpu_op\"}"},
        {"comma_first", "{, \"ph\": \"X\", \"cat\": \"cpu_op\"}"},
        {"comma_last", "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", \"ts\": "
                       "1500, \"dur\": 4,}"},
        {"two_values", "{\"ph\": \"X\" \"Y\", \"cat\": \"cpu_op\"}"},
        {"no_value", "{\"ph\": , \"cat\": \"cpu_op\"}"},
        {"no_last_value", "{\"ph\": \"X\", \"cat\":}"},
        {"a_value_alone", "{\"X\"}"},
        {"no_comma_in_args",
         "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", \"ts\": "
         "1500, \"dur\": 4, \"args\": {\"a\": 1 \"b\": 2}}"},
        {"no_comma_in_an_array",
         "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", "
         "\"ts\": 1500, \"dur\": 4, \"args\": {\"a\": [1 2]}}"},
    };
    each_element(c, inside, COUNT_OF(inside));
}

void brackets_gone_wrong(struct corpus *c)
{
    static const struct named_text list[] = {
        {"event_not_closed", "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\""},
        {"args_not_closed",
         "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", \"ts\": "
         "1500, \"dur\": 4, \"args\": {\"a\": 1}"},
        {"array_not_closed", "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", "
                             "\"args\": {\"grid\": [1, 2, 3}}"},
        {"closed_by_the_other",
         "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\"]"},
        {"closed_twice", NAMED("odd") "}"},
        {"closed_three_times", NAMED("odd") "}}"},
        {"opened_twice", "{" NAMED("odd")},
        {"not_opened", "\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\"}"},
        {"a_lonely_opening", "{"},
        {"a_lonely_array", "["},
        {"wrong_bracket_in_args", "{\"ph\": \"X\", \"args\": {\"a\": [}]}}"},
    };
    each_element(c, list, COUNT_OF(list));
    damaged_gap(c, "a_closing_bracket_between", "},\n");
    corpus_open(c, "the_array_is_closed_early");
    put_head(c);
    put_before(c, AROUND);
    put(c, "],\n");
    c->first = true;
    put_after(c, AROUND);
    put_foot(c);
    expect_before_only(c);
    corpus_close(c);
    corpus_open(c, "the_document_is_closed_early");
    put_head(c);
    put_before(c, AROUND);
    put(c, "]}\n");
    put_after(c, AROUND);
    put_foot(c);
    expect_before_only(c);
    corpus_close(c);
}

void words_that_are_no_json(struct corpus *c)
{
    static const char *const words[] = {"None", "True", "undefined", "NULL", "nul",
                                        "tru",  "-",    "1.5e",      "'X'",  "`X`",
                                        "X",    "\\",   "@",         "<X>"};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        char text[256], variant[32];
        snprintf(variant, sizeof variant, "in_args_%zu", i);
        snprintf(text, sizeof text,
                 "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", \"ts\": 1500, "
                 "\"dur\": 4, \"args\": {\"a\": %s}}",
                 words[i]);
        damaged_element(c, variant, text);
        snprintf(variant, sizeof variant, "as_an_element_%zu", i);
        damaged_element(c, variant, words[i]);
    }
    damaged_element(c, "keys_without_quotes", "{ph: \"X\", cat: \"cpu_op\"}");
    damaged_element(c, "keys_in_single_quotes", "{'ph': 'X', 'cat': 'cpu_op'}");
}

void events_inside_strings(struct corpus *c)
{
    static const struct named_text list[] = {
        {"in_a_name", NAMED(PHANTOM_IN_TEXT)},
        {"in_a_name_behind_a_bracket", NAMED("},{\\\"ph\\\": \\\"X\\\"")},
        {"in_a_name_behind_lines", NAMED("\\n},\\n" PHANTOM_IN_TEXT ",\\n")},
        {"in_an_argument",
         "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", \"ts\": "
         "1500, \"dur\": 4, \"args\": {\"a\": \"}}, " PHANTOM_IN_TEXT ", {\"}}"},
        {"brackets_alone", NAMED("}]}}],[{[{")},
        {"an_escaped_quote_before_the_end", NAMED("a\\\\\\\"")},
        {"a_footer", NAMED("], \\\"traceName\\\": \\\"t\\\"}")},
        {"a_head", NAMED("\\\"traceEvents\\\": [")},
    };
    each_element(c, list, COUNT_OF(list));
}

/* Objects that look like events and are parts of one. */
void events_inside_arguments(struct corpus *c)
{
#define WITH_ARGS(args)                                                                  \
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", \"ts\": 1500, \"dur\": 4, " \
    "\"args\": " args "}"
    static const struct named_text list[] = {
        {"as_args", WITH_ARGS(PHANTOM_EVENT)},
        {"as_an_argument", WITH_ARGS("{\"a\": " PHANTOM_EVENT "}")},
        {"in_an_array", WITH_ARGS("{\"a\": [" PHANTOM_EVENT ", " PHANTOM_EVENT "]}")},
        {"args_is_an_array", WITH_ARGS("[" PHANTOM_EVENT "]")},
    };
    each_element(c, list, COUNT_OF(list));
    corpus_open(c, "in_the_head");
    put(c, "{\"other\": [" PHANTOM_EVENT "], \"traceEvents\": [");
    put_before(c, AROUND);
    put(c, "], \"other\": {\"traceEvents\": [" PHANTOM_EVENT "]}}");
    corpus_close(c);
}

void elements_that_are_no_events(struct corpus *c)
{
    static const struct named_text list[] = {
        {"null", "null"},
        {"number", "5"},
        {"text", "\"text\""},
        {"array", "[1, 2]"},
        {"empty_array", "[]"},
        {"array_of_events", "[" PHANTOM_EVENT "]"},
        {"object_of_others", "{\"x\": 1}"},
        {"true", "true"},
    };
    each_element(c, list, COUNT_OF(list));
}

static void with_head(struct corpus *c, const char *variant, const char *head)
{
    corpus_open(c, "%s", variant);
    put_raw(c, head, strlen(head));
    put(c, "\"traceEvents\": [\n");
    put_before(c, AROUND);
    put_foot(c);
    corpus_close(c);
}

void damaged_heads(struct corpus *c)
{
    static const struct named_text list[] = {
        {"no_comma", "{\"schemaVersion\": 1 "},
        {"two_commas", "{\"schemaVersion\": 1,, "},
        {"comma_first", "{, "},
        {"unescaped_quote", "{\"host_name\": \"a\"b\", "},
        {"array_not_closed", "{\"deviceProperties\": [{\"id\": 0}, "},
        {"an_empty_value", "{\"deviceProperties\": , "},
        {"stray_objects", "{ {\"id\": 6}, {\"id\": 7} ], "},
        {"key_without_quotes", "{schemaVersion: 1, "},
        {"a_newline_in_a_text", "{\"host_name\": \"a\nb\", "},
        {"a_null_byte_escape", "{\"host_name\": \"\\u0000\", "},
        {"a_nan", "{\"x\": NaN, "},
        {"the_same_key_often", "{\"x\": 1, \"x\": 2, \"x\": 3, \"x\": 4, "},
        {"text_before", "{ garbage \"x\": 1, "},
        {"a_string_never_closed_on_its_line", "{\"x\": \"abc,\n \"y\": 1,\n"},
        {"trace_events_in_a_text", "{\"x\": \"\\\"traceEvents\\\": [\", "},
    };
    for (size_t i = 0; i < COUNT_OF(list); i++)
        with_head(c, list[i].name, list[i].text);
    with_head(c, "object_not_closed", "{\"distributedInfo\": {\"rank\": 3, ");
    with_head(c, "closed_twice", "{\"distributedInfo\": {\"rank\": 3}}, ");
}

void damaged_footers(struct corpus *c)
{
    static const struct named_text list[] = {
        {"no_comma", "] \"traceName\": \"t\"}"},
        {"comma_last", "], \"traceName\": \"t\",}"},
        {"comma_alone", "],}"},
        {"unescaped_quote", "], \"traceName\": \"a\"b\"}"},
        {"windows_path", "], \"traceName\": \"C:\\temp\\x.json\"}"},
        {"comma_before_the_bracket", ",], \"traceName\": \"t\"}"},
        {"wrong_bracket", "}, \"traceName\": \"t\"}"},
        {"no_bracket", ", \"traceName\": \"t\"}"},
        {"two_brackets", "]], \"traceName\": \"t\"}"},
        {"no_brace", "], \"traceName\": \"t\""},
        {"three_braces", "], \"traceName\": \"t\"}}}"},
        {"a_value_is_missing", "], \"traceName\": }"},
        {"an_open_text", "], \"traceName\": \"t}"},
        {"nothing", ""},
        {"a_comma", ","},
        {"an_open_event", ", {\"ph\": \"X\", \"cat\""},
    };
    for (size_t i = 0; i < COUNT_OF(list); i++) {
        corpus_open(c, "%s", list[i].name);
        put_head(c);
        put_before(c, AROUND);
        put_raw(c, list[i].text, strlen(list[i].text));
        corpus_close(c);
    }
}

void text_around_the_document(struct corpus *c)
{
    static const struct named_text behind[] = {
        {"garbage_behind", "garbage"},
        {"a_bracket_behind", "}"},
        {"an_array_behind", "[1]"},
        {"an_event_behind", PHANTOM_EVENT},
        {"a_document_behind", "{\"traceEvents\": [" PHANTOM_EVENT "]}"},
        {"an_html_page_behind", "<html><body>502 Bad Gateway</body></html>"},
        {"blanks_behind", "   \n\n\t \r\n"},
    };
    for (size_t i = 0; i < COUNT_OF(behind); i++) {
        corpus_open(c, "%s", behind[i].name);
        good_document(c, AROUND);
        put(c, "%s", behind[i].text);
        corpus_close(c);
    }
    static const struct named_text before[] = {
        {"blanks_before", " \n\t\r\n\n  "},
        {"garbage_before", "garbage "},
        {"a_log_line_before", "INFO: writing trace\n"},
        {"a_comment_before", "// trace\n"},
        {"a_variable_before", "var trace = "},
        {"a_quote_before", "\""},
    };
    for (size_t i = 0; i < COUNT_OF(before); i++) {
        corpus_open(c, "%s", before[i].name);
        put(c, "%s", before[i].text);
        good_document(c, AROUND);
        if (i)
            expect_either(c);
        corpus_close(c);
    }
    corpus_open(c, "two_documents");
    good_document(c, AROUND);
    c->first = true;
    put_head(c);
    put_after(c, AROUND);
    put_foot(c);
    expect_before_only(c);
    corpus_close(c);
}

enum { CUT_EVENTS = 4, CUTS = 60 };

/* Cut at places spread over the whole text: what is whole before the cut is found. */
void cut_at_many_places(struct corpus *c)
{
    struct strbuf whole;
    size_t end[CUT_EVENTS];
    strbuf_init(&whole);
    corpus_open(c, "whole");
    put(c,
        "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"G\"}], ");
    put(c, "\"distributedInfo\": {\"rank\": 3}, \"traceEvents\": [\n");
    for (int i = 0; i < CUT_EVENTS; i++) {
        put_before(c, 1);
        end[i] = c->text.len;
    }
    put_foot(c);
    strbuf_add(&whole, c->text.s, c->text.len);
    corpus_close(c);
    for (size_t i = 1; i < CUTS; i++) {
        size_t cut = whole.len * i / CUTS, found = 0;
        while (found < CUT_EVENTS && end[found] <= cut)
            found++;
        corpus_open(c, "at_%zu_of_%d", i, CUTS);
        put_raw(c, whole.s, cut);
        c->now.before = c->now.before_min = (int64_t)found;
        if (!found)
            expect_refusal(c);
        corpus_close(c);
    }
    strbuf_release(&whole);
}

void not_a_trace(struct corpus *c)
{
    static const struct named_text list[] = {
        {"empty", ""},
        {"a_blank", " "},
        {"blanks", " \n\t\r\n  \n"},
        {"a_bracket", "{"},
        {"a_square_bracket", "["},
        {"a_closing_bracket", "}"},
        {"empty_object", "{}"},
        {"empty_array", "[]"},
        {"no_events", "{\"traceEvents\": []}"},
        {"null", "null"},
        {"a_number", "42"},
        {"a_text", "\"traceEvents\""},
        {"a_quote", "\""},
        {"a_backslash", "\\"},
        {"yaml", "trace: 1\nevents:\n  - a\n"},
        {"csv", "name,ts,dur\na,1,2\n"},
        {"html", "<!DOCTYPE html><html><body>404</body></html>"},
        {"python", "import torch\n"},
        {"other_json", "{\"a\": 1, \"b\": [1, 2, {\"c\": null}]}"},
        {"array_of_numbers", "[1, 2, 3]"},
        {"array_of_arrays", "[[[]], [[1]]]"},
        {"execution_trace",
         "{\"schema\": \"1.0\", \"nodes\": [{\"name\": \"x\", \"id\": 1}]}"},
        {"other_timeline",
         "[{\"ph\": \"X\", \"cat\": \"v8\", \"name\": \"x\", \"ts\": 1, "
         "\"dur\": 1}]"},
        {"only_metadata",
         "{\"traceEvents\": [{\"ph\": \"M\", \"name\": \"process_name\", "
         "\"args\": {\"name\": \"x\"}}]}"},
        {"only_arrows", "{\"traceEvents\": [{\"ph\": \"s\", \"id\": 1, \"ts\": 1}]}"},
        {"git_lfs_pointer",
         "version https://git-lfs.github.com/spec/v1\noid sha256:00\n"},
        {"jsonl", "{\"step\": 1, \"loss\": 2.5}\n{\"step\": 2, \"loss\": 2.4}\n"},
        {"png", "\x89PNG\r\n\x1a\n"},
        {"elf", "\x7f"
                "ELF\x02\x01\x01"},
    };
    for (size_t i = 0; i < COUNT_OF(list); i++) {
        corpus_open(c, "%s", list[i].name);
        put_raw(c, list[i].text, strlen(list[i].text));
        expect_refusal(c);
        corpus_close(c);
    }
}
