#include "base/json_read.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cmocka_setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct arena memory;

static int make_arena(void **state)
{
    (void)state;
    arena_init(&memory);
    return 0;
}

static int drop_arena(void **state)
{
    (void)state;
    arena_release(&memory);
    return 0;
}

/* The text in a block of exactly its size, so that the sanitizer sees a read past it. */
static enum status read_n(const struct json **out, const char *text, size_t len,
                          struct err *err)
{
    char *exact = mem_alloc(len);
    memcpy(exact, text, len);
    enum status st = json_read(out, &memory, exact, len, err);
    mem_free(exact);
    return st;
}

static const struct json *read_good(const char *text)
{
    const struct json *j = NULL;
    struct err err = ERR_INIT;
    if (read_n(&j, text, strlen(text), &err))
        fail_msg("%s: %s", text, err.text);
    return j;
}

static void scalars_are_what_they_say(void **state)
{
    (void)state;
    assert_int_equal(read_good(" null ")->kind, JSON_KIND_NULL);
    assert_true(json_bool_or(read_good("true"), false));
    assert_false(json_bool_or(read_good("false"), true));
    assert_int_equal(json_int_or(read_good("-0"), 5), 0);
    assert_int_equal(json_int_or(read_good("9223372036854775807"), 5), INT64_MAX);
    assert_int_equal(json_int_or(read_good("-9223372036854775808"), 5), INT64_MIN);
    assert_float_equal(json_double_or(read_good("-1.25e+2"), 0), -125, 0);
    assert_string_equal(json_string_or(read_good("\"a\""), "-"), "a");
    assert_int_equal(read_good("\"\"")->len, 0);
}

static void what_is_of_another_kind_or_does_not_fit_gives_the_default(void **state)
{
    (void)state;
    assert_int_equal(json_int_or(NULL, 5), 5);
    assert_int_equal(json_int_or(read_good("\"3\""), 5), 5);
    assert_int_equal(json_int_or(read_good("3.0"), 5), 5);
    assert_int_equal(json_int_or(read_good("9223372036854775808"), 5), 5);
    assert_float_equal(json_double_or(read_good("1e999"), 5), 5, 0);
    assert_float_equal(json_double_or(read_good("null"), 5), 5, 0);
    assert_true(json_bool_or(read_good("0"), true));
    assert_string_equal(json_string_or(read_good("1"), "-"), "-");
    assert_null(json_get(read_good("[1]"), "a"));
    assert_null(json_get(NULL, "a"));
}

static void containers_keep_order_and_count(void **state)
{
    (void)state;
    const struct json *j =
        read_good("{\"b\" : [1, [ ], {}, \"x\"],\n\"a\":{\"c\":2}, \"\": null}");
    assert_int_equal(j->kind, JSON_KIND_OBJECT);
    assert_int_equal(j->n, 3);
    assert_string_equal(j->child->key, "b");
    assert_string_equal(j->child->next->key, "a");
    assert_null(j->child->next->next->next);
    const struct json *b = json_get(j, "b");
    assert_int_equal(b->n, 4);
    assert_int_equal(json_int_or(b->child, 0), 1);
    assert_int_equal(b->child->next->kind, JSON_KIND_ARRAY);
    assert_int_equal(b->child->next->n, 0);
    assert_null(b->child->next->child);
    assert_int_equal(b->child->next->next->kind, JSON_KIND_OBJECT);
    assert_null(b->child->key);
    assert_int_equal(json_int_or(json_get(json_get(j, "a"), "c"), 0), 2);
    assert_int_equal(json_get(j, "")->kind, JSON_KIND_NULL);
    assert_null(json_get(j, "d"));
}

static void escapes_are_decoded(void **state)
{
    (void)state;
    const struct json *j =
        read_good("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20aC\\ud83d\\uDE00é\"");
    assert_string_equal(j->text, "\"\\/\b\f\n\r\tAé€😀é");
    j = read_good("{\"a\\u0000b\":\"c\\u0000\"}");
    assert_int_equal(j->child->key_len, 3);
    assert_memory_equal(j->child->key, "a\0b", 4);
    assert_int_equal(j->child->len, 2);
    assert_memory_equal(j->child->text, "c\0", 3);
    assert_null(json_get(j, "a"));
}

