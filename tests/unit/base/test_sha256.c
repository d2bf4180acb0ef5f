/* SHA-256 against the examples that NIST publishes with FIPS 180-4. */
#include "cmocka_setup.h"

#include "base/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_hash(const void *data, size_t len, const char *expected)
{
    assert_string_equal(sha256_hex(sha256_of(data, len)).s, expected);
}

static void the_examples_of_the_standard_have_their_hashes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *hash;
    } example[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", /* 448 bits */
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
         "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu", /* 896 bits */
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"}};
    for (size_t i = 0; i < sizeof example / sizeof *example; i++)
        assert_hash(example[i].text, strlen(example[i].text), example[i].hash);
    assert_hash(NULL, 0, example[0].hash);
}

static void a_million_letters_have_their_hash(void **state)
{
    (void)state;
    size_t n = 1000000;
    char *a = malloc(n);
    assert_non_null(a);
    memset(a, 'a', n);
    assert_hash(a, n, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(a);
}

/* Where the padding still fits into the block and where it does not: NIST's additional
 * examples, zeros of 55 to 65 bytes. */
static void every_length_about_a_block_is_padded_right(void **state)
{
    (void)state;
    static const struct {
        size_t len;
        const char *hash;
    } zeros[] = {
        {55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"},
        {56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"},
        {57, "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785"},
        {64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"},
        {1000, "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53"}};
    char data[1000] = {0};
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
        assert_hash(data, zeros[i].len, zeros[i].hash);
}

static void base64_is_what_browsers_expect(void **state)
{
    (void)state;
    assert_string_equal(sha256_base64(sha256_of("", 0)).s,
                        "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    /* The example of the standard of content policies, CSP Level 3. */
    assert_string_equal(sha256_base64(sha256_of("alert('Hello, world.');", 23)).s,
                        "qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=");
    struct sha256 ones;
    memset(ones.bytes, 0xff, sizeof ones.bytes);
    assert_string_equal(sha256_base64(ones).s,
                        "//////////////////////////////////////////8=");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_standard_have_their_hashes),
        cmocka_unit_test(a_million_letters_have_their_hash),
        cmocka_unit_test(every_length_about_a_block_is_padded_right),
        cmocka_unit_test(base64_is_what_browsers_expect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
