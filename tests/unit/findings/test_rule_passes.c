/* elementwise-chain and repeated-casts: passes over memory. */
#include "unit/findings/ops_fixture.h"

#include <time.h>

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

static void add_measured(struct script *s, double now_us, double instead_us)
{
    script_close_recording(s);
    replacements_add(&s->run.replacements,
                     (struct replacement){
                         .rule = names_add_z(&s->run.names, "elementwise-chain"),
                         .subject = names_add_z(&s->run.names, "a norm"),
                         .how = names_add_z(&s->run.names, "F.layer_norm"),
                         .now_ns = (int64_t)(now_us * 1000),
                         .instead_ns = (int64_t)(instead_us * 1000),
                     });
}

/* The finding of a norm by hand that holds 710 and 8 · 300, as the recorder measured. */
static void told_as_measured(double now_us, double instead_us, enum price kind,
                             double gain_us, double high_frac)
{
    struct script s;
    train(&s, norm_by_hand);
    add_measured(&s, now_us, instead_us);
    script_find(&s);
    const struct finding *x = script_must_tell(&s, "elementwise-chain");
    assert_int_equal(x->price, kind);
    assert_float_equal(script_gain_us(x), gain_us, 0.02 * gain_us + 5);
    assert_int_equal(x->missing[0] == '\0', kind == PRICE_MEASURED);
    assert_int_equal(strstr(x->evidence, "Instead of a norm: F.layer_norm") != NULL,
                     kind == PRICE_MEASURED);
    assert_float_equal(x->high_frac, high_frac, 1e-9);
    script_release(&s);
}

static void a_chain_whose_call_was_measured_gains_what_the_call_does(void **state)
{
    (void)state;
    told_as_measured(3110, 622, PRICE_MEASURED, 0.8 * 3110, 1);
    told_as_measured(6220, 1244, PRICE_MEASURED, 0.8 * 3110, 1.25); /* a slower moment */
    told_as_measured(2000, 400, PRICE_MEASURED, 1600, 1.25); /* a part of the chain */
    told_as_measured(500, 100, PRICE_MODELLED, 710 - 200 + 7 * 300, 1.2);
}

