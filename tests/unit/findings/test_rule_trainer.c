/* Switches of Gait's own trainer. */
#include "job_run.h"
#include <math.h>

static void setting(struct job_run *j, const char *key, const char *text)
{
    run_add_fact_text(&j->run, 0, key, text, ORIGIN_GIVEN);
}

/* A step of 100 ms: forward 40, backward 55, optimizer 5. */
static void job_trainer_of(struct job_run *j, const char *model)
{
    job_begin(j, RUN_SOURCE_TRAINER);
    for (int32_t s = 0; s < STEPS; s++) {
        job_span(j, 0, j->lane[0], SPAN_KIND_PHASE, "forward", s, 0, 40000);
        job_span(j, 0, j->lane[0], SPAN_KIND_PHASE, "backward", s, 40000, 55000);
        job_span(j, 0, j->lane[0], SPAN_KIND_PHASE, "optimizer", s, 95000, 5000);
        phases_add(&j->run.phases,
                   (struct phase_time){
                       .rank = 0, .step = s, .phase = PHASE_FORWARD, .ns = 40000000});
    }
    job_op(j, "adamw", 95100, 4800);
    setting(j, "config.model", model);
    job_fact(j, "train.threads", 2);
    job_fact(j, "machine.cores_usable", 2);
    job_fact(j, "config.batch_size", 12);
    job_fact(j, "config.layers", 4);
}

static void job_trainer(struct job_run *j)
{
    job_trainer_of(j, "gpt2");
}

static void set_flop(struct job_run *j, const char *name, int64_t flop)
{
    for (size_t i = 0; i < j->run.spans.table.n; i++)
        if (!strcmp(run_name(&j->run, j->run.spans.name[i]), name))
            j->run.spans.flop[i] = flop;
}

static void defaults_get_no_finding(void **state)
{
    struct job_run j;
    (void)state;
    job_trainer(&j);
    job_op(&j, "mlp_down.forward", 100, 39000);
    job_op(&j, "mlp_down.backward_weight", 40100, 54000);
    setting(&j, "config.attention", "tiled");
    setting(&j, "config.precision", "bf16");
    job_fact(&j, "config.recompute", 0);
    job_fact(&j, "config.fused_qkv", 1);
    job_fact(&j, "config.fused_gate_up", 1);
    job_fact(&j, "config.eval_interval", 500);
    job_fact(&j, "config.eval_batches", 100);
    job_fact(&j, "config.eval_batch_size", 0);
    job_fact(&j, "config.checkpoint_interval", 0);
    struct job_found f = job_find(&j);
    job_expect_silence(&f);
    assert_true(f.findings->checked >= 7);
    job_done(&j, &f);
}

static void threads_that_do_not_fit_are_told_either_way(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 8; threads += 7) {
        struct job_run j;
        job_trainer(&j);
        j.run.facts.value[1] = threads; /* train.threads */
        job_op(&j, "mlp_down.forward", 100, 39000);
        struct job_found f = job_find(&j);
        job_expect(&f, "trainer-threads");
        job_done(&j, &f);
    }
}

static void plain_attention_lies_between_now_and_its_flops(void **state)
{
    struct job_run j;
    (void)state;
    job_trainer(&j);
    job_op(&j, "attention.forward", 100, 10000);
    job_op(&j, "attention.backward", 40100, 20000);
    set_flop(&j, "attention.forward", 1000000);
    set_flop(&j, "attention.backward", 2000000);
    setting(&j, "config.attention", "plain");
    job_fact(&j, "ceiling.f32_flop_per_s", 3e8); /* 10 ms */
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "trainer-plain-attention");
    assert_gain_us(x, 10000);
    assert_true(x->gain_low_ns <= 0 && x->gain_high_ns >= 20e6);
    job_done(&j, &f);
}

static void unfused_products_could_be_as_fast_as_larger_ones(void **state)
{
    struct job_run j;
    (void)state;
    job_trainer(&j);
    job_op(&j, "qkv.forward", 100, 12000);
    job_op(&j, "mlp_down.forward", 12200, 10000);
    set_flop(&j, "qkv.forward", 600);
    set_flop(&j, "mlp_down.forward", 1000);
    job_fact(&j, "config.fused_qkv", 0);
    struct job_found f = job_find(&j);
    assert_gain_us(job_expect(&f, "trainer-unfused"), 3000);
    job_done(&j, &f);
}

