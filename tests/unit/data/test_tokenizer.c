#include "data/tokenizer.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "cmocka_setup.h"

#include <string.h>

static void the_vocabulary_is_sorted_and_distinct(void **state)
{
    (void)state;
    struct tokenizer t;
    assert_int_equal(tokenizer_init(&t, "banana\n", 7, NULL), STATUS_OK);
    assert_int_equal(t.n, 4);
    assert_memory_equal(t.code, ((uint32_t[]){'\n', 'a', 'b', 'n'}), 4 * sizeof *t.code);
    assert_int_equal(tokenizer_find(&t, 'b'), 2);
    assert_int_equal(tokenizer_find(&t, 'z'), -1);
    assert_int_equal(tokenizer_find(&t, 0x10ffff), -1);
    tokenizer_release(&t);
}

static void decoding_gives_the_encoded_text_back(void **state)
{
    (void)state;
    /* one to four bytes, the first and last code point of each length, and a NUL */
    static const char text[] = "a\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80"
                               "\x80\xf4\x8f\xbf\xbf\0naïve – 走る";
    size_t len = sizeof text - 1, n;
    struct tokenizer t;
    assert_int_equal(tokenizer_init(&t, text, len, NULL), STATUS_OK);
    token_id *tokens = mem_alloc(len * sizeof *tokens);
    assert_int_equal(tokenizer_encode(&t, tokens, &n, text, len, NULL), STATUS_OK);
    assert_int_equal(n, 9 + 10);
    struct strbuf back;
    strbuf_init(&back);
    tokenizer_decode(&t, &back, tokens, n);
    assert_int_equal(back.len, len);
    assert_memory_equal(back.s, text, len);
    strbuf_release(&back);
    mem_free(tokens);
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
        assert_int_equal(tokenizer_init(&t, bad[i].text, strlen(bad[i].text), &err),
                         STATUS_INPUT);
        assert_int_equal(err.offset, bad[i].offset);
        assert_non_null(strstr(err.text, "iconv"));
        tokenizer_release(&t);
    }
}

static void an_unknown_character_is_refused_with_its_offset(void **state)
{
    (void)state;
    struct tokenizer t;
    struct err err = ERR_INIT;
    token_id out[8];
    size_t n;
    assert_int_equal(tokenizer_init(&t, "abc", 3, NULL), STATUS_OK);
    assert_int_equal(tokenizer_encode(&t, out, &n, "abxc", 4, &err), STATUS_INPUT);
    assert_int_equal(err.offset, 2);
    assert_non_null(strstr(err.text, "U+0078"));
    tokenizer_release(&t);
}

static void too_many_distinct_characters_are_refused(void **state)
{
    (void)state;
    struct strbuf b;
    strbuf_init(&b);
    for (uint32_t c = 0x10000; c <= 0x10000 + TOKENIZER_VOCABULARY_MAX; c++) {
        strbuf_putc(&b, (char)(0xf0 | c >> 18));
        strbuf_putc(&b, (char)(0x80 | (c >> 12 & 0x3f)));
        strbuf_putc(&b, (char)(0x80 | (c >> 6 & 0x3f)));
        strbuf_putc(&b, (char)(0x80 | (c & 0x3f)));
    }
    struct tokenizer t;
    struct err err = ERR_INIT;
    assert_int_equal(tokenizer_init(&t, b.s, b.len, &err), STATUS_INPUT);
    tokenizer_release(&t);
    /* one fewer is the most that 16 bits can tell apart */
    assert_int_equal(tokenizer_init(&t, b.s, b.len - 4, &err), STATUS_OK);
    assert_int_equal(tokenizer_find(&t, 0x1ffff), 65535);
    tokenizer_release(&t);
    strbuf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vocabulary_is_sorted_and_distinct),
        cmocka_unit_test(decoding_gives_the_encoded_text_back),
        cmocka_unit_test(invalid_utf8_is_refused_with_its_offset),
        cmocka_unit_test(an_unknown_character_is_refused_with_its_offset),
        cmocka_unit_test(too_many_distinct_characters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
