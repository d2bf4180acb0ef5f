/* Changes that leave the model as it is are told as such, and each planted fault is
 * caught, by the parameter's name where it is one parameter's. */
#include "cmocka_setup.h"

#ifndef GAIT_TRAIN
int main(void)
{
    return 77; /* there is no trainer in this build */
}
#else
#include "planted_faults.h"
#include "verify/same_model.h"

enum { STEPS = 5 };

/* As the gates have it: proof_gates.c. */
static const double LOGITS = 1e-4, GRADIENT = 1e-3, MOVEMENT = 1e-2, LOSS = 1e-4;

static void small(struct config *c)
{
    config_init(c);
    c->layers = 3;
    c->heads = 2;
    c->width = 32;
    c->context = 16;
    c->batch_size = 8;
    c->steps = 40;
    c->warmup_steps = 0;
    c->builtin_chars = 20000;
    c->threads = 2;
}

static void set(struct config *c, const char *key, const char *value)
{
    struct err err = ERR_INIT;
    if (key)
        assert_int_equal(config_set(c, key, value, &err), STATUS_OK);
}

/* The second trainer has another setting, or a fault (FAULT_COUNT: none). */
static struct same_model compare(const char *key, const char *value,
                                 enum planted_fault fault)
{
    struct config config[2];
    struct trainer *t = mem_zalloc(2, sizeof *t);
    struct same_model m;
    struct err err = ERR_INIT;
    for (int i = 0; i < 2; i++) {
        small(&config[i]);
        set(&config[i], i ? key : NULL, value);
        assert_int_equal(trainer_open(&t[i], &config[i], &err), STATUS_OK);
    }
    plant_fault(&t[1], fault);
    assert_int_equal(same_model_compare(&m, &t[0], &t[1], STEPS, &err), STATUS_OK);
    for (int i = 0; i < 2; i++) {
        trainer_close(&t[i], STATUS_OK);
        config_release(&config[i]);
    }
    unplant_fault();
    mem_free(t);
    return m;
}

static void assert_same(const char *key, const char *value)
{
    struct same_model m = compare(key, value, FAULT_COUNT);
    assert_string_equal(m.not_comparable, "");
    print_message("%s %s: logits %.2g, gradients %.2g (%s), movement %.2g (%s), loss "
                  "%.2g, %zu untold of %zu\n",
                  key ? key : "nothing", value, m.logits, m.gradient.error,
                  m.gradient.name, m.movement.error, m.movement.name, m.loss, m.untold,
                  m.parameters);
    assert_true(m.logits <= LOGITS);
    assert_true(m.gradient.error <= GRADIENT);
    assert_true(m.movement.error <= MOVEMENT);
    assert_true(m.loss <= LOSS);
}

static void the_same_settings_are_the_same_model(void **state)
{
    (void)state;
    struct same_model m = compare(NULL, "", FAULT_COUNT);
    assert_true(m.logits == 0 && m.gradient.error == 0 && m.movement.error == 0);
    assert_true(m.loss == 0);
    assert_false(m.other_weights);
}

static void other_kernels_are_the_same_model(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* a minute; the kernels have tests of their own */
#endif
    assert_same("engine", "reference");
    assert_same("attention", "plain");
    assert_same("fused_qkv", "false");
    assert_same("recompute", "true");
    assert_same("gradient_accumulation", "2");
    assert_same("threads", "1");
    assert_same("threads", "3"); /* more than the first has memory for */
}

static void other_models_are_not_compared(void **state)
{
    (void)state;
    assert_non_null(
        strstr(compare("width", "64", FAULT_COUNT).not_comparable, "different models"));
    assert_non_null(
        strstr(compare("layers", "2", FAULT_COUNT).not_comparable, "different models"));
    assert_non_null(
        strstr(compare("batch_size", "4", FAULT_COUNT).not_comparable, "4 of 16"));
    assert_non_null(
        strstr(compare("seed", "5", FAULT_COUNT).not_comparable, "other data"));
}

/* A setting that changes what is learned shows in the movement alone. */
static void another_learning_rate_is_told(void **state)
{
    (void)state;
    struct same_model m = compare("learning_rate", "0.002", FAULT_COUNT);
    assert_true(m.gradient.error == 0);
    assert_true(m.movement.error > 0.5);
}

static void a_gradient_of_zero_is_caught_by_name(void **state)
{
    (void)state;
    struct same_model m = compare(NULL, "", FAULT_NO_GRADIENT);
    assert_true(m.gradient.error > 0.9);
    assert_string_equal(m.gradient.name, "h.1.mlp.c_fc.weight");
    assert_true(m.logits == 0); /* what is not learned does not show at once */
    assert_true(m.loss < 0.1);
}

static void a_parameter_that_does_not_move_is_caught_by_name(void **state)
{
    (void)state;
    struct same_model m = compare(NULL, "", FAULT_FROZEN);
    assert_true(m.gradient.error == 0);
    assert_true(m.movement.error > 0.5);
    assert_string_equal(m.movement.name, "h.1.ln_2.weight");
}

static void wrong_forward_passes_are_caught(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* half a minute; what is compared is compared above, too */
#endif
    static const enum planted_fault fault[] = {FAULT_TRANSPOSED, FAULT_SEES_AHEAD,
                                               FAULT_DROPS_OUT};
    for (size_t i = 0; i < sizeof fault / sizeof *fault; i++) {
        struct same_model m = compare(NULL, "", fault[i]);
        print_message("%s: logits %.2g, gradients %.2g (%s)\n", fault_text[fault[i]],
                      m.logits, m.gradient.error, m.gradient.name);
        assert_true(m.logits > 3 * LOGITS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_settings_are_the_same_model),
        cmocka_unit_test(other_kernels_are_the_same_model),
        cmocka_unit_test(other_models_are_not_compared),
        cmocka_unit_test(another_learning_rate_is_told),
        cmocka_unit_test(a_gradient_of_zero_is_caught_by_name),
        cmocka_unit_test(a_parameter_that_does_not_move_is_caught_by_name),
        cmocka_unit_test(wrong_forward_passes_are_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