static void of_two_switches_that_are_off_both_are_priced(void **state)
{
    struct job_run j;
    (void)state;
    job_trainer_of(&j, "llama");
    job_op(&j, "qkv.forward", 100, 12000);
    job_op(&j, "mlp_down.forward", 12200, 10000);
    job_op(&j, "mlp_up.forward", 22300, 14000);
    set_flop(&j, "qkv.forward", 600);
    set_flop(&j, "mlp_down.forward", 1000);
    set_flop(&j, "mlp_up.forward", 1000);
    job_fact(&j, "config.fused_qkv", 0);
    job_fact(&j, "config.fused_gate_up", 0);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "trainer-unfused");
    assert_gain_us(x, (12000 - 6000 + 14000 - 10000) / 2);
    assert_string_equal(x->where, "fused_qkv: false, fused_gate_up: false");
    job_done(&j, &f);
}

static void the_slower_precision_is_told_by_one_timed_linear(void **state)
{
    (void)state;
    const struct {
        const char *precision;
        double f32_ns, bf16_ns; /* 0: not timed */
        const char *told;
    } run[] = {{"bf16", 2e6, 5e6, "precision: f32"}, /* no bf16 instructions */
               {"bf16", 2e6, 0.5e6, NULL},           /* AMX */
               {"bf16", 2e6, 2.1e6, NULL},           /* as fast, within the spread */
               {"bf16", 0, 0, NULL},
               {"f32", 2e6, 5e6, NULL},
               {"f32", 5e6, 2e6, "precision: bf16"},
               {"f32", 2.1e6, 2e6, NULL},
               {"f32", 0, 0, NULL}};
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        struct job_run j;
        job_trainer(&j);
        job_op(&j, "mlp_down.forward", 100, 30000);
        job_op(&j, "swiglu.forward", 30200, 4000); /* no product, nor the next one */
        job_op(&j, "rope.forward", 34300, 4000);
        setting(&j, "config.precision", run[i].precision);
        if (run[i].f32_ns > 0) {
            job_fact(&j, "train.f32_products_ns", run[i].f32_ns);
            job_fact(&j, "train.bf16_products_ns", run[i].bf16_ns);
        }
        struct job_found f = job_find(&j);
        if (run[i].told) {
            const struct finding *x = job_expect(
                &f, run[i].precision[0] == 'b' ? "trainer-bf16" : "trainer-f32");
            assert_gain_us(x, 18000); /* 30 ms become 12 */
            assert_true(x->gain_low_ns < 18e6 && x->gain_high_ns > 18e6);
            assert_non_null(strstr(x->evidence, "5.0 ms in "));
            assert_string_equal(finding_fix(x)->gait, run[i].told);
        } else {
            assert_null(job_finding(&f, "trainer-bf16"));
            assert_null(job_finding(&f, "trainer-f32"));
        }
        job_done(&j, &f);
    }
}

/* Pairs of steps with a setting and another one, as the trainer leaves them. */
static void tried(struct job_run *j, const char *rule, const char *now,
                  const char *instead, double now_ms, double instead_ms)
{
    static const double drift[] = {1, 1.1, 0.9, 1.05, 0.95}; /* of the machine */
    for (int i = 0; i < 5; i++)
        replacements_add(
            &j->run.replacements,
            (struct replacement){.rule = names_add_z(&j->run.names, rule),
                                 .subject = names_add_z(&j->run.names, now),
                                 .how = names_add_z(&j->run.names, instead),
                                 .round = i,
                                 .now_ns = (int64_t)(now_ms * drift[i] * 1e6),
                                 .instead_ns = (int64_t)(instead_ms * drift[i] * 1e6)});
}

