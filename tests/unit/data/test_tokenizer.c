#include "data/tokenizer.h"

#include "base/strbuf.h"
#include "cmocka_setup.h"

#include <string.h>

static void check_round_trip(const struct tokenizer *t, const char *text, size_t len,
                             size_t tokens)
{
    struct token_list list = {0};
    assert_int_equal(tokenizer_encode(t, &list, text, len, NULL), STATUS_OK);
    assert_int_equal(list.n, tokens);
    struct strbuf back;
    strbuf_init(&back);
    tokenizer_decode(t, &back, list.id, list.n);
    assert_int_equal(back.len, len);
    assert_memory_equal(back.s, text, len);
    strbuf_release(&back);
    token_list_release(&list);
}

static void the_vocabulary_is_sorted_and_distinct(void **state)
{
    (void)state;
    struct tokenizer t;
    assert_int_equal(tokenizer_init_chars(&t, "banana\n", 7, NULL), STATUS_OK);
    assert_int_equal(t.n, 4);
    assert_memory_equal(t.chars.code, ((uint32_t[]){'\n', 'a', 'b', 'n'}),
                        4 * sizeof *t.chars.code);
    assert_int_equal(tokenizer_find(&t, "b", 1), 2);
    assert_int_equal(tokenizer_find(&t, "z", 1), -1);
    assert_int_equal(tokenizer_find(&t, "ba", 2), -1);
    assert_int_equal(tokenizer_find(&t, "\xf4\x8f\xbf\xbf", 4), -1);
    tokenizer_release(&t);
}

static void decoding_gives_the_encoded_text_back(void **state)
{
    (void)state;
    /* one to four bytes, the first and last code point of each length, and a NUL */
    static const char text[] = "a\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80"
                               "\x80\xf4\x8f\xbf\xbf\0naïve – 走る";
    struct tokenizer t;
    assert_int_equal(tokenizer_init_chars(&t, text, sizeof text - 1, NULL), STATUS_OK);
    check_round_trip(&t, text, sizeof text - 1, 9 + 10);
    tokenizer_release(&t);
}

static void any_bytes_are_tokens_of_their_own(void **state)
{
    (void)state;
    struct tokenizer t;
    char all[256];
    for (int i = 0; i < 256; i++)
        all[i] = (char)i;
    tokenizer_init_bytes(&t);
    assert_int_equal(t.n, 256);
    check_round_trip(&t, all, sizeof all, 256);
    assert_int_equal(tokenizer_find(&t, "\xff", 1), 255);
    tokenizer_release(&t);
}

static void invalid_utf8_is_refused_with_its_offset(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t offset;
    } bad[] = {
        {"ab\xff", 2},           {"\x80", 0},           {"a\xc3", 1}, /* cut short */
        {"\xc0\x80", 0},         {"\xe0\x80\x80", 0},                 /* overlong */
        {"x\xed\xa0\x80", 1},                                         /* a surrogate */
        {"\xf4\x90\x80\x80", 0}, {"caf\xe9 latin1", 3},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct tokenizer t;
        struct err err = ERR_INIT;
        assert_int_equal(tokenizer_init_chars(&t, bad[i].text, strlen(bad[i].text), &err),
                         STATUS_INPUT);
        assert_int_equal(err.offset, bad[i].offset);
        assert_non_null(strstr(err.text, "iconv"));
        tokenizer_release(&t);
        assert_int_equal(utf8_check(bad[i].text, strlen(bad[i].text), 1000, &err),
                         STATUS_INPUT);
        assert_int_equal(err.offset, 1000 + bad[i].offset);
    }
    assert_int_equal(utf8_check("0123456789 naïve 走 0123456789", 33, 0, NULL),
                     STATUS_OK);
}

static void an_unknown_character_is_refused_with_its_offset(void **state)
{
    (void)state;
    struct tokenizer t;
    struct err err = ERR_INIT;
    struct token_list list = {0};
    assert_int_equal(tokenizer_init_chars(&t, "abc", 3, NULL), STATUS_OK);
    struct encoder *e = encoder_new(&t);
    assert_int_equal(encoder_add(e, &list, "abxc", 4, 70, &err), STATUS_INPUT);
    assert_int_equal(err.offset, 72);
    assert_non_null(strstr(err.text, "U+0078"));
    encoder_free(e);
    token_list_release(&list);
    tokenizer_release(&t);
}

static void texts_are_cut_between_characters(void **state)
{
    (void)state;
    struct tokenizer t;
    assert_int_equal(tokenizer_init_chars(&t, "aé", 3, NULL), STATUS_OK);
    assert_false(tokenizer_may_cut(&t, "aé", 3, 0));
    assert_true(tokenizer_may_cut(&t, "aé", 3, 1));
    assert_false(tokenizer_may_cut(&t, "aé", 3, 2));
    assert_false(tokenizer_may_cut(&t, "aé", 3, 3));
    tokenizer_release(&t);
    tokenizer_init_bytes(&t);
    assert_true(tokenizer_may_cut(&t, "aé", 3, 2));
    tokenizer_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vocabulary_is_sorted_and_distinct),
        cmocka_unit_test(decoding_gives_the_encoded_text_back),
        cmocka_unit_test(any_bytes_are_tokens_of_their_own),
        cmocka_unit_test(invalid_utf8_is_refused_with_its_offset),
        cmocka_unit_test(an_unknown_character_is_refused_with_its_offset),
        cmocka_unit_test(texts_are_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
