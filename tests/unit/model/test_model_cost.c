/* The FLOPs of a step, as docs/mfu.md derives them by hand. */
#include "cmocka_setup.h"
#include "model/model.h"
#include "model/model_cost.h"

static double flop_a_token(const struct model_shape *shape, int64_t batch, bool recompute)
{
    struct model m;
    struct err err = ERR_INIT;
    struct engine engine;
    struct engine_options reference = {"reference", "f32", "tiled"};
    struct model_options options = {.batch = batch, .recompute = recompute};
    assert_int_equal(engine_init(&engine, &reference, &err), STATUS_OK);
    assert_int_equal(model_init(&m, &engine, shape, &options, &err), STATUS_OK);
    double flop = model_flop(&m) / (double)m.M;
    model_release(&m);
    return flop;
}

static const struct model_shape GPT2_124M = {.family = MODEL_FAMILY_GPT2,
                                             .layers = 12,
                                             .heads = 12,
                                             .kv_heads = 12,
                                             .width = 768,
                                             .hidden = 3072,
                                             .context = 1024,
                                             .vocab = 50257,
                                             .bias = true,
                                             .tied = true,
                                             .norm_epsilon = 1e-5};
static const struct model_shape LLAMA_1_1B = {.family = MODEL_FAMILY_LLAMA,
                                              .layers = 22,
                                              .heads = 32,
                                              .kv_heads = 4,
                                              .width = 2048,
                                              .hidden = 5632,
                                              .context = 2048,
                                              .vocab = 32000,
                                              .norm_epsilon = 1e-5,
                                              .rope_theta = 10000};

static void gpt2_is_as_derived(void **state)
{
    (void)state;
    assert_float_equal(flop_a_token(&GPT2_124M, 1, false), 798608592, 0.5);
}

static void llama_is_as_derived(void **state)
{
    (void)state;
    assert_float_equal(flop_a_token(&LLAMA_1_1B, 1, false), 6767652288, 0.5);
}

/* More sequences are more of the same, and what is computed again counts once. */
static void neither_batch_nor_recompute_changes_a_tokens(void **state)
{
    (void)state;
    double one = flop_a_token(&GPT2_124M, 1, false);
    assert_float_equal(flop_a_token(&GPT2_124M, 8, false), one, 0.5);
    assert_float_equal(flop_a_token(&GPT2_124M, 1, true), one, 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpt2_is_as_derived),
        cmocka_unit_test(llama_is_as_derived),
        cmocka_unit_test(neither_batch_nor_recompute_changes_a_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
