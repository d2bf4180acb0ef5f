/* Costs counted by hand for small shapes: f32 with 4 bytes, bf16 with 2. */
#include "cmocka_setup.h"
#include "engine/op_cost.h"

enum { F32 = 4, BF16 = 2 };

static void a_linear_costs_two_a_product_and_its_three_operands(void **state)
{
    (void)state;
    struct linear l = {.M = 2, .N = 3, .K = 5};
    struct op_cost c = cost_linear(&l, LINEAR_FORWARD, false, F32);
    assert_int_equal(c.flop, 2 * 2 * 3 * 5);
    assert_int_equal(c.bytes, (2 * 5 + 3 * 5 + 2 * 3) * F32);
    c = cost_linear(&l, LINEAR_BACKWARD_INPUT, false, BF16);
    assert_int_equal(c.bytes, (2 * 5 + 3 * 5 + 2 * 3) * BF16);
    c = cost_linear(&l, LINEAR_BACKWARD_WEIGHT, false, BF16); /* its result is f32 */
    assert_int_equal(c.bytes, (2 * 5 + 2 * 3) * BF16 + 3 * 5 * F32);
    c = cost_linear(&l, LINEAR_BACKWARD_WEIGHT, true, BF16); /* and read besides */
    assert_int_equal(c.bytes, (2 * 5 + 2 * 3) * BF16 + 2 * 3 * 5 * F32);
    c = cost_bias_backward(2, 3, BF16);
    assert_int_equal(c.flop, 6);
    assert_int_equal(c.bytes, 6 * BF16 + 3 * F32);
}

/* 1 sequence, 3 tokens, 2 heads of 4: 6 causal pairs a head of 2 products of 8, and 5. */
static void attention_costs_its_causal_pairs(void **state)
{
    (void)state;
    struct attention a = {.B = 1, .T = 3, .H = 2, .G = 1, .D = 4};
    struct op_cost tiled = cost_attention_forward(&a, false, BF16);
    struct op_cost plain = cost_attention_forward(&a, true, BF16);
    assert_int_equal(tiled.flop, 2 * 6 * (16 + 5));
    assert_int_equal(tiled.bytes, 3 * (16 + 8) * BF16 + 3 * 2 * F32);
    assert_int_equal(plain.flop, tiled.flop);
    assert_int_equal(plain.bytes - tiled.bytes, 2 * 6 * BF16);
    assert_int_equal(cost_attention_backward(&a, true, BF16).flop, 2 * 6 * (32 + 5));
    assert_int_equal(cost_attention_backward(&a, false, BF16).flop, 2 * 6 * (40 + 5));
}

static void embeddings_cost_the_rows_of_the_tables_there_are(void **state)
{
    (void)state;
    const int64_t tokens = 6 * (int64_t)sizeof(int32_t), n = 6 * 5;
    struct op_cost c = cost_embedding(2, 3, 5, true, false);
    assert_int_equal(c.flop, n);
    assert_int_equal(c.bytes, 3 * n * F32 + tokens);
    c = cost_embedding(2, 3, 5, false, false); /* no positions: a copy */
    assert_int_equal(c.flop, 0);
    assert_int_equal(c.bytes, 2 * n * F32 + tokens);
    c = cost_embedding(2, 3, 5, true, true);
    assert_int_equal(c.flop, 2 * n);
    assert_int_equal(c.bytes, 5 * n * F32 + tokens);
    c = cost_embedding(2, 3, 5, false, true);
    assert_int_equal(c.flop, n);
    assert_int_equal(c.bytes, 3 * n * F32 + tokens);
}

static void pointwise_ops_cost_what_they_read_and_write(void **state)
{
    (void)state;
    struct attention a = {.B = 1, .T = 3, .H = 2, .G = 1, .D = 4};
    assert_int_equal(cost_residual(10, false, BF16).flop, 10);
    assert_int_equal(cost_residual(10, false, BF16).bytes, 10 * BF16 + 20 * F32);
    assert_int_equal(cost_residual(10, true, BF16).bytes, 10 * BF16 + 10 * F32);
    assert_int_equal(cost_gelu(10, false, BF16).bytes, 20 * BF16);
    assert_int_equal(cost_gelu(10, true, BF16).bytes, 40 * BF16);
    assert_int_equal(cost_swiglu(10, false, BF16).bytes, 30 * BF16);
    assert_int_equal(cost_swiglu(10, true, BF16).bytes, 60 * BF16);
    /* q and k, 6 operations a pair; the angles of 3 tokens and 2 pairs, two each */
    assert_int_equal(cost_rope(&a, BF16).flop, 3 * 3 * 2 * 6);
    assert_int_equal(cost_rope(&a, BF16).bytes, 2 * 3 * 12 * BF16 + 3 * 2 * 2 * F32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_costs_two_a_product_and_its_three_operands),
        cmocka_unit_test(attention_costs_its_causal_pairs),
        cmocka_unit_test(embeddings_cost_the_rows_of_the_tables_there_are),
        cmocka_unit_test(pointwise_ops_cost_what_they_read_and_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
