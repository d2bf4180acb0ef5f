/* elementwise-chain: passes over memory. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_norm_by_hand_would_be_one_pass),
        cmocka_unit_test(a_comparison_does_not_end_a_chain),
        cmocka_unit_test(a_chain_whose_call_was_measured_gains_what_the_call_does),
        cmocka_unit_test(a_call_that_is_no_faster_is_not_told),
        cmocka_unit_test(a_few_passes_and_passes_outside_the_model_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
