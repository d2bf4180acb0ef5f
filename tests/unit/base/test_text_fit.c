#include "base/text_fit.h"
#include "cmocka_setup.h"

#include <stdio.h>
#include <string.h>

static const char *shortened(const char *s, int columns)
{
    static char text[256];
    struct strbuf out;
    strbuf_init(&out);
    text_shorten(&out, s, columns);
    snprintf(text, sizeof text, "%s", out.s);
    strbuf_release(&out);
    return text;
}

static void columns_are_counted_not_bytes(void **state)
{
    (void)state;
    assert_int_equal(text_columns(""), 0);
    assert_int_equal(text_columns("abc"), 3);
    assert_int_equal(text_columns("±→…"), 3);
    assert_int_equal(text_columns("日本"), 4);
    assert_int_equal(text_columns("e\xcc\x81"), 1); /* e and a combining accent */
}

static void names_are_shortened_in_the_middle(void **state)
{
    (void)state;
    assert_string_equal(shortened("abcdefghij", 10), "abcdefghij");
    assert_string_equal(shortened("abcdefghij", 9), "abcd…ghij");
    assert_string_equal(shortened("abcdefghij", 4), "ab…j");
    assert_string_equal(shortened("abcdefghij", 1), "…");
    assert_string_equal(shortened("abcdefghij", 0), "");
}

static void a_wide_character_is_never_cut(void **state)
{
    (void)state;
    for (int columns = 1; columns <= 12; columns++) {
        const char *s = shortened("日本語日本語", columns);
        assert_true(text_columns(s) <= columns);
    }
}

static void what_drives_a_terminal_is_replaced(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    assert_string_equal(text_clean(&a, "a\033[2Jb", 100), "a\xef\xbf\xbd[2Jb");
    assert_string_equal(text_clean(&a, "a\nb\tc\rd", 100), "a b c d");
    assert_string_equal(text_clean(&a, "\xff", 100), "\xef\xbf\xbd");
    assert_string_equal(text_clean(&a, "\xc2\x9b", 100), "\xef\xbf\xbd");     /* CSI */
    assert_string_equal(text_clean(&a, "\xe2\x80\xae", 100), "\xef\xbf\xbd"); /* RLO */
    assert_string_equal(text_clean(&a, "grün", 100), "grün");
    arena_release(&a);
}

static void a_megabyte_of_name_becomes_short(void **state)
{
    (void)state;
    struct arena a;
    struct strbuf name;
    arena_init(&a);
    strbuf_init(&name);
    strbuf_repeat(&name, "template<", 120000);
    assert_int_equal(text_columns(text_clean(&a, name.s, 240)), 240);
    strbuf_release(&name);
    arena_release(&a);
}

static void long_text_is_broken_at_blanks(void **state)
{
    (void)state;
    struct strbuf out;
    strbuf_init(&out);
    assert_int_equal(text_wrap(&out, "one two three four", 9, 2), 3);
    assert_string_equal(out.s, "one two\n  three\n  four");
    strbuf_clear(&out);
    assert_int_equal(text_wrap(&out, "averyveryverylongword", 9, 2), 1);
    strbuf_clear(&out);
    assert_int_equal(text_wrap(&out, "", 9, 2), 1);
    assert_string_equal(out.s, "");
    strbuf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_counted_not_bytes),
        cmocka_unit_test(names_are_shortened_in_the_middle),
        cmocka_unit_test(a_wide_character_is_never_cut),
        cmocka_unit_test(what_drives_a_terminal_is_replaced),
        cmocka_unit_test(a_megabyte_of_name_becomes_short),
        cmocka_unit_test(long_text_is_broken_at_blanks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
