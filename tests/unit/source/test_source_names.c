/* Words of lists, and names that have them. */
#include "cmocka_setup.h"

#include "source/source_query.h"

#ifdef GAIT_TREE_SITTER
#include "source/source_syntax.h"

static bool listed(const char *word, size_t len, const char *list)
{
    return word_is_listed((struct slice){word, len}, list);
}

static void whole_words_are_listed(void **state)
{
    (void)state;
    assert_true(listed("lru", 3, "cache lru once"));
    assert_true(listed("once", 4, "cache lru once"));
    assert_false(listed("lr", 2, "cache lru once"));
    assert_false(listed("onces", 5, "cache lru once"));
    assert_true(name_has_word((struct slice){"doItOnce", 8}, "cache once"));
}

static void a_nul_byte_does_not_lead_beyond_the_list(void **state)
{
    (void)state;
    static const char list[] = "lru once\0      ", word[] = "once\0xy";
    assert_false(listed(word, sizeof word - 1, list));
    assert_false(listed(word, 5, list));
}
#endif

int main(void)
{
    if (!source_available())
        return 77;
    const struct CMUnitTest tests[] = {
#ifdef GAIT_TREE_SITTER
        cmocka_unit_test(whole_words_are_listed),
        cmocka_unit_test(a_nul_byte_does_not_lead_beyond_the_list),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
