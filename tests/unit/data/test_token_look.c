/* What is no file of tokens is noticed; what is one is not doubted. */
#include "data/token_look.h"

#include "cmocka_setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100000 };
static uint16_t id[N];

static uint64_t next_random(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Zipf's law: the k-th of V words has a probability of 1 / k. */
static void fill_zipf(int vocabulary)
{
    for (size_t i = 0; i < N; i++) {
        double u = (double)(next_random() >> 11) / 9007199254740992.0;
        id[i] = (uint16_t)(pow(vocabulary, u) - 1);
    }
}

static void fill_uniform(unsigned vocabulary)
{
    for (size_t i = 0; i < N; i++)
        id[i] = (uint16_t)(next_random() % vocabulary);
}

static void tokens_are_not_doubted(void **state)
{
    (void)state;
    static const int vocabularies[] = {65, 256, 5000, 50257, 65536};
    for (size_t i = 0; i < sizeof vocabularies / sizeof *vocabularies; i++) {
        fill_zipf(vocabularies[i]);
        assert_int_equal(token_look(id, N).kind, TOKEN_LOOK_TOKENS);
    }
    fill_uniform(4); /* as DNA is */
    assert_int_equal(token_look(id, N).kind, TOKEN_LOOK_TOKENS);
    memset(id, 0, sizeof id);
    assert_int_equal(token_look(id, N).kind, TOKEN_LOOK_TOKENS);
}

static void random_bytes_are_uniform(void **state)
{
    (void)state;
    fill_uniform(1 << 16);
    struct token_look look = token_look(id, N);
    assert_int_equal(look.kind, TOKEN_LOOK_UNIFORM);
    assert_true(look.repeats > 0.9 && look.repeats < 1.1);
    assert_int_equal(token_look(id, TOKEN_LOOK_SAMPLE_MIN).kind, TOKEN_LOOK_UNIFORM);
    /* too few to tell */
    assert_int_equal(token_look(id, TOKEN_LOOK_SAMPLE_MIN - 1).kind, TOKEN_LOOK_TOKENS);
    assert_int_equal(token_look(id, 0).kind, TOKEN_LOOK_TOKENS);
}

static void a_text_is_no_file_of_its_tokens(void **state)
{
    (void)state;
    static const char words[] = "Now is the winter of our discontent\n";
    char *text = (char *)id;
    for (size_t i = 0; i < sizeof id; i++)
        text[i] = words[i % (sizeof words - 1)];
    assert_int_equal(token_look(id, N).kind, TOKEN_LOOK_TEXT);
}

static void known_formats_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
        const char *name;
    } file[] = {{"\177ELF\2\1\1\0", 8, "an ELF program"},
                {"\x1f\x8b\x08\0\0\0\0\0", 8, "gzip"},
                {"\x28\xb5\x2f\xfd\x24\0\0\0", 8, "zstd"},
                {"PK\3\4\0\0\10\0", 8, "zip (also PyTorch's checkpoints)"},
                {"\x40\1\0\0\0\0\0\0{\"a\"", 12, "safetensors"}};
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        fill_zipf(50257);
        memcpy(id, file[i].bytes, file[i].len);
        struct token_look look = token_look(id, N);
        assert_int_equal(look.kind, TOKEN_LOOK_FORMAT);
        assert_string_equal(look.format, file[i].name);
        assert_int_equal(token_look(id, 1).kind, TOKEN_LOOK_TOKENS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_not_doubted),
        cmocka_unit_test(random_bytes_are_uniform),
        cmocka_unit_test(a_text_is_no_file_of_its_tokens),
        cmocka_unit_test(known_formats_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
