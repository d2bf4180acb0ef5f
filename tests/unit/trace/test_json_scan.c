#include "cmocka_setup.h"

#include "trace/json_scan.h"

#include <stdlib.h>
#include <string.h>

/* The text in a block of its own size, so that a byte too far is seen by the sanitizer.
 */
static enum json_result skip_exact(const char *text, size_t len)
{
    char *copy = malloc(len ? len : 1);
    if (len)
        memcpy(copy, text, len);
    struct json_cursor c = {copy, copy + len};
    enum json_result r = scan_skip(&c);
    assert_true(c.p <= c.end);
    free(copy);
    return r;
}

static enum json_result skip_text(const char *text)
{
    return skip_exact(text, strlen(text));
}

static void values_of_every_sort_are_skipped_whole(void **state)
{
    (void)state;
    static const char *const good[] = {"{}",
                                       "[]",
                                       "\"a\\\"b\"",
                                       "[1, -2.5e3, true, null]",
                                       "[[[]]]",
                                       "{\"a\": {\"b\": [{}, {\"c\": \"}\"}]}}",
                                       "[1, 2, ]",
                                       "{\"a\": inf,}",
                                       "\"raw\nnewline\"",
                                       "[NaN]"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(skip_text(good[i]), JSON_OK);
}

static void structure_in_doubt_is_bad(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "[1 2]",  "{\"a\" 1}", "{1: 2}", "[}",         "{\"a\"}",
        "[1,,2]", "{\"a\":1]", ":",      "[\"a\"b\"]", "{\"n\": \"say \"hi\"\"}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(skip_text(bad[i]), JSON_BAD);
}

static void every_prefix_of_a_value_asks_for_more(void **state)
{
    (void)state;
    const char text[] =
        "{\"a\": [1, \"x\\\"y\", {\"b\": null}], \"c\": -1.5e3, \"d\": {}}";
    for (size_t n = 0; n + 1 < sizeof text; n++)
        assert_int_equal(skip_exact(text, n), JSON_MORE);
    assert_int_equal(skip_text(text), JSON_OK);
}

static void nesting_beyond_the_limit_is_bad(void **state)
{
    (void)state;
    char text[2 * JSON_NESTING_MAX + 4];
    memset(text, '[', JSON_NESTING_MAX);
    memset(text + JSON_NESTING_MAX, ']', JSON_NESTING_MAX);
    text[2 * JSON_NESTING_MAX] = '\0';
    assert_int_equal(skip_text(text), JSON_OK);
    memset(text, '[', JSON_NESTING_MAX + 1);
    assert_int_equal(skip_text(text), JSON_BAD);
}

static void a_string_is_found_whatever_its_length(void **state)
{
    (void)state;
    char text[64];
    for (size_t n = 0; n < 40; n++) {
        text[0] = '"';
        memset(text + 1, 'x', n);
        strcpy(text + 1 + n, "\",");
        struct json_cursor c = {text, text + n + 3};
        struct json_text t;
        assert_int_equal(scan_string(&c, &t), JSON_OK);
        assert_int_equal(t.len, n);
        assert_false(t.is_raw);
        assert_int_equal(*c.p, ',');
    }
}

static void check_cooked(const char *raw, const char *want, unsigned want_done)
{
    char out[256];
    unsigned done = 0;
    struct json_text t = {.s = raw, .len = strlen(raw), .is_raw = true};
    size_t len = json_text_cook(out, sizeof out, &t, &done);
    assert_int_equal(len, strlen(want));
    assert_memory_equal(out, want, len);
    assert_int_equal(done, want_done);
}

static void escapes_become_utf8(void **state)
{
    (void)state;
    check_cooked("a\\\"b\\\\c\\/d", "a\"b\\c/d", 0);
    check_cooked("\\u00e9\\u20ac\\ud83d\\ude00", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
                 0);
    check_cooked("\\ud83d!", "\xef\xbf\xbd!", 0);
    check_cooked("\\ude00\\ud83d\\u0041",
                 "\xef\xbf\xbd\xef\xbf\xbd"
                 "A",
                 0);
}

static void control_characters_become_spaces(void **state)
{
    (void)state;
    check_cooked("a\nb\tc\\n\\u001b[31m\x7f", "a b c  [31m ", 0);
    check_cooked("\\u0000x", " x", 0);
}

static void windows_paths_keep_their_backslashes(void **state)
{
    (void)state;
    check_cooked("C:\\Users\\dev\\model.py", "C:\\Users\\dev\\model.py", COOK_BAD_ESCAPE);
    check_cooked("D:\\u12", "D:\\u12", COOK_BAD_ESCAPE);
    check_cooked("end\\", "end\\", COOK_BAD_ESCAPE);
}

static void a_cut_never_splits_a_character(void **state)
{
    (void)state;
    char out[4];
    unsigned done = 0;
    struct json_text t = {.s = "ab\xe2\x82\xac", .len = 5, .is_raw = true};
    assert_int_equal(json_text_cook(out, sizeof out, &t, &done), 2);
    assert_int_equal(done, COOK_CUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_sort_are_skipped_whole),
        cmocka_unit_test(structure_in_doubt_is_bad),
        cmocka_unit_test(every_prefix_of_a_value_asks_for_more),
        cmocka_unit_test(nesting_beyond_the_limit_is_bad),
        cmocka_unit_test(a_string_is_found_whatever_its_length),
        cmocka_unit_test(escapes_become_utf8),
        cmocka_unit_test(control_characters_become_spaces),
        cmocka_unit_test(windows_paths_keep_their_backslashes),
        cmocka_unit_test(a_cut_never_splits_a_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
