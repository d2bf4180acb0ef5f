/* Words of usage lines, and what they stand for. Compiled in: the program itself is not a library. */
#include "cmocka_setup.h"

#include "cli/placeholder.c"

#define NAMES_OF(usage, ...)                                                             \
    do {                                                                                 \
        static const char *const want[] = {__VA_ARGS__};                                 \
        struct usage_word words[USAGE_WORDS_MAX];                                        \
        size_t n = usage_words(words, usage);                                            \
        assert_int_equal(n, sizeof want / sizeof *want);                                 \
        for (size_t i = 0; i < n; i++) {                                                 \
            assert_int_equal(words[i].len, strlen(want[i]));                             \
            assert_memory_equal(words[i].s, want[i], words[i].len);                      \
        }                                                                                \
    } while (0)

static void usage_lines_are_read_as_people_read_them(void **state)
{
    (void)state;
    NAMES_OF("CONFIG", "CONFIG");
    NAMES_OF("[CONFIG]", "CONFIG");
    NAMES_OF("RUN|TRACE…", "RUN", "TRACE");
    NAMES_OF("[N|RULE] RUN|TRACE… | LINT-RULE", "N", "RULE", "RUN", "TRACE", "LINT-RULE");
    NAMES_OF("CHECKPOINT [PROMPT…]", "CHECKPOINT", "PROMPT");
    NAMES_OF("[FILE.py|FOLDER|PATTERN|-]…", "FILE.py", "FOLDER", "PATTERN");
    NAMES_OF("-- COMMAND…", "COMMAND");
    NAMES_OF("KEY=A,B,…", "KEY");
    NAMES_OF("I,I,…", "I");
    NAMES_OF("f32|bf16", "f32", "bf16");
}

static void an_empty_usage_has_no_words(void **state)
{
    (void)state;
    struct usage_word words[USAGE_WORDS_MAX];
    assert_int_equal(usage_words(words, ""), 0);
    assert_int_equal(usage_words(words, " | -- [] "), 0);
}

static void words_with_a_bar_between_have_one_place(void **state)
{
    (void)state;
    struct usage_word words[USAGE_WORDS_MAX];
    assert_int_equal(usage_words(words, "prepare|show INPUT…"), 3);
    assert_int_equal(words[0].place, 0);
    assert_int_equal(words[1].place, 0);
    assert_int_equal(words[2].place, 1);
    assert_true(usage_is_literal(&words[1]));
    assert_false(usage_is_literal(&words[2]));
}

static void a_placeholder_is_found_by_its_whole_name(void **state)
{
    (void)state;
    struct usage_word words[USAGE_WORDS_MAX];
    assert_int_equal(usage_words(words, "RUN|RU|RUNS|T|FILE.py"), 5);
    assert_string_equal(placeholder_find(&words[0])->endings, "gait");
    assert_null(placeholder_find(&words[1]));
    assert_null(placeholder_find(&words[2]));
    assert_string_equal(placeholder_find(&words[3])->words, "bytes|chars|gpt2");
    assert_string_equal(placeholder_find(&words[4])->endings, "py");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage_lines_are_read_as_people_read_them),
        cmocka_unit_test(an_empty_usage_has_no_words),
        cmocka_unit_test(words_with_a_bar_between_have_one_place),
        cmocka_unit_test(a_placeholder_is_found_by_its_whole_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