static void a_setting_that_was_tried_has_the_price_of_its_steps(void **state)
{
    static const struct {
        const char *rule, *key, *now, *instead;
    } of[] = {
        {"trainer-threads", NULL, "threads: 1", "threads: 0"},
        {"trainer-engine", NULL, "engine: onednn", "engine: auto"},
        {"trainer-plain-attention", "attention", "attention: plain", "attention: tiled"},
        {"trainer-f32", "precision", "precision: f32", "precision: bf16"},
        {"trainer-bf16", "precision", "precision: bf16", "precision: f32"}};
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        for (int gains = 0; gains < 2; gains++) {
            struct job_run j;
            char key[64];
            job_trainer(&j);
            job_op(&j, "attention.forward", 100, 20000);
            job_op(&j, "mlp_down.forward", 20200, 20000);
            snprintf(key, sizeof key, "config.%s", of[i].key ? of[i].key : "");
            if (of[i].key)
                setting(&j, key, strchr(of[i].now, ' ') + 1);
            /* what a model of it would say does not count */
            job_fact(&j, "train.f32_products_ns", 2e6);
            job_fact(&j, "train.bf16_products_ns", 2e6);
            tried(&j, of[i].rule, of[i].now, of[i].instead, 100, gains ? 75 : 105);
            struct job_found f = job_find(&j);
            const struct finding *x = job_finding(&f, of[i].rule);
            if (gains) {
                assert_non_null(x);
                assert_int_equal(x->price, PRICE_RUN);
                assert_true(fabs(x->gain_ns / f.findings->step_ns - 0.25) < 0.01);
                assert_string_equal(x->where, of[i].now);
                assert_non_null(strstr(x->evidence, of[i].instead));
                assert_memory_equal(finding_fix(x)->gait, of[i].instead,
                                    strlen(of[i].instead));
            } else {
                assert_null(x);
            }
            job_done(&j, &f);
        }
    }
}

/* Pairs that tell no gain beyond doubt: some of them lost. */
static void what_may_gain_nothing_is_not_told(void **state)
{
    struct job_run j;
    (void)state;
    job_trainer(&j);
    job_op(&j, "mlp_down.forward", 100, 40000);
    tried(&j, "trainer-engine", "engine: onednn", "engine: auto", 20, 15);
    struct replacements *r = &j.run.replacements;
    r->instead_ns[1] = r->now_ns[1] * 11 / 10;
    struct job_found f = job_find(&j);
    assert_null(job_finding(&f, "trainer-engine"));
    job_done(&j, &f);
}

/* Two that were tried alone, of the same operators: what they gain together is not known to
 * be more than what one does. */
static void what_was_tried_alone_is_not_added_up(void **state)
{
    struct job_run j;
    (void)state;
    job_trainer(&j);
    job_op(&j, "mlp_down.forward", 100, 40000);
    job_op(&j, "mlp_down.backward_input", 40200, 54700);
    setting(&j, "config.attention", "plain");
    tried(&j, "trainer-engine", "engine: onednn", "engine: auto", 100, 50);
    tried(&j, "trainer-plain-attention", "attention: plain", "attention: tiled", 100, 60);
    struct job_found f = job_find(&j);
    job_expect(&f, "trainer-engine");
    job_expect(&f, "trainer-plain-attention");
    double frac = f.findings->together_gain_ns / f.findings->step_ns;
    assert_true(frac > 0.49 && frac < 0.75);
    job_done(&j, &f);
}

/* A step that waits for data as well is longer than the steps that were tried. */
static void what_a_step_waits_beside_stays(void **state)
{
    struct job_run j;
    (void)state;
    job_trainer(&j);
    job_op(&j, "mlp_down.forward", 100, 40000);
    tried(&j, "trainer-engine", "engine: onednn", "engine: auto", 20, 10);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "trainer-engine");
    assert_true(fabs(x->gain_ns / 10e6 - 1) < 0.05);
    job_done(&j, &f);
}

static void of_numbers_of_threads_the_best_is_told(void **state)
{
    struct job_run j;
    (void)state;
    job_trainer(&j);
    job_op(&j, "mlp_down.forward", 100, 40000);
    tried(&j, "trainer-threads", "threads: 4", "threads: 0", 20, 18);
    tried(&j, "trainer-threads", "threads: 4", "threads: 2", 20, 10);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "trainer-threads");
    assert_non_null(strstr(x->evidence, "threads: 2"));
    assert_string_equal(finding_fix(x)->gait, "threads: 2");
    job_done(&j, &f);
}

static void recomputation_is_told_only_where_memory_is_free(void **state)
{
    (void)state;
    for (int is_free = 0; is_free < 2; is_free++) {
        struct job_run j;
        job_trainer(&j);
        job_op(&j, "mlp_down.forward", 100, 30000);
        job_op(&j, "mlp_down.forward", 40100, 20000);
        memories_add(&j.run.memories, (struct memory){.rank = 0,
                                                      .device = -1,
                                                      .what = MEMORY_CLASS_ACTIVATIONS,
                                                      .bytes = 1000000});
        job_fact(&j, "config.recompute", 1);
        job_fact(&j, "machine.memory_available_bytes", is_free ? 1e9 : 5e6);
        struct job_found f = job_find(&j);
        if (is_free)
            assert_gain_us(job_expect(&f, "trainer-recompute"), 20000);
        else
            assert_null(job_finding(&f, "trainer-recompute"));
        job_done(&j, &f);
    }
}

