/* Plain and tiled attention against the definition: forward, lse and all gradients, for
 * lengths around the tiles (32 and 64), odd heads, and every sharing of keys. */
#include "attention_fixture.h"

static const int64_t LENGTHS[] = {1, 2, 31, 32, 33, 63, 64, 65, 100};
static const int64_t HEAD_SIZES[] = {1, 5, 16, 24, 64};
static const int64_t HEADS[][2] = {{1, 1}, {3, 3}, {4, 2}, {4, 1}}; /* H, G */

/* All kinds, which must say the same of the same. */
static void check_attention(const char *precision, struct attention a)
{
    struct pool pool = {.n = 0};
    struct engine plain = engine_of("reference", precision, "plain");
    struct attention_data d = attention_data(&pool, &plain, a);
    attention_expect(&d);
    for (size_t kind = 0; kind < ATTENTION_KINDS; kind++) {
        struct engine e;
        if (!attention_engine(&e, precision, kind))
            continue;
        attention_run(&e, &d);
        if (kind < 2)
            assert_sums(&d.out, d.want_out);
        else /* probabilities are rounded to bf16, as in PyTorch */
            assert_sums_of_acts(&e, &d.out, d.want_out);
        assert_sums(&d.lse, d.want_lse);
        assert_sums_of_acts(&e, &d.dqkv, d.want_dqkv);
    }
    pool_release(&pool);
}

static void check_all_shapes(const char *precision)
{
    engine_set_threads(1);
    for (size_t t = 0; t < COUNT(LENGTHS); t++)
        for (size_t s = 0; s < COUNT(HEAD_SIZES); s++)
            for (size_t h = 0; h < COUNT(HEADS); h++)
                check_attention(precision, (struct attention){.B = 2,
                                                              .T = LENGTHS[t],
                                                              .H = HEADS[h][0],
                                                              .G = HEADS[h][1],
                                                              .D = HEAD_SIZES[s]});
}

static void attention_in_f32_is_the_definition(void **state)
{
    (void)state;
    check_all_shapes("f32");
}

static void attention_in_bf16_is_the_definition(void **state)
{
    (void)state;
    check_all_shapes("bf16");
}

/* Beyond a block of 512 keys the sums of a row are scaled again. */
static void long_attention_is_the_definition(void **state)
{
    (void)state;
    const struct dropout d = {.probability = 0.3, .seed = 7, .site = 1, .position = 2};
    const struct attention shapes[] = {
        {.B = 1, .T = 545, .H = 2, .G = 1, .D = 40},
        {.B = 1, .T = 1025, .H = 1, .G = 1, .D = 24, .dropout = d},
    };
    for (size_t i = 0; i < 2 * COUNT(shapes); i++)
        check_attention(PRECISIONS[i % 2], shapes[i / 2]);
}

/* The mask too is the definition's, so both kinds drop the same. */
static void dropout_is_the_definition(void **state)
{
    (void)state;
    const struct dropout d = {.probability = 0.3, .seed = 77, .site = 5, .position = 9};
    const struct attention shapes[] = {
        {.B = 1, .T = 1, .H = 1, .G = 1, .D = 1, .dropout = d},
        {.B = 2, .T = 31, .H = 4, .G = 2, .D = 5, .dropout = d},
        {.B = 2, .T = 65, .H = 3, .G = 3, .D = 16, .dropout = d},
        {.B = 2, .T = 100, .H = 4, .G = 1, .D = 24, .dropout = d},
    };
    for (size_t i = 0; i < 2 * COUNT(shapes); i++)
        check_attention(PRECISIONS[i % 2], shapes[i / 2]);
}

static void no_bit_depends_on_the_number_of_threads(void **state)
{
    (void)state;
    const struct attention shapes[] = {
        {.B = 1, .T = 1, .H = 1, .G = 1, .D = 1},
        {.B = 3, .T = 33, .H = 4, .G = 2, .D = 5},
        {.B = 2, .T = 100, .H = 3, .G = 3, .D = 24},
    };
    for (size_t kind = 0; kind < 2 * ATTENTION_KINDS; kind++) {
        struct engine e;
        if (!attention_engine(&e, PRECISIONS[kind & 1], kind >> 1))
            continue;
        for (size_t i = 0; i < COUNT(shapes); i++) {
            struct pool pool = {.n = 0};
            struct attention_data d = attention_data(&pool, &e, shapes[i]);
            assert_same_for_any_threads(&d.out, attention_run(&e, &d));
            assert_same_for_any_threads(&d.lse, attention_run(&e, &d));
            assert_same_for_any_threads(&d.dqkv, attention_run(&e, &d));
            pool_release(&pool);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attention_in_f32_is_the_definition),
        cmocka_unit_test(attention_in_bf16_is_the_definition),
        cmocka_unit_test(long_attention_is_the_definition),
        cmocka_unit_test(dropout_is_the_definition),
        cmocka_unit_test(no_bit_depends_on_the_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