static void a_call_that_is_no_faster_is_not_told(void **state)
{
    struct script s;
    (void)state;
    train(&s, norm_by_hand);
    add_measured(&s, 3000, 3100);
    script_find(&s);
    assert_null(script_told(&s, "elementwise-chain"));
    script_release(&s);
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

/* --- casts again --- */

#define EDGES "[[8,64,64],[],[],[],[]]"
enum { EDGES_NUMBERS = 8 * 64 * 64, BOOL_TO_F32 = 1 + 4, F32_TO_BF16 = 4 + 2 };

/* Without a gradient. */
static void cast(struct script *s, const char *shapes, int64_t bytes)
{
    script_open(s, SPAN_KIND_OP, "aten::to", shapes);
    script_open(s, SPAN_KIND_OP, "aten::copy_", shapes);
    s->open[s->depth - 1].bytes = bytes;
    s->now_us += 200;
    script_close(s);
    script_close(s);
    s->now_us++;
}

static void cast_edges(struct script *s)
{
    cast(s, EDGES, (int64_t)EDGES_NUMBERS * BOOL_TO_F32);
}

static void use_edges(struct script *s)
{
    script_trained(s, "aten::matmul", "[[8,64,64],[8,64,256]]", 300);
}

static void edges_in_each_layer(struct script *s)
{
    for (int i = 0; i < 4; i++) {
        cast_edges(s);
        use_edges(s);
        script_op(s, "aten::sum", "[[8,64,64],[],[],[]]", 5);
    }
}

/* (1 - mask) * -1e9, in each layer. */
static void mask_inverted_in_each_layer(struct script *s)
{
    for (int i = 0; i < 3; i++) {
        cast_edges(s);
        script_op(s, "aten::rsub", "[[8,64,64],[],[]]", 5);
        script_op(s, "aten::mul", "[[8,64,64],[]]", 5);
        script_trained(s, "aten::add", "[[8,64,64],[8,64,64],[]]", 300);
    }
}

static void the_same_cast_in_each_layer_is_told_but_for_the_first(void **state)
{
    (void)state;
    told(edges_in_each_layer, "repeated-casts", 3 * 203);
    told(mask_inverted_in_each_layer, "repeated-casts", 2 * 203);
}

static void edges_that_differ(struct script *s)
{
    for (int i = 0; i < 4; i++) {
        script_op(s, "aten::gt", "[[8,64,1],[8,1,64]]", 5);
        cast_edges(s);
        use_edges(s);
    }
}

static void a_part_at_a_time(struct script *s)
{
    for (int i = 0; i < 4; i++) {
        script_op(s, "aten::select", "[[4,8,64,64],[],[]]", 2);
        cast_edges(s);
        use_edges(s);
    }
}

static void source_and_target(struct script *s)
{
    for (int i = 0; i < 2; i++) {
        cast_edges(s);
        use_edges(s);
    }
}

static void several_inputs_in_a_row(struct script *s)
{
    for (int i = 0; i < 4; i++)
        cast_edges(s);
    use_edges(s);
}

static void inputs_of_towers(struct script *s)
{
    for (int i = 0; i < 3; i++) {
        cast_edges(s);
        script_trained(s, "aten::linear", "[[8,64,64],[256,64],[256]]", 300);
    }
}

static void targets_of_several_heads(struct script *s)
{
    for (int i = 0; i < 4; i++) {
        cast_edges(s);
        script_trained(s, "aten::binary_cross_entropy_with_logits",
                       "[[8,64,64],[8,64,64],[],[],[]]", 300);
    }
}

static void frozen_weights(struct script *s)
{
    for (int i = 0; i < 4; i++) {
        cast(s, "[[256,256],[],[],[],[]]", 256 * 256 * F32_TO_BF16);
        script_trained(s, "aten::matmul", "[[8,64,256],[256,256]]", 300);
    }
    for (int i = 0; i < 4; i++) { /* kept as bytes */
        cast(s, "[[256,256],[],[],[],[]]", 256 * 256 * BOOL_TO_F32);
        script_trained(s, "aten::matmul", "[[8,64,256],[256,256]]", 300);
    }
}

static void casts_of_other_numbers_are_fine(void **state)
{
    (void)state;
    told(edges_that_differ, NULL, 0);
    told(a_part_at_a_time, NULL, 0);
    told(source_and_target, NULL, 0);
    told(several_inputs_in_a_row, NULL, 0);
    told(inputs_of_towers, NULL, 0);
    told(targets_of_several_heads, NULL, 0);
    told(frozen_weights, NULL, 0);
}

/* Bytes made numbers, image by image and of many sizes, before the model. */
static void very_many_inputs(struct script *s)
{
    char shapes[64];
    for (int i = 0; i < 16000; i++)
        cast_edges(s);
    for (int i = 0; i < 16000; i++) {
        snprintf(shapes, sizeof shapes, "[[%d,8],[],[],[],[]]", i + 1);
        cast(s, shapes, (int64_t)(i + 1) * 8 * BOOL_TO_F32);
    }
    use_edges(s);
}

static void very_many_casts_take_no_longer_each(void **state)
{
    /* of the processor: a fraction of a second, minutes where each is held against all */
    enum { BOUND_S = 15 };
    (void)state;
    clock_t begin = clock();
    told(very_many_inputs, NULL, 0);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < BOUND_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_norm_by_hand_would_be_one_pass),
        cmocka_unit_test(a_comparison_does_not_end_a_chain),
        cmocka_unit_test(a_chain_whose_call_was_measured_gains_what_the_call_does),
        cmocka_unit_test(a_call_that_is_no_faster_is_not_told),
        cmocka_unit_test(a_few_passes_and_passes_outside_the_model_are_fine),
        cmocka_unit_test(copies_that_nothing_asks_for_are_told),
        cmocka_unit_test(what_there_is_none_of_is_not_told),
        cmocka_unit_test(copies_that_something_needs_are_fine),
        cmocka_unit_test(the_same_cast_in_each_layer_is_told_but_for_the_first),
        cmocka_unit_test(casts_of_other_numbers_are_fine),
        cmocka_unit_test(very_many_casts_take_no_longer_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
