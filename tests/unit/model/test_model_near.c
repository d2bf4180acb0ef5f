/*
 * Ways to compute the same model that differ by rounding alone.
 *
 * f32: 2e-6 of a tensor, some tens of roundings of 2^-24. bf16: a rounding is 2^-8 of a
 * number, and each of the two ways may have one that the other has not. They weigh double
 * in the gradients of queries and keys, which come from differences of near numbers: four.
 * Against f32 all of a pass's roundings count, which cancel in part: eight.
 */
#include "compare_fixture.h"

static const double F32_NEAR = 2e-6, BF16_NEAR = 4 * 0x1p-8;

static double near_in(const char *precision)
{
    return strcmp(precision, "bf16") ? F32_NEAR : BF16_NEAR;
}

static const char *const PRECISIONS[] = {"f32", "bf16"};

/* Several tiles, and rows wide enough that no norm blows up a rounding. */
static struct model_shape wider(const struct model_shape *shape)
{
    struct model_shape s = with_context(shape, 70);
    s.width = s.heads * 16;
    s.hidden = 40;
    return s;
}

static void compare_ways(struct engine_options engine_a, struct model_options a,
                         struct engine_options engine_b, struct model_options b,
                         double tolerance)
{
    for (size_t f = 0; f < COUNT(FAMILIES); f++) {
        struct subject one, other;
        struct model_shape shape = wider(FAMILIES[f]);
        subject_ready(&one, engine_a, &shape, a);
        subject_ready(&other, engine_b, &shape, b);
        assert_near(&one, &other, tolerance);
        subject_close(&one);
        subject_close(&other);
    }
}

static void tiled_attention_gives_plain_attentions_gradients(void **state)
{
    (void)state;
    static const char *const engines[] = {"reference", "onednn", "own"};
    const struct model_options still = {.batch = 2};
    const struct model_options dropout = {.batch = 2, .dropout = 0.1, .dropout_seed = 5};
    for (size_t i = 0; i < 2 * COUNT(engines); i++) {
        const char *name = engines[i / 2], *precision = PRECISIONS[i % 2];
        struct engine_options plain = {name, precision, "plain"};
        struct engine_options tiled = {name, precision, "tiled"};
        compare_ways(tiled, still, plain, still, near_in(precision));
        compare_ways(tiled, dropout, plain, dropout, near_in(precision));
    }
}

static void products_give_the_references_gradients(void **state)
{
    (void)state;
    static const char *const makers[] = {"onednn", "own"};
    for (int threads = 1; threads <= 2; threads++) {
        engine_set_threads(threads);
        for (size_t i = 0; i < COUNT(makers) * COUNT(PRECISIONS); i++) {
            size_t p = i % COUNT(PRECISIONS);
            struct engine_options fast = {makers[i / COUNT(PRECISIONS)], PRECISIONS[p],
                                          "tiled"};
            struct engine_options reference = {"reference", PRECISIONS[p], "tiled"};
            compare_ways(fast, (struct model_options){.batch = 2}, reference,
                         (struct model_options){.batch = 2}, near_in(PRECISIONS[p]));
        }
    }
    engine_set_threads(1);
}

static void parts_by_onednn_give_the_whole_products_gradients(void **state)
{
    (void)state;
    const struct model_options whole = {.batch = 2};
    for (int i = 0; i < 6; i++) {
        struct model_options parts = {
            .batch = 2, .unfused_qkv = i % 3 != 0, .unfused_gate_up = i % 3 != 1};
        struct engine_options onednn = {"onednn", PRECISIONS[i / 3], "tiled"};
        compare_ways(onednn, parts, onednn, whole, near_in(PRECISIONS[i / 3]));
    }
}

/* The reference rounds a row's numbers alike in any batch; oneDNN need not. */
static void compare_micro_batches(struct engine_options engine, struct model_shape shape)
{
    struct subject both, half;
    bool reference = !strcmp(engine.name, "reference");
    subject_ready(&both, engine, &shape, (struct model_options){.batch = 2});
    subject_open(&half, engine, &shape, (struct model_options){.batch = 1});
    for (int64_t row = 0; row < 2; row++) {
        subject_batch(&half, row);
        subject_run(&half, both.model.M, row > 0);
    }
    assert_near_gradients(&half, &both, reference ? F32_NEAR : near_in(engine.precision));
    subject_close(&both);
    subject_close(&half);
}

static void two_micro_batches_are_one_batch(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++) {
        struct model_shape shape = wider(FAMILIES[i >> 2 & 1]);
        shape.tied = i >> 3;
        compare_micro_batches((struct engine_options){i & 1 ? "onednn" : "reference",
                                                      PRECISIONS[i >> 1 & 1], "tiled"},
                              shape);
    }
}

