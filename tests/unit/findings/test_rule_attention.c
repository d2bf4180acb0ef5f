/* attention-unfused and qkv-unfused. */
#include "unit/findings/ops_fixture.h"

#define QKV "[[2,4,64,16],[2,4,16,64]]"
#define SCORES "[[2,4,64,64],[]]"
#define VALUES "[[2,4,64,64],[2,4,64,16]]"

/* One layer; returns its first number of autograd. */
static int64_t plain_attention(struct script *s)
{
    int64_t first = script_trained(s, "aten::matmul", QKV, 400);
    script_trained(s, "aten::div", SCORES, 100);
    script_op(s, "aten::slice", "[[1024,1024],[],[],[],[]]", 2);
    script_trained(s, "aten::masked_fill", "[[2,4,64,64],[64,64],[]]", 100);
    script_trained(s, "aten::softmax", "[[2,4,64,64],[],[]]", 200);
    script_trained(s, "aten::matmul", VALUES, 400);
    return first;
}

static void train(struct script *s, int64_t (*layer)(struct script *))
{
    script_init(s);
    for (int step = 0; step < 2; step++) {
        script_step_begin(s);
        int64_t first =
            script_trained(s, "aten::linear", "[[2,64,64],[192,64],[192]]", 2000);
        layer(s);
        script_backward(s, first, 500);
        script_step_end(s);
    }
}

static void scores_through_memory_are_told_with_their_backward(void **state)
{
    (void)state;
    struct script s;
    train(&s, plain_attention);
    script_find(&s);
    const struct finding *f = script_must_tell(&s, "attention-unfused");
    /* what is no product: 400 forward with the way to the next op, 3 nodes of 500 */
    assert_int_equal(f->price, PRICE_MODELLED);
    assert_float_equal(script_gain_us(f), 402 + 4 + 3 * 500, 10);
    assert_true(f->holds_ns > f->gain_ns);
    assert_non_null(strstr(f->evidence, "8 by 64 by 64"));
    script_release(&s);
}

static int64_t attention_of_flat_heads(struct script *s)
{
    int64_t first =
        script_trained(s, "aten::baddbmm", "[[8,64,64],[8,64,16],[8,16,64],[],[]]", 400);
    script_op(s, "aten::view", "[[8,64,64],[]]", 2);
    script_trained(s, "aten::add", "[[2,4,64,64],[2,1,64,64],[]]", 300);
    script_trained(s, "aten::softmax", "[[2,4,64,64],[],[]]", 200);
    script_trained(s, "aten::dropout", "[[2,4,64,64],[],[]]", 200);
    script_op(s, "aten::view", "[[2,4,64,64],[]]", 2);
    script_trained(s, "aten::bmm", "[[8,64,64],[8,64,16]]", 400);
    return first;
}

static void heads_in_one_dimension_are_seen_too(void **state)
{
    (void)state;
    struct script s;
    train(&s, attention_of_flat_heads);
    script_find(&s);
    script_must_tell(&s, "attention-unfused");
    script_release(&s);
}

static int64_t fused_attention(struct script *s)
{
    return script_trained(s, "aten::scaled_dot_product_attention",
                          "[[2,4,64,16],[2,4,64,16],[2,4,64,16],[],[],[],[],[]]", 800);
}

static int64_t classes(struct script *s)
{
    int64_t first = script_trained(s, "aten::linear", "[[2,64,64],[32,64],[32]]", 800);
    script_trained(s, "aten::softmax", "[[2,64,32],[],[]]", 800);
    script_trained(s, "aten::matmul", "[[2,32,64],[64,16]]", 800);
    return first;
}

static void fused_attention_and_other_softmaxes_are_fine(void **state)
{
    (void)state;
    struct script s;
    train(&s, fused_attention);
    script_find(&s);
    script_is_silent(&s);
    script_release(&s);
    train(&s, classes);
    script_find(&s);
    script_is_silent(&s);
    script_release(&s);
}

/* --- queries, keys, values --- */

/* linear calls a product, whose work is counted. */
static void linear(struct script *s, const char *shapes, const char *product,
                   int64_t flop, int64_t us)
{
    script_open(s, SPAN_KIND_OP, "aten::linear", shapes);
    script_open(s, SPAN_KIND_OP, "aten::mm", product);
    s->open[s->depth - 1].flop = flop;
    s->open[s->depth - 1].correlation = s->number++;
    s->now_us += us;
    script_close(s);
    script_close(s);
    s->now_us++;
}

enum three { THREE_FOR_ATTENTION, THREE_WITH_ACTIVATIONS, THREE_LAYERS };

static void three_products(struct script *s, int64_t wide_us, enum three what)
{
    script_init(s);
    for (int step = 0; step < 2; step++) {
        script_step_begin(s);
        int64_t first = s->number;
        for (int i = 0; i < 3; i++) {
            linear(s, "[[2,32,128],[128,128],[]]", "[[64,128],[128,128]]", 2097152, 400);
            script_op(s, "aten::view", "[[2,32,128],[]]", 2);
            if (what == THREE_WITH_ACTIVATIONS)
                script_trained(s, "aten::gelu", "[[2,32,128],[]]", 100);
        }
        if (what == THREE_FOR_ATTENTION) {
            script_trained(s, "aten::mul", "[[2,4,32,32],[32]]", 5);
            script_trained(s, "aten::scaled_dot_product_attention",
                           "[[2,4,32,32],[2,4,32,32],[2,4,32,32],[],[],[],[],[]]", 100);
        }
        linear(s, "[[2,32,128],[512,128],[]]", "[[64,128],[128,512]]", 8388608, wide_us);
        script_backward(s, first, 600);
        script_step_end(s);
    }
}

static void three_products_are_priced_at_the_best_rate_of_the_run(void **state)
{
    (void)state;
    struct script s;
    three_products(&s, 800,
                   THREE_FOR_ATTENTION); /* four times the work in twice the time */
    script_find(&s);
    const struct finding *f = script_must_tell(&s, "qkv-unfused");
    assert_int_equal(f->price, PRICE_MODELLED);
    assert_float_equal(script_gain_us(f), 0.5 * 3 * (400 + 600), 20);
    assert_true(f->gain_low_ns <= 0); /* it may gain nothing */
    script_release(&s);
}

static void products_at_the_best_rate_gain_nothing(void **state)
{
    (void)state;
    struct script s;
    three_products(&s, 2000, THREE_FOR_ATTENTION);
    script_find(&s);
    script_is_silent(&s);
    script_release(&s);
}

static void
products_with_something_between_or_no_attention_after_them_are_layers(void **state)
{
    (void)state;
    struct script s;
    three_products(&s, 800, THREE_WITH_ACTIVATIONS);
    script_find(&s);
    script_is_silent(&s);
    script_release(&s);
    three_products(&s, 800, THREE_LAYERS);
    script_find(&s);
    script_is_silent(&s);
    script_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_through_memory_are_told_with_their_backward),
        cmocka_unit_test(heads_in_one_dimension_are_seen_too),
        cmocka_unit_test(fused_attention_and_other_softmaxes_are_fine),
        cmocka_unit_test(three_products_are_priced_at_the_best_rate_of_the_run),
        cmocka_unit_test(products_at_the_best_rate_gain_nothing),
        cmocka_unit_test(
            products_with_something_between_or_no_attention_after_them_are_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
