/* Llama's gradients against central differences. */
#include "gradient_fixture.h"

/* kv_heads 4: each head its own, 2: shared by two, 1: by all. */
static struct model_shape llama(int64_t kv_heads, bool tied)
{
    struct model_shape s = LLAMA_SMALL;
    s.kv_heads = kv_heads;
    s.tied = tied;
    return s;
}

static const struct model_options TWO = {.batch = 2};

static void every_element_is_right_whoever_shares_keys(void **state)
{
    (void)state;
    every_element(PLAIN, llama(2, false), TWO);
    every_element(PLAIN, llama(1, false), (struct model_options){.batch = 1});
    every_element(PLAIN, llama(4, false), (struct model_options){.batch = 1});
}

static void every_element_is_right_with_tiled_attention(void **state)
{
    (void)state;
    every_element(TILED, llama(2, false), TWO);
    every_element(TILED, llama(1, true), (struct model_options){.batch = 1});
}

static void every_element_is_right_with_a_shared_head(void **state)
{
    (void)state;
    every_element(PLAIN, llama(2, true), TWO);
}

/* An original context so short that all three kinds of frequencies occur. */
static void every_element_is_right_with_scaled_positions(void **state)
{
    (void)state;
    struct model_shape s = llama(1, false);
    s.heads = 2; /* of 8 numbers: four pairs */
    s.width = 16;
    s.rope_scaling = (struct rope_scaling){
        .on = true, .factor = 8, .low_freq_factor = 1, .high_freq_factor = 4};
    s.rope_scaling.original_context = 32;
    s.layers = 1;
    every_element(TILED, s, (struct model_options){.batch = 1});
}

static void every_element_is_right_when_blocks_run_again(void **state)
{
    (void)state;
    every_element(TILED, llama(2, false),
                  (struct model_options){.batch = 2, .recompute = true});
}

static void every_element_is_right_in_parts(void **state)
{
    (void)state;
    every_element(
        PLAIN, llama(2, false),
        (struct model_options){.batch = 1, .unfused_qkv = true, .unfused_gate_up = true});
}

static void every_element_is_right_with_dropout(void **state)
{
    (void)state;
    const struct model_options dropout = {.batch = 2, .dropout = 0.2, .dropout_seed = 3};
    struct model_options again = dropout;
    again.recompute = true;
    every_element(PLAIN, llama(2, false), again);
    every_element(TILED, llama(2, true), dropout);
}

/* Several tiles of queries and keys, and a rest of each. */
static void every_tensor_is_right_over_several_tiles(void **state)
{
    (void)state;
    const struct model_options still = {.batch = 1};
    const struct model_options dropout = {.batch = 1, .dropout = 0.1, .dropout_seed = 3};
    every_tensor(TILED, with_context(&LLAMA_SMALL, 101), still);
    every_tensor(TILED, with_context(&LLAMA_SMALL, 101), dropout);
    every_tensor(PLAIN, with_context(&LLAMA_SMALL, 101), dropout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_is_right_whoever_shares_keys),
        cmocka_unit_test(every_element_is_right_with_tiled_attention),
        cmocka_unit_test(every_element_is_right_with_a_shared_head),
        cmocka_unit_test(every_element_is_right_with_scaled_positions),
        cmocka_unit_test(every_element_is_right_when_blocks_run_again),
        cmocka_unit_test(every_element_is_right_in_parts),
        cmocka_unit_test(every_element_is_right_with_dropout),
        cmocka_unit_test(every_tensor_is_right_over_several_tiles),
    };
    return cmocka_run_group_tests(tests, one_thread, NULL);
}
