#include "data/word_split.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "cmocka_setup.h"
#include "data/unicode_class.h"

#include <stdio.h>
#include <string.h>

/* The pieces of a text with | between them. */
static void check(enum word_pattern pattern, const char *text, const char *want)
{
    struct strbuf got;
    strbuf_init(&got);
    size_t len = strlen(text);
    char *exact =
        mem_alloc(len); /* no NUL behind it: the sanitizer sees a step too far */
    memcpy(exact, text, len);
    for (size_t at = 0, n; at < len; at += n) {
        n = word_next(pattern, exact + at, len - at);
        assert_true(n > 0 && n <= len - at);
        if (at)
            strbuf_putc(&got, '|');
        strbuf_add(&got, exact + at, n);
    }
    assert_string_equal(got.s, want);
    mem_free(exact);
    strbuf_release(&got);
}

static void gpt2_splits_as_its_pattern_says(void **state)
{
    (void)state;
    static const char *const table[][2] = {
        {"Hello world", "Hello| world"},
        {"don't we're I'll you've he'd I'm it's",
         "don|'t| we|'re| I|'ll| you|'ve| he|'d| "
         "I|'m| it|'s"},
        {"DON'T", "DON|'|T"},
        {"'r 'x '", "'|r| '|x| '"},
        {"abc123def", "abc|123|def"},
        {" 42 !?", " 42| !?"},
        {"  foo", " | foo"},
        {"\t\tfoo", "\t|\t|foo"},
        {"a \n b", "a| \n| b"},
        {"a   ", "a|   "},
        {"   ", "   "},
        {"x!!\n\ny", "x|!!|\n|\n|y"},
        {"naïve 日本語。", "naïve| 日本語|。"},
        {"\xe3\x80\x80\xe3\x80\x80 a", "\xe3\x80\x80\xe3\x80\x80| a"},
        {"e\xcc\x81"
         "a",
         "e|\xcc\x81|a"},
        {"x²½Ⅷ", "x|²½Ⅷ"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        check(WORD_PATTERN_GPT2, table[i][0], table[i][1]);
}

static void llama3_splits_as_its_pattern_says(void **state)
{
    (void)state;
    static const char *const table[][2] = {
        {"Hello world", "Hello| world"},
        {"DON'T WE'RE i'Ll 'Ve 'ſo", "DON|'T| WE|'RE| i|'Ll| '|Ve| '|ſo"},
        {"x'ſo", "x|'ſ|o"},
        {"12345", "123|45"},
        {" 12", " |12"},
        {"  foo", " | foo"},
        {"\t\tfoo", "\t|\tfoo"},
        {"(foo", "(foo"},
        {"((foo", "((|foo"},
        {"\nfoo", "\n|foo"},
        {"x!!\n\r\ny", "x|!!\n\r\n|y"},
        {" !\n x", " !\n| x"},
        {"a \n \n b", "a| \n \n| b"},
        {"a\r\n\r\n  b", "a|\r\n\r\n| | b"},
        {"a  1", "a| | |1"},
        {" \n ", " \n| "},
        {"\xc2\xa0"
         "a",
         "\xc2\xa0"
         "a"},
        {"'", "'"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        check(WORD_PATTERN_LLAMA3, table[i][0], table[i][1]);
}

static void patterns_are_found_by_their_text(void **state)
{
    (void)state;
    for (int i = 0; i < WORD_PATTERN_COUNT; i++)
        assert_int_equal(word_pattern_find(word_pattern_text[i]), i);
    assert_int_equal(word_pattern_find("\\p{N}"), -1);
}

static void classes_are_those_of_unicode_16(void **state)
{
    (void)state;
    size_t count[4] = {0};
    for (uint32_t c = 0; c < UNICODE_CODES; c++)
        count[unicode_class(c)]++;
    /* the sums of UnicodeData.txt's categories, and of PropList.txt's White_Space */
    assert_int_equal(count[UNICODE_LETTER], 141028);
    assert_int_equal(count[UNICODE_NUMBER], 1911);
    assert_int_equal(count[UNICODE_SPACE], 25);
    assert_int_equal(unicode_class(0x1c89), UNICODE_LETTER); /* new in 16.0 */
    assert_int_equal(unicode_class(0x88f), UNICODE_OTHER);   /* a letter from 17.0 on */
    assert_int_equal(unicode_class(0x85), UNICODE_SPACE);
    assert_int_equal(unicode_class(0x200b), UNICODE_OTHER);
    assert_int_equal(unicode_class(0x10ffff), UNICODE_OTHER);
}

/* Characters that the patterns tell apart, in random order. */
static size_t random_text(char *out, size_t chars, unsigned *seed)
{
    static const char *const chars_of[] = {"a", "s",      "L",  "é",  "本", "1",      "²",
                                           " ", " ",      "\n", "\r", "\t", "\u3000", "'",
                                           "!", "\u0301", "ſ",  "t",  "r",  "e"};
    size_t n = 0;
    for (size_t i = 0; i < chars; i++) {
        *seed = *seed * 1664525 + 1013904223;
        const char *c = chars_of[(*seed >> 16) % (sizeof chars_of / sizeof *chars_of)];
        memcpy(out + n, c, strlen(c));
        n += strlen(c);
    }
    return n;
}

/* The ends of the pieces of text[0..len), marked. */
static void mark_ends(uint8_t *ends, enum word_pattern pattern, const char *text,
                      size_t len, size_t base)
{
    for (size_t at = 0; at < len;) {
        at += word_next(pattern, text + at, len - at);
        ends[base + at] = 1;
    }
}

/* Cutting where it is called sure must change nothing, in 40,000 texts. */
static void a_sure_cut_changes_no_piece(void **state)
{
    (void)state;
    unsigned seed = 5;
    size_t cuts = 0;
    for (int i = 0; i < 40000; i++) {
        char text[64];
        size_t len = random_text(text, 12, &seed);
        for (int p = 0; p < WORD_PATTERN_COUNT; p++) {
            uint8_t whole[65] = {0};
            mark_ends(whole, p, text, len, 0);
            for (size_t at = 0; at <= len; at++) {
                if (!word_ends_surely(text, len, at))
                    continue;
                uint8_t parts[65] = {0};
                mark_ends(parts, p, text, at, 0);
                mark_ends(parts, p, text + at, len - at, at);
                assert_memory_equal(parts, whole, sizeof whole);
                cuts++;
            }
        }
    }
    assert_true(cuts > 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpt2_splits_as_its_pattern_says),
        cmocka_unit_test(llama3_splits_as_its_pattern_says),
        cmocka_unit_test(patterns_are_found_by_their_text),
        cmocka_unit_test(classes_are_those_of_unicode_16),
        cmocka_unit_test(a_sure_cut_changes_no_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