static void validation_is_priced_by_its_forward_passes(void **state)
{
    struct job_run j;
    (void)state;
    job_trainer(&j);
    job_fact(&j, "config.eval_interval", 20);
    job_fact(&j, "config.eval_batches", 50);
    job_fact(&j, "config.eval_batch_size", 6);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "trainer-evaluation-often");
    /* 50 × 40 ms / 2, every 20 steps, then every 200 */
    assert_gain_us(x, 45000);
    assert_true(x->apart);
    job_done(&j, &f);
}

static void a_validation_without_end_is_told_as_long(void **state)
{
    struct job_run j;
    (void)state;
    job_trainer(&j);
    job_fact(&j, "config.eval_interval", 20);
    job_fact(&j, "config.eval_batches", 1e290);
    job_fact(&j, "config.eval_batch_size", 6);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "trainer-evaluation-often");
    assert_non_null(strstr(x->evidence, "takes about 2500000h 00m"));
    assert_true(x->gain_ns <= x->gain_high_ns); /* it is beside the step: not within it */
    job_done(&j, &f);
}

static void checkpoints_are_priced_at_the_rate_of_memory_at_least(void **state)
{
    struct job_run j;
    (void)state;
    job_trainer(&j);
    setting(&j, "config.checkpoint_dir", "out");
    job_fact(&j, "config.checkpoint_interval", 10);
    job_fact(&j, "train.parameters", 1e8);
    job_fact(&j, "ceiling.memory_bytes_per_s", 1e10);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "trainer-checkpoint-often");
    assert_gain_us(x, 10800);
    assert_true(x->gain_high_ns >= 100e6);
    job_done(&j, &f);
}

static void a_checkpoint_that_was_timed_is_its_price(void **state)
{
    struct job_run j;
    (void)state;
    job_trainer(&j);
    setting(&j, "config.checkpoint_dir", "out");
    job_fact(&j, "config.checkpoint_interval", 10);
    job_fact(&j, "train.parameters", 1e6);
    job_fact(&j, "ceiling.memory_bytes_per_s", 1e10);
    job_fact(&j, "train.checkpoint_seconds", 0.2);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "trainer-checkpoint-often");
    assert_gain_us(x, 18000);
    assert_int_equal(x->price, PRICE_INTERVAL);
    job_done(&j, &f);
}

static void without_a_folder_nothing_is_saved(void **state)
{
    struct job_run j;
    (void)state;
    job_trainer(&j);
    setting(&j, "config.checkpoint_dir", "");
    job_fact(&j, "config.checkpoint_interval", 10);
    job_fact(&j, "train.parameters", 1e8);
    job_fact(&j, "ceiling.memory_bytes_per_s", 1e10);
    struct job_found f = job_find(&j);
    job_expect_silence(&f);
    job_done(&j, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_get_no_finding),
        cmocka_unit_test(threads_that_do_not_fit_are_told_either_way),
        cmocka_unit_test(plain_attention_lies_between_now_and_its_flops),
        cmocka_unit_test(unfused_products_could_be_as_fast_as_larger_ones),
        cmocka_unit_test(of_two_switches_that_are_off_both_are_priced),
        cmocka_unit_test(the_slower_precision_is_told_by_one_timed_linear),
        cmocka_unit_test(a_setting_that_was_tried_has_the_price_of_its_steps),
        cmocka_unit_test(what_may_gain_nothing_is_not_told),
        cmocka_unit_test(what_was_tried_alone_is_not_added_up),
        cmocka_unit_test(what_a_step_waits_beside_stays),
        cmocka_unit_test(of_numbers_of_threads_the_best_is_told),
        cmocka_unit_test(recomputation_is_told_only_where_memory_is_free),
        cmocka_unit_test(validation_is_priced_by_its_forward_passes),
        cmocka_unit_test(a_validation_without_end_is_told_as_long),
        cmocka_unit_test(checkpoints_are_priced_at_the_rate_of_memory_at_least),
        cmocka_unit_test(a_checkpoint_that_was_timed_is_its_price),
        cmocka_unit_test(without_a_folder_nothing_is_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