static void malformed_texts_are_refused_with_their_offset(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t offset;
        const char *says;
    } bad[] = {
        {"", 0, "the end of the text"},
        {"  ", 2, "the end of the text"},
        {"{", 1, "key"},
        {"[", 1, "a value is missing"},
        {"[1", 2, "a comma or ]"},
        {"[1,]", 3, "a value is missing: \"]\""},
        {"[,1]", 1, "a value is missing"},
        {"{\"a\"}", 4, "a colon"},
        {"{\"a\":}", 5, "a value"},
        {"{\"a\":1,}", 7, "a key"},
        {"{a:1}", 1, "a key"},
        {"{\"a\":1]", 6, "a comma or }"},
        {"[1}", 2, "a comma or ]"},
        {"1 2", 2, "more behind the end"},
        {"[] []", 3, "more behind the end"},
        {"tru", 0, "a value"},
        {"nul", 0, "a value"},
        {"NaN", 0, "a value"},
        {"'a'", 0, "a value"},
        {"\xef\xbb\xbf{}", 0, "the byte 0xef"},
        {"01", 0, "a number"},
        {"-", 0, "a number"},
        {"+1", 0, "a value"},
        {".5", 0, "a value"},
        {"1.", 0, "a number"},
        {"1.e5", 0, "a number"},
        {"1e", 0, "a number"},
        {"1e+", 0, "a number"},
        {"\"a", 0, "no end"},
        {"\"a\\", 0, "no end"},
        {"\"a\\\"", 0, "no end"},
        {"\"\\x\"", 1, "unknown escape"},
        {"\"a\\u12\"", 4, "four hexadecimal"},
        {"\"\\u12g4\"", 3, "four hexadecimal"},
        {"\"\\ud800\"", 3, "surrogate"},
        {"\"\\udc00\"", 3, "surrogate"},
        {"\"\\ud800\\u0041\"", 3, "surrogate"},
        {"\"\\ud800\\ud800\"", 3, "surrogate"},
        {"\"\\ud800\\n\"", 3, "surrogate"},
        {"\"a\nb\"", 2, "control character"},
        {"\"\xff\"", 1, "not UTF-8"},
        {"\"\xc0\x80\"", 1, "not UTF-8"},
        {"\"\xed\xa0\x80\"", 1, "not UTF-8"},
        {"\"\xc3\"", 1, "not UTF-8"},
        {"{\"a\":1,\"b\":2,\"a\":3}", 13, "\"a\" stands twice"},
        {"{\"a\":1,\"\\u0061\":3}", 7, "\"a\" stands twice"},
        {"[{\"a\":{\"b\":1,\"b\":1}}]", 13, "\"b\" stands twice"},
        {"/*x*/1", 0, "a value"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct json *j = NULL;
        struct err err = ERR_INIT;
        assert_int_equal(read_n(&j, bad[i].text, strlen(bad[i].text), &err),
                         STATUS_INPUT);
        assert_null(j);
        if (err.offset != bad[i].offset || !strstr(err.text, bad[i].says))
            fail_msg("%s: at %lld: %s", bad[i].text, (long long)err.offset, err.text);
    }
    struct err err = ERR_INIT;
    const struct json *j;
    assert_int_equal(read_n(&j, "\"\\\0\"", 4, &err), STATUS_INPUT);
    assert_int_equal(read_n(&j, "1\0", 2, &err), STATUS_INPUT);
}

static void every_cut_of_a_text_is_refused(void **state)
{
    (void)state;
    static const char text[] = "{\"k\":[1.5e3,true,null,\"\\ud83d\\ude00é\",{\"l\":{}}]}";
    const struct json *j;
    assert_int_equal(read_n(&j, text, sizeof text - 1, NULL), STATUS_OK);
    for (size_t n = 0; n < sizeof text - 1; n++)
        assert_int_equal(read_n(&j, text, n, NULL), STATUS_INPUT);
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    char text[2 * JSON_READ_DEPTH_MAX + 2];
    const struct json *j;
    for (int n = JSON_READ_DEPTH_MAX; n <= JSON_READ_DEPTH_MAX + 1; n++) {
        memset(text, '[', (size_t)n);
        memset(text + n, ']', (size_t)n);
        assert_int_equal(read_n(&j, text, 2 * (size_t)n, NULL),
                         n <= JSON_READ_DEPTH_MAX ? STATUS_OK : STATUS_INPUT);
    }
    char *deep = mem_alloc(1000000);
    memset(deep, '[', 1000000);
    assert_int_equal(read_n(&j, deep, 1000000, NULL), STATUS_INPUT);
    mem_free(deep);
}

static double seconds_to_read(int members, struct strbuf *text)
{
    strbuf_clear(text);
    for (int i = 0; i < members; i++)
        strbuf_printf(text, "%c\"a_long_common_beginning_of_all_keys_%d\":%d",
                      i ? ',' : '{', i, i);
    strbuf_putc(text, '}');
    const struct json *j = NULL;
    int64_t begin_ns = clock_cpu_ns();
    assert_int_equal(json_read(&j, &memory, text->s, text->len, NULL), STATUS_OK);
    double s = (double)(clock_cpu_ns() - begin_ns) / 1e9;
    assert_int_equal(j->n, (size_t)members);
    return s;
}

/* 16 times the members: a quadratic search would take 256 times as long. */
static void many_keys_take_about_linear_time(void **state)
{
    (void)state;
    struct strbuf text;
    strbuf_init(&text);
    double few = seconds_to_read(12500, &text);
    double many = seconds_to_read(200000, &text);
    print_message("12,500 keys %.4f s, 200,000 keys %.4f s\n", few, many);
    assert_true(many < 80 * few);
    text.s[text.len - 1] = ',';
    strbuf_puts(&text, "\"a_long_common_beginning_of_all_keys_77\":0}");
    struct err err = ERR_INIT;
    const struct json *j;
    assert_int_equal(json_read(&j, &memory, text.s, text.len, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "keys_77\" stands twice"));
    strbuf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_are_what_they_say),
        cmocka_unit_test(what_is_of_another_kind_or_does_not_fit_gives_the_default),
        cmocka_unit_test(containers_keep_order_and_count),
        cmocka_unit_test(escapes_are_decoded),
        cmocka_unit_test(malformed_texts_are_refused_with_their_offset),
        cmocka_unit_test(every_cut_of_a_text_is_refused),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(many_keys_take_about_linear_time),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
