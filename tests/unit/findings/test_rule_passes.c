/* elementwise-chain and repeated-casts: passes over memory. */
#include "unit/findings/ops_fixture.h"

#define X "[[8,64,256],[]]"
#define SUMS "[[8,64,1],[]]"

static void train(struct script *s, void (*layer)(struct script *))
{
    script_init(s);
    for (int step = 0; step < 2; step++) {
        script_step_begin(s);
        int64_t first =
            script_trained(s, "aten::linear", "[[8,64,64],[256,64],[256]]", 1000);
        layer(s);
        script_trained(s, "aten::linear", "[[8,64,256],[64,256],[64]]", 1000);
        script_backward(s, first, 300);
        script_step_end(s);
    }
}

static void told(void (*layer)(struct script *), const char *rule, double gain_us)
{
    struct script s;
    train(&s, layer);
    script_find(&s);
    if (rule)
        assert_float_equal(script_gain_us(script_must_tell(&s, rule)), gain_us,
                           0.02 * gain_us + 5);
    else
        script_is_silent(&s);
    script_release(&s);
}

static void norm_by_hand(struct script *s)
{
    script_trained(s, "aten::mean", "[[8,64,256],[],[],[]]", 100);
    script_trained(s, "aten::sub", "[[8,64,256],[8,64,1],[]]", 100);
    script_trained(s, "aten::pow", X, 200);
    script_trained(s, "aten::mean", "[[8,64,256],[],[],[]]", 100);
    script_trained(s, "aten::add", SUMS, 5);
    script_trained(s, "aten::sqrt", SUMS, 5);
    script_trained(s, "aten::div", "[[8,64,256],[8,64,1]]", 100);
    script_trained(s, "aten::mul", "[[8,64,256],[256]]", 100);
}

static void a_norm_by_hand_would_be_one_pass(void **state)
{
    (void)state;
    /* forward all but the longest of 710, backward all but one of eight nodes */
    told(norm_by_hand, "elementwise-chain", 710 - 200 + 7 * 300);
}

static void huber_by_hand(struct script *s)
{
    script_trained(s, "aten::sub", "[[8,64,256],[8,64,256],[]]", 100);
    script_trained(s, "aten::abs", X, 100);
    script_trained(s, "aten::pow", X, 200);
    script_op(s, "aten::lt", X, 100); /* has no gradient, and belongs to it */
    script_trained(s, "aten::mul", X, 100);
    script_trained(s, "aten::where", "[[8,64,256],[8,64,256],[8,64,256]]", 100);
}

static void a_comparison_does_not_end_a_chain(void **state)
{
    (void)state;
    told(huber_by_hand, "elementwise-chain", 700 - 200 + 4 * 300);
}

static void residual_and_activation(struct script *s)
{
    script_trained(s, "aten::add", "[[8,64,256],[8,64,256],[]]", 300);
    script_trained(s, "aten::gelu", X, 300);
    script_trained(s, "aten::mul", "[[8,64,256],[8,64,256]]", 300);
}

static void without_gradient(struct script *s)
{
    for (int i = 0; i < 12; i++)
        script_op(s, "aten::mul", X, 100);
}

static void a_few_passes_and_passes_outside_the_model_are_fine(void **state)
{
    (void)state;
    told(residual_and_activation, NULL, 0);
    told(without_gradient, NULL, 0);
}

/* --- copies --- */

static void clones(struct script *s)
{
    script_copy(s, "aten::clone", "[[8,64,256],[]]", 1048576, 200);
    script_trained(s, "aten::layer_norm", "[[8,64,256],[],[256],[256],[],[]]", 100);
    script_copy(s, "aten::clone", "[[8,64,256],[]]", 1048576, 200);
}

static void casts_there_and_back(struct script *s)
{
    script_copy(s, "aten::to", "[[8,64,256],[],[],[],[]]", 1572864, 200);
    script_copy(s, "aten::to", "[[8,64,256],[],[],[],[]]", 1572864, 200);
    script_trained(s, "aten::layer_norm", "[[8,64,256],[],[256],[256],[],[]]", 100);
}