/* Logits that exist a few rows at a time: each row as before, and the head's gradient a sum
 * of sums. */
static void logits_in_pieces_give_the_same_model(void **state)
{
    static const struct {
        int64_t rows, pieces; /* that fit; into how many 2 batches of 9 are cut */
    } cut[] = {{18, 1}, {17, 2}, {9, 2}, {8, 3}, {4, 6}, {1, 18}};
    static const char *const engines[] = {"reference", "onednn", "own"};
    (void)state;
    for (int i = 0; i < 12; i++) {
        struct model_shape shape = with_context(FAMILIES[i & 1], 9);
        struct engine_options engine = {engines[i >> 2], PRECISIONS[i >> 1 & 1], "tiled"};
        struct subject whole, s;
        subject_ready(&whole, engine, &shape, (struct model_options){.batch = 2});
        for (size_t k = 0; k < sizeof cut / sizeof *cut; k++) {
            subject_ready(&s, engine, &shape,
                          (struct model_options){
                              .batch = 2, .logits_max = cut[k].rows * shape.vocab});
            assert_int_equal(s.model.head_pieces, cut[k].pieces);
            assert_int_equal(s.model.head_rows * s.model.head_pieces, s.model.M);
            assert_near(&s, &whole, near_in(engine.precision));
            subject_close(&s);
        }
        subject_close(&whole);
    }
}

/* A prime number of rows cannot be cut: all at once, or, where that is many pieces anyway,
 * one by one. */
static void rows_that_cannot_be_cut_are_one_piece_or_single(void **state)
{
    static const struct {
        int64_t rows, pieces; /* that fit; of seven */
    } cut[] = {{7, 1}, {6, 7}, {4, 7}, {2, 7}, {1, 7}};
    static const struct engine_options engine = {"reference", "f32", "tiled"};
    (void)state;
    for (size_t k = 0; k < sizeof cut / sizeof *cut; k++) {
        struct subject s;
        struct model_shape shape = with_context(FAMILIES[0], 7);
        subject_open(
            &s, engine, &shape,
            (struct model_options){.batch = 1, .logits_max = cut[k].rows * shape.vocab});
        assert_int_equal(s.model.head_pieces, cut[k].pieces);
        subject_close(&s);
    }
    struct subject s;
    struct model_shape shape = with_context(FAMILIES[0], 23);
    subject_open(&s, engine, &shape,
                 (struct model_options){.batch = 1, .logits_max = 12 * shape.vocab});
    assert_int_equal(s.model.head_pieces, 1); /* 23 would be more than four times two */
    subject_close(&s);
}

/* Micro-batches whose heads are cut: what one leaves the next adds to. */
static void pieces_accumulate(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct model_shape shape = with_context(FAMILIES[i & 1], 9);
        struct engine_options engine = {i >> 1 ? "own" : "reference", "f32", "tiled"};
        struct subject whole, cut;
        subject_ready(&whole, engine, &shape, (struct model_options){.batch = 2});
        subject_open(&cut, engine, &shape,
                     (struct model_options){.batch = 1, .logits_max = 3 * shape.vocab});
        assert_int_equal(cut.model.head_pieces, 3);
        for (int64_t row = 0; row < 2; row++) {
            subject_batch(&cut, row);
            subject_run(&cut, whole.model.M, row > 0);
        }
        assert_near_gradients(&cut, &whole, F32_NEAR);
        subject_close(&cut);
        subject_close(&whole);
    }
}

/* bf16 is a rounding, not another model. */
static void bf16_is_near_f32(void **state)
{
    (void)state;
    const struct model_options options = {.batch = 2};
    compare_ways((struct engine_options){"reference", "bf16", "tiled"}, options,
                 (struct engine_options){"reference", "f32", "tiled"}, options,
                 4 * BF16_NEAR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiled_attention_gives_plain_attentions_gradients),
        cmocka_unit_test(products_give_the_references_gradients),
        cmocka_unit_test(parts_by_onednn_give_the_whole_products_gradients),
        cmocka_unit_test(two_micro_batches_are_one_batch),
        cmocka_unit_test(logits_in_pieces_give_the_same_model),
        cmocka_unit_test(rows_that_cannot_be_cut_are_one_piece_or_single),
        cmocka_unit_test(pieces_accumulate),
        cmocka_unit_test(bf16_is_near_f32),
    };
    return cmocka_run_group_tests(tests, one_thread, NULL);
}
