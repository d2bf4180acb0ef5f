#include "whatif/question.h"

#include "cmocka_setup.h"

#include <string.h>

enum { WORDS_MAX = 8 };

static enum status parse(struct question *q, size_t *used, struct err *err,
                         const char *const words[WORDS_MAX])
{
    size_t n = 0;
    while (n < WORDS_MAX && words[n])
        n++;
    *err = (struct err)ERR_INIT;
    return question_parse(q, used, words, n, err);
}

#define WORDS(...) ((const char *const[WORDS_MAX]){__VA_ARGS__})

/* Good words become this plain form and take so many words. */
static void assert_question(const char *const words[WORDS_MAX], const char *text,
                            size_t words_used)
{
    struct question q;
    struct err err;
    size_t used = 0;
    if (parse(&q, &used, &err, words))
        fail_msg("%s: %s", words[0], err.text);
    assert_string_equal(q.text, text);
    assert_int_equal(used, words_used);
}

static void assert_refused(const char *const words[WORDS_MAX], const char *says)
{
    struct question q;
    struct err err;
    size_t used = 0;
    assert_int_equal(parse(&q, &used, &err, words), STATUS_USAGE);
    if (!strstr(err.text, says))
        fail_msg("\"%s\" is not in: %s", says, err.text);
}

static void a_question_stands_in_one_word_or_in_several(void **state)
{
    (void)state;
    assert_question(WORDS("remove op:aten::item"), "remove op:aten::item", 1);
    assert_question(WORDS("remove", "op:aten::item", "no-wait"), "remove op:aten::item",
                    2);
    assert_question(WORDS("scale op:aten::copy_ 0.5"), "scale op:aten::copy_ 0.5", 1);
    assert_question(WORDS("scale", "op:aten::copy_", "0.5"), "scale op:aten::copy_ 0.5",
                    3);
    assert_question(WORDS("scale op:aten::copy_", "0.5"), "scale op:aten::copy_ 0.5", 2);
    assert_question(WORDS("no-wait"), "no-wait", 1);
    assert_question(WORDS("no-loader "), "no-loader", 1);
    assert_question(WORDS("batch=2x"), "batch=2x", 1);
    assert_question(WORDS("batch=0.5x"), "batch=0.5x", 1);
    assert_question(WORDS("ranks=64 net=25GB/s"), "ranks=64 net=25GB/s", 1);
    assert_question(WORDS("net=200Gbit/s", "ranks=64"), "ranks=64 net=25GB/s", 2);
    assert_question(WORDS("ranks=64", "ranks=8"), "ranks=64", 1);
    assert_question(WORDS("net=5e8B/s"), "net=0.5GB/s", 1);
}

static void a_name_may_hold_blanks(void **state)
{
    (void)state;
    assert_question(WORDS("remove kernel:void gemm<float, 4>(int, float*)"),
                    "remove kernel:void gemm<float, 4>(int, float*)", 1);
    assert_question(WORDS("scale kernel:void gemm<float, 4>(int)  0.25 "),
                    "scale kernel:void gemm<float, 4>(int) 0.25", 1);
}

static void what_is_no_question_is_refused_with_an_example(void **state)
{
    (void)state;
    char longest[PATTERN_MAX + 40] = "remove op:";
    memset(longest + strlen(longest), 'x', PATTERN_MAX);
    assert_refused(WORDS(longest), "at most 511 bytes");
    assert_refused(WORDS("forget op:x"), "questions begin with remove, scale");
    assert_refused(WORDS("remove"), "remove op:aten::item");
    assert_refused(WORDS("remove  "), "remove op:aten::item");
    assert_refused(WORDS("remove aten::item"), "begin with op:");
    assert_refused(WORDS("remove op:"), "needs a name");
    assert_refused(WORDS("scale op:x"), "needs a factor");
    assert_refused(WORDS("scale op:x fast"), "needs a factor");
    assert_refused(WORDS("scale op:x -1"), "needs a factor");
    assert_refused(WORDS("scale op:x nan"), "needs a factor");
    assert_refused(WORDS("scale op:x 1e9"), "needs a factor");
    assert_refused(WORDS("scale op:x 0x10"), "needs a factor");
    assert_refused(WORDS("batch=2"), "like batch=2x");
    assert_refused(WORDS("batch=0x"), "like batch=2x");
    assert_refused(WORDS("batch=infx"), "like batch=2x");
    assert_refused(WORDS("ranks=0"), "ranks from 1");
    assert_refused(WORDS("ranks=99999999999999999999"), "ranks from 1");
    assert_refused(WORDS("ranks=8 ranks=9"), "each once");
    assert_refused(WORDS("net=25"), "a rate in B/s");
    assert_refused(WORDS("net=0B/s"), "a rate in B/s");
    assert_refused(WORDS("no-wait now"), "takes nothing behind it");
}

static void only_words_that_begin_so_are_questions(void **state)
{
    (void)state;
    assert_true(question_begins("remove"));
    assert_true(question_begins("ranks=64 net=25GB/s"));
    assert_false(question_begins("removed.json"));
    assert_false(question_begins("./remove"));
    assert_false(question_begins("no-waiting.gait"));
}

static void a_pattern_is_held_against_the_whole_name(void **state)
{
    (void)state;
    assert_true(pattern_matches("aten::item", "aten::item"));
    assert_false(pattern_matches("aten::item", "aten::items"));
    assert_false(pattern_matches("aten::item", "aten::ite"));
    assert_true(pattern_matches("*gemm*", "ampere_sgemm_128x64"));
    assert_true(pattern_matches("*", ""));
    assert_true(pattern_matches("a*b*c", "abbbcbc"));
    assert_false(pattern_matches("a*b*c", "abbbcb"));
    assert_true(pattern_matches("a?c", "abc"));
    assert_false(pattern_matches("a?c", "ac"));
    assert_true(pattern_matches("x[1]", "x[1]")); /* brackets stand for themselves */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_stands_in_one_word_or_in_several),
        cmocka_unit_test(a_name_may_hold_blanks),
        cmocka_unit_test(what_is_no_question_is_refused_with_an_example),
        cmocka_unit_test(only_words_that_begin_so_are_questions),
        cmocka_unit_test(a_pattern_is_held_against_the_whole_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
