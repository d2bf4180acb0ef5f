#include "base/log.h"
#include "engine/engine.h"
#include "run/run.h"
#include "train/train.h"
#include "train_fixture.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static void profile(struct config *c, struct run *run)
{
    struct err err = ERR_INIT;
    run_init(run);
    if (train_profile(c, false, run, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(run_check(run, &err), STATUS_OK);
}

/* Larger than the other tests' model: a step must last long against the clock. */
static void phases_add_up_to_the_step(void **state)
{
    (void)state;
    struct config c;
    struct run run;
    small_config(&c);
    c.width = 64;
    c.context = 64;
    c.profile_steps = 20;
    profile(&c, &run);
    assert_int_equal(run.steps.table.n, 20);
    assert_int_equal(run.steps.number[0], c.profile_warmup);
    int64_t phases_ns = 0, steps_ns = 0;
    bool seen[PHASE_COUNT] = {false};
    for (size_t i = 0; i < run.phases.table.n; i++) {
        seen[run.phases.phase[i]] = true;
        if (run.phases.phase[i] != PHASE_UNATTRIBUTED)
            phases_ns += run.phases.ns[i];
    }
    for (size_t i = 0; i < run.steps.table.n; i++)
        steps_ns += run.steps.end_ns[i] - run.steps.begin_ns[i];
    assert_true(fabs((double)phases_ns / (double)steps_ns - 1) < 0.01);
    for (int p = PHASE_DATA; p <= PHASE_OTHER; p++)
        assert_true(seen[p]);
    run_release(&run);
    config_release(&c);
}

static void a_run_in_bf16_says_what_f32_would_take(void **state)
{
    (void)state;
    static const char *const precisions[] = {"f32", "bf16"};
    for (int i = 0; i < 2; i++) {
        struct config c;
        struct run run;
        small_config(&c);
        assert_int_equal(config_set(&c, "precision", precisions[i], NULL), STATUS_OK);
        profile(&c, &run);
        double f32_ns = run_fact(&run, 0, "train.f32_products_ns");
        double bf16_ns = run_fact(&run, 0, "train.bf16_products_ns");
        assert_true(i ? f32_ns > 0 && bf16_ns > 0 : isnan(f32_ns) && isnan(bf16_ns));
        run_release(&run);
        config_release(&c);
    }
}

static int64_t op_count(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->ops.table.n; i++)
        if (!strcmp(run_name(run, run->ops.name[i]), name))
            return run->ops.count[i];
    return 0;
}

static void every_op_of_every_step_is_recorded(void **state)
{
    (void)state;
    struct config c;
    struct run run;
    small_config(&c);
    profile(&c, &run);
    int64_t n = c.profile_steps;
    assert_int_equal(op_count(&run, "qkv.forward"), n * c.layers);
    assert_int_equal(op_count(&run, "attention.backward"), n * c.layers);
    assert_int_equal(op_count(&run, "layernorm.backward"), n * (2 * c.layers + 1));
    assert_int_equal(op_count(&run, "head.backward_weight"), n);
    assert_int_equal(op_count(&run, "adamw"), n);
    assert_int_equal(run.ranks.events_skipped[0], 0); /* nothing was dropped */
    run_release(&run);
    config_release(&c);
}

static void losses_memory_and_settings_are_in_the_run(void **state)
{
    (void)state;
    struct config c;
    struct run run;
    int64_t classes = 0, total = 0;
    bool resident = false;
    small_config(&c);
    profile(&c, &run);
    assert_int_equal(run.losses.table.n, c.profile_steps);
    assert_int_equal(run.losses.step[0], c.profile_warmup);
    for (size_t i = 0; i < run.losses.table.n; i++)
        assert_true(run.losses.loss[i] > 0 && run.losses.gradient_norm[i] > 0);
    for (size_t i = 0; i < run.memories.table.n; i++) {
        bool planned = run.memories.what[i] <= MEMORY_CLASS_DATA;
        assert_int_equal(run.memories.origin[i],
                         planned ? ORIGIN_MODELLED : ORIGIN_MEASURED);
        if (planned)
            classes += run.memories.bytes[i];
        if (run.memories.what[i] == MEMORY_CLASS_ALLOCATED)
            total += run.memories.bytes[i];
        resident |= run.memories.what[i] == MEMORY_CLASS_PROCESS;
    }
    assert_true(resident);
    /* taken as planned, but for the end of the last page */
    assert_true(classes > 0 && total >= classes);
    assert_true(total - classes < sysconf(_SC_PAGESIZE));
    assert_true(run_fact(&run, 0, "config.batch_size") == 4);
    assert_true(run_fact(&run, 0, "train.tokens_per_step") == 4 * 8);
    assert_true(run_fact(&run, 0, "train.parameters") > 0);
    run_release(&run);
    config_release(&c);
}

/* Pairs of steps of the rule, after which the run is still whole. */
static size_t pairs_of(const struct run *run, const char *rule, const char *now,
                       const char *instead, size_t *faster)
{
    const struct replacements *r = &run->replacements;
    size_t n = 0;
    *faster = 0;
    for (size_t i = 0; i < r->table.n; i++) {
        if (strcmp(run_name(run, r->rule[i]), rule))
            continue;
        assert_string_equal(run_name(run, r->subject[i]), now);
        assert_string_equal(run_name(run, r->how[i]), instead);
        assert_true(r->now_ns[i] > 0 && r->instead_ns[i] > 0);
        assert_int_equal(r->round[i], n);
        *faster += r->instead_ns[i] < r->now_ns[i];
        n++;
    }
    return n;
}

static void settings_that_may_cost_time_are_tried_in_turns(void **state)
{
    (void)state;
    struct config c;
    struct run run;
    struct err err = ERR_INIT;
    small_config(&c);
    assert_int_equal(config_set(&c, "attention", "plain", NULL), STATUS_OK);
    assert_int_equal(config_set(&c, "engine", "reference", NULL), STATUS_OK);
    assert_int_equal(config_set(&c, "fused_qkv", "false", NULL), STATUS_OK);
    c.width = 256;
    c.threads = 1; /* one a core is tried as well, and one is there again afterwards */
    run_init(&run);
    if (train_profile(&c, true, &run, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(run_check(&run, &err), STATUS_OK);
    size_t faster, n;
    assert_true(pairs_of(&run, "trainer-plain-attention", "attention: plain",
                         "attention: tiled", &faster) >= 5);
    assert_true(pairs_of(&run, "trainer-unfused", "fused_qkv: false", "fused_qkv: true",
                         &faster) >= 5);
    n = pairs_of(&run, "trainer-engine", "engine: reference", "engine: auto", &faster);
    assert_true(n >= 5 && faster == n); /* many times, wherever this runs */
    assert_int_equal(engine_threads(), c.threads);
    run_release(&run);
    config_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_in_bf16_says_what_f32_would_take),
        cmocka_unit_test(settings_that_may_cost_time_are_tried_in_turns),
        cmocka_unit_test(phases_add_up_to_the_step),
        cmocka_unit_test(every_op_of_every_step_is_recorded),
        cmocka_unit_test(losses_memory_and_settings_are_in_the_run),
    };
    log_quiet(true);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
