/* precision-f32, and jobs of which no rule about operators has anything to tell. */
#include "unit/findings/ops_fixture.h"

static void product(struct script *s, int64_t us)
{
    script_open(s, SPAN_KIND_OP, "aten::linear", "[[64,64],[64,64],[64]]");
    script_open(s, SPAN_KIND_OP, "aten::addmm", "[[64],[64,64],[64,64],[],[]]");
    s->open[s->depth - 1].flop = 524288;
    s->open[s->depth - 1].correlation = s->number++;
    s->now_us += us;
    script_close(s);
    script_close(s);
    s->now_us++;
}

static void train(struct script *s)
{
    script_init(s);
    for (int step = 0; step < 2; step++) {
        script_step_begin(s);
        int64_t first = s->number;
        product(s, 1000);
        product(s, 1000);
        script_backward(s, first, 2000);
        script_step_end(s);
    }
    script_close_recording(s);
}

static void work(struct script *s, const char *key, double flop)
{
    run_add_fact(&s->run, 0, key, flop, "flop", ORIGIN_MODELLED, "by hand");
}

static void measured(struct script *s, int64_t now_us, int64_t instead_us)
{
    replacements_add(
        &s->run.replacements,
        (struct replacement){.rule = names_add_z(&s->run.names, "precision-f32"),
                             .subject = names_add_z(&s->run.names, "Model"),
                             .how = names_add_z(&s->run.names, "autocast"),
                             .now_ns = now_us * 1000,
                             .instead_ns = instead_us * 1000});
}

static void a_measured_model_in_bfloat16_is_priced_as_a_whole(void **state)
{
    (void)state;
    struct script s;
    train(&s);
    work(&s, "work.flop.f32", 1e9);
    measured(&s, 6000, 3500);
    script_find(&s);
    const struct finding *f = script_must_tell(&s, "precision-f32");
    assert_int_equal(f->price, PRICE_MEASURED);
    assert_float_equal(script_gain_us(f), 6002 - 3500, 10);
    script_release(&s);
}

static void a_part_that_was_left_in_float32_is_told_where_measured(void **state)
{
    (void)state;
    for (int is_measured = 0; is_measured < 2; is_measured++) {
        struct script s;
        train(&s);
        work(&s, "work.flop.f32", 2e8);
        work(&s, "work.flop.bf16", 8e8);
        if (is_measured)
            measured(&s, 6000, 5000);
        script_find(&s);
        if (is_measured)
            assert_float_equal(script_gain_us(script_must_tell(&s, "precision-f32")),
                               1000, 10);
        else
            script_is_silent(&s);
        script_release(&s);
    }
}

static void without_a_measurement_a_host_says_nothing(void **state)
{
    (void)state;
    struct script s;
    train(&s);
    work(&s, "work.flop.f32", 1e9);
    script_find(&s);
    script_is_silent(&s);
    script_release(&s);
}

static void lower_precision_that_is_there_or_does_not_pay_is_fine(void **state)
{
    (void)state;
    struct script s;
    train(&s);
    work(&s, "work.flop.f32", 1e8);
    work(&s, "work.flop.bf16", 9e8);
    measured(&s, 6000, 3500);
    script_find(&s);
    script_is_silent(&s);
    script_release(&s);
    train(&s);
    work(&s, "work.flop.f32", 1e9);
    measured(&s, 6000, 6400);
    script_find(&s);
    script_is_silent(&s);
    script_release(&s);
}

/* --- healthy --- */

static void gpt_layer(struct script *s)
{
    script_trained(s, "aten::layer_norm", "[[8,64,64],[],[64],[64],[],[]]", 100);
    product(s, 900);
    script_op(s, "aten::view", "[[8,64,192],[]]", 2);
    script_trained(s, "aten::scaled_dot_product_attention",
                   "[[8,4,64,16],[8,4,64,16],[8,4,64,16],[],[],[],[],[]]", 600);
    script_op(s, "aten::transpose", "[[8,4,64,16],[],[]]", 2);
    script_copy(s, "aten::contiguous", "[[8,64,4,16],[]]", 262144, 80);
    script_op(s, "aten::view", "[[8,64,4,16],[]]", 2);
    product(s, 300);
    script_trained(s, "aten::dropout", "[[8,64,64],[],[]]", 60);
    script_trained(s, "aten::add", "[[8,64,64],[8,64,64],[]]", 60);
    script_trained(s, "aten::layer_norm", "[[8,64,64],[],[64],[64],[],[]]", 100);
    product(s, 1200);
    script_trained(s, "aten::gelu", "[[8,64,256],[]]", 200);
    product(s, 1200);
    script_trained(s, "aten::add", "[[8,64,64],[8,64,64],[]]", 60);
}

static void cnn_layer(struct script *s)
{
    script_trained(s, "aten::conv2d", "[[8,32,16,16],[32,32,3,3],[],[],[],[],[]]", 1000);
    script_trained(s, "aten::batch_norm", "[[8,32,16,16],[32],[32],[32],[32]]", 200);
    script_trained(s, "aten::add", "[[8,32,16,16],[8,32,16,16],[]]", 100);
    script_trained(s, "aten::relu", "[[8,32,16,16]]", 100);
}

static void mlp_layer(struct script *s)
{
    product(s, 1000);
    script_trained(s, "aten::relu", "[[64,64]]", 100);
}

static void a_healthy_job_hears_nothing(void **state)
{
    (void)state;
    void (*const layers[])(struct script *) = {gpt_layer, cnn_layer, mlp_layer};
    for (size_t m = 0; m < sizeof layers / sizeof *layers; m++) {
        struct script s;
        script_init(&s);
        for (int step = 0; step < 3; step++) {
            script_step_begin(&s);
            script_op(&s, "aten::arange", "[[],[],[],[],[]]", 5);
            int64_t first = s.number;
            script_trained(&s, "aten::embedding", "[[512,64],[8,64],[],[],[]]", 100);
            for (int k = 0; k < 4; k++)
                layers[m](&s);
            script_trained(&s, "aten::cross_entropy_loss", "[[512,512],[512],[],[],[]]",
                           300);
            script_open(&s, SPAN_KIND_ANNOTATION, "Optimizer.zero_grad#AdamW.zero_grad",
                        "");
            script_close(&s);
            script_op(&s, "aten::ones_like", "[[],[],[],[],[],[]]", 5);
            script_backward(&s, first, 500);
            for (int k = 0; k < 20; k++) {
                script_node_open(&s, "torch::autograd::AccumulateGrad", 0);
                script_op(&s, "aten::detach", "[[64,64]]", 2);
                script_close(&s);
            }
            script_op(&s, "aten::_foreach_norm", "[[[64,64],[64]],[],[]]", 100);
            script_op(&s, "aten::_foreach_mul_", "[[[64,64],[64]],[]]", 100);
            script_open(&s, SPAN_KIND_ANNOTATION, "Optimizer.step#AdamW.step", "");
            script_op(&s, "aten::_fused_adamw_", "[[[64,64],[64]]]", 400);
            script_close(&s);
            script_step_end(&s);
        }
        script_find(&s);
        script_is_silent(&s);
        script_release(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_measured_model_in_bfloat16_is_priced_as_a_whole),
        cmocka_unit_test(a_part_that_was_left_in_float32_is_told_where_measured),
        cmocka_unit_test(without_a_measurement_a_host_says_nothing),
        cmocka_unit_test(lower_precision_that_is_there_or_does_not_pay_is_fine),
        cmocka_unit_test(a_healthy_job_hears_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