static void layout_there_and_back(struct script *s)
{
    script_copy(s, "aten::contiguous", "[[8,16,16,64],[]]", 1048576, 200);
    script_op(s, "aten::view", "[[8,16,16,64],[]]", 2);
    script_trained(s, "aten::batch_norm", "[[2048,64],[64],[64],[64],[64]]", 100);
    script_op(s, "aten::view", "[[2048,64],[]]", 2);
    script_op(s, "aten::permute", "[[8,16,16,64],[]]", 2);
    script_copy(s, "aten::contiguous", "[[8,64,16,16],[]]", 1048576, 200);
}

static void layout_for_attention(struct script *s)
{
    for (int i = 0; i < 3; i++)
        script_copy(s, "aten::contiguous", "[[8,4,64,64],[]]", 1048576, 200);
    script_trained(s, "aten::scaled_dot_product_attention",
                   "[[8,4,64,64],[8,4,64,64],[8,4,64,64],[],[],[],[],[]]", 800);
}

static void copied_again_at_once(struct script *s)
{
    script_copy(s, "aten::contiguous", "[[8,4,64,64],[]]", 1048576, 200);
    script_op(s, "aten::transpose", "[[8,4,64,64],[],[]]", 2);
    script_copy(s, "aten::contiguous", "[[8,64,4,64],[]]", 1048576, 200);
    script_op(s, "aten::view", "[[8,64,4,64],[]]", 2);
}

static void copies_that_nothing_asks_for_are_told(void **state)
{
    (void)state;
    told(clones, "repeated-casts", 2 * (201 + 300));
    told(casts_there_and_back, "repeated-casts", 2 * (201 + 300));
    told(layout_there_and_back, "repeated-casts", 2 * (201 + 300));
    told(layout_for_attention, "repeated-casts", 3 * (201 + 300));
    told(copied_again_at_once, "repeated-casts", 201 + 300);
}

static void what_there_is_none_of_is_not_told(void **state)
{
    struct script s;
    (void)state;
    train(&s, clones);
    script_find(&s);
    const struct finding *x = script_must_tell(&s, "repeated-casts");
    assert_non_null(strstr(x->evidence, "a step makes 2 clones that the forward pass"));
    script_release(&s);
}

static void heads_back_to_rows(struct script *s)
{
    script_op(s, "aten::transpose", "[[8,4,64,64],[],[]]", 2);
    script_copy(s, "aten::contiguous", "[[8,64,4,64],[]]", 1048576, 300);
    script_op(s, "aten::view", "[[8,64,4,64],[]]", 2);
}

static void norm_in_float32(struct script *s)
{
    script_copy(s, "aten::to", "[[8,64,256],[],[],[],[]]", 786432, 300);
    script_trained(s, "aten::layer_norm", "[[8,64,256],[],[256],[256],[],[]]", 100);
    script_copy(s, "aten::to", "[[8,64,256],[],[],[],[]]", 786432, 300);
}

static void another_type(struct script *s)
{
    script_copy(s, "aten::to", "[[8,64,256],[],[],[],[]]", 1572864, 300);
    script_copy(s, "aten::to", "[[8,64,256],[],[],[],[]]", 1310720, 300);
}

static void layout_for_a_product(struct script *s)
{
    for (int i = 0; i < 2; i++) {
        script_copy(s, "aten::contiguous", "[[8,4,64,64],[]]", 1048576, 300);
        script_trained(s, "aten::matmul", "[[8,4,64,64],[8,4,64,64]]", 300);
    }
}

static void copies_that_something_needs_are_fine(void **state)
{
    (void)state;
    told(heads_back_to_rows, NULL, 0);
    told(norm_in_float32, NULL, 0);
    told(another_type, NULL, 0);
    told(layout_for_a_product, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_norm_by_hand_would_be_one_pass),
        cmocka_unit_test(a_comparison_does_not_end_a_chain),
        cmocka_unit_test(a_few_passes_and_passes_outside_the_model_are_fine),
        cmocka_unit_test(copies_that_nothing_asks_for_are_told),
        cmocka_unit_test(what_there_is_none_of_is_not_told),
        cmocka_unit_test(copies_that_something_needs_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
