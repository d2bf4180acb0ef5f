/* GPT-2's gradients against central differences. */
#include "gradient_fixture.h"

static struct model_shape gpt2(bool bias, bool tied)
{
    struct model_shape s = GPT2_SMALL;
    s.bias = bias;
    s.tied = tied;
    return s;
}

static const struct model_options TWO = {.batch = 2};

static void every_element_is_right(void **state)
{
    (void)state;
    every_element(PLAIN, gpt2(true, true), TWO);
}

static void every_element_is_right_without_biases(void **state)
{
    (void)state;
    every_element(PLAIN, gpt2(false, true), TWO);
}

static void every_element_is_right_with_a_head_of_its_own(void **state)
{
    (void)state;
    every_element(PLAIN, gpt2(true, false), TWO);
}

static void every_element_is_right_with_tiled_attention(void **state)
{
    (void)state;
    every_element(TILED, gpt2(true, true), TWO);
    every_element(TILED, gpt2(false, false), TWO);
}

static void every_element_is_right_when_blocks_run_again(void **state)
{
    (void)state;
    every_element(PLAIN, gpt2(true, true),
                  (struct model_options){.batch = 2, .recompute = true});
}

static void every_element_is_right_in_parts(void **state)
{
    (void)state;
    every_element(TILED, gpt2(true, true),
                  (struct model_options){.batch = 1, .unfused_qkv = true});
}

static void every_element_is_right_with_dropout(void **state)
{
    (void)state;
    const struct model_options dropout = {.batch = 2, .dropout = 0.2, .dropout_seed = 3};
    struct model_options again = dropout;
    again.recompute = true;
    every_element(PLAIN, gpt2(true, true), dropout);
    every_element(TILED, gpt2(true, false), again);
}

static void the_smallest_model_is_right(void **state)
{
    (void)state;
    struct model_shape s = gpt2(true, true);
    s.layers = s.heads = s.kv_heads = 1;
    s.width = 5;
    s.hidden = 3;
    s.vocab = 4;
    s.context = 3;
    every_element(PLAIN, s, (struct model_options){.batch = 1});
    s.context = 1;
    every_element(TILED, s, TWO);
}

/* Several tiles of queries and keys, and a rest of each. */
static void every_tensor_is_right_over_several_tiles(void **state)
{
    (void)state;
    const struct model_options still = {.batch = 1};
    const struct model_options dropout = {.batch = 1, .dropout = 0.1, .dropout_seed = 3};
    every_tensor(TILED, with_context(&GPT2_SMALL, 101), still);
    every_tensor(TILED, with_context(&GPT2_SMALL, 101), dropout);
    every_tensor(PLAIN, with_context(&GPT2_SMALL, 101), still);
}

/* A wrong gradient must be noticed: one in a thousand off is. */
static void differences_notice_an_error_of_a_thousandth(void **state)
{
    (void)state;
    struct gradient g;
    struct model_shape shape = gpt2(true, true);
    gradient_open(&g, PLAIN, &shape, TWO);
    const struct param_table *t = &g.subject.model.params.table;
    for (size_t i = 0; i < t->n; i++) {
        const struct param *p = &t->param[i];
        for (int64_t k = p->offset; k < p->offset + p->n; k++)
            g.direction[k] = g.subject.model.grad[k] < 0 ? -1 : 1;
        double found = derivative(&g, p, STEP / 2), expected = gradient_along(&g, p);
        assert_true(fabs(found - expected) <= TOLERANCE * expected);
        assert_false(fabs(found - expected * 1.001) <= TOLERANCE * expected);
    }
    gradient_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_is_right),
        cmocka_unit_test(every_element_is_right_without_biases),
        cmocka_unit_test(every_element_is_right_with_a_head_of_its_own),
        cmocka_unit_test(every_element_is_right_with_tiled_attention),
        cmocka_unit_test(every_element_is_right_when_blocks_run_again),
        cmocka_unit_test(every_element_is_right_in_parts),
        cmocka_unit_test(every_element_is_right_with_dropout),
        cmocka_unit_test(the_smallest_model_is_right),
        cmocka_unit_test(every_tensor_is_right_over_several_tiles),
        cmocka_unit_test(differences_notice_an_error_of_a_thousandth),
    };
    return cmocka_run_group_tests(tests, one_thread, NULL);
}
