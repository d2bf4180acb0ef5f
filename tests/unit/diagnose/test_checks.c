#include "diagnose_fixture.h"

/* A change to the good facts, and the check that must tell of it. */
struct scene {
    struct training_facts f;
    struct config c;
    struct outcome o;
};

static void scene_init(struct scene *s)
{
    memset(s, 0, sizeof *s);
    good_facts(&s->f, &s->c);
}

static struct outcome *look(struct scene *s, check_fn *check)
{
    struct estimate e = estimate_time(&s->f);
    s->o = (struct outcome){.verdict = OUTCOME_UNKNOWN};
    check(&s->o, &s->f, &e);
    return &s->o;
}

static void is(struct scene *s, check_fn *check, enum outcome_verdict verdict,
               const char *text, const char *next)
{
    struct outcome *o = look(s, check);
    if (o->verdict != verdict || !strstr(o->text, text) || !strstr(o->next, next))
        fail_msg("%s: %s → %s", outcome_screen_text[o->verdict], o->text, o->next);
}

static void nothing_is_wrong_with_good_facts(void **state)
{
    (void)state;
    struct scene s;
    struct outcome out[CHECK_COUNT];
    scene_init(&s);
    struct estimate e = estimate_time(&s.f);
    checks_run(out, &s.f, &e);
    for (int i = 0; i < CHECK_COUNT; i++) {
        if (out[i].verdict != OUTCOME_OK)
            fail_msg("%s: %s", check_name[i], out[i].text);
        assert_true(*out[i].text);
        assert_string_equal(out[i].next, "");
    }
    config_release(&s.c);
}

static void settings_that_are_seldom_meant_are_warned_of(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.c.gradient_clip = 0;
    is(&s, check_gradient_clip, OUTCOME_WARN, "no clipping", "gradient_clip: 1.0");
    s.c.learning_rate = 0.5;
    is(&s, check_learning_rate_size, OUTCOME_WARN, "above", "learning_rate: 1.3e-03");
    s.c.learning_rate = 1e-6;
    is(&s, check_learning_rate_size, OUTCOME_WARN, "below", "learning_rate");
    s.c.warmup_steps = 700;
    is(&s, check_warm_up, OUTCOME_WARN, "700 of 1200", "warmup_steps: 120");
    s.c.log_interval = 1;
    is(&s, check_log_interval, OUTCOME_WARN, "1,200 lines", "log_interval: 12");
    config_release(&s.c);
}

/* Given weights are tuned at rates as low as one likes. */
static void a_low_rate_is_right_for_given_weights(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.c.learning_rate = 1e-6;
    assert_int_equal(config_set(&s.c, "init_from", "gpt2", NULL), STATUS_OK);
    is(&s, check_learning_rate_size, OUTCOME_OK, "", "");
    config_release(&s.c);
}

static void costs_are_judged_by_what_was_measured(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.c.eval_interval = 10; /* 120 validations of 0.3 s beside 12 s of steps */
    is(&s, check_validation_cost, OUTCOME_WARN, "120 validations of 300.0 ms take 300 %",
       "eval_interval: 300");
    s.c.eval_interval = 0;
    s.f.evaluation.ns = 3e9; /* one of 3 s */
    is(&s, check_validation_cost, OUTCOME_WARN, "1 validation", "eval_batches: 40");
    s.f.disk.wanted = true;
    s.f.checkpoint = (struct once_timed){.known = true, .ns = 60e6};
    s.c.checkpoint_interval = 20; /* each 200 ms */
    is(&s, check_checkpoint_cost, OUTCOME_WARN, "60 checkpoints of 60.0 ms take 30 %",
       "checkpoint_interval: 200");
    s.f.evaluation.known = false;
    s.f.evaluation.why_not = reason_of("the loss is nan");
    is(&s, check_validation_cost, OUTCOME_UNKNOWN, "not available: the loss is nan", "");
    config_release(&s.c);
}

static void long_trainings_need_validation_and_checkpoints(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.c.eval_interval = 0;
    is(&s, check_validation_interval, OUTCOME_OK, "", "");
    is(&s, check_checkpoint_interval, OUTCOME_OK, "no checkpoints", "");
    s.f.steps = 1200000; /* over three hours */
    is(&s, check_validation_interval, OUTCOME_WARN, "no validation before the end of 3h",
       "eval_interval: 120000");
    is(&s, check_checkpoint_interval, OUTCOME_WARN, "no checkpoint_dir",
       "checkpoint_dir: out");
    s.f.disk.wanted = true;
    is(&s, check_checkpoint_interval, OUTCOME_WARN, "at the end",
       "checkpoint_minutes: 10");
    s.c.checkpoint_minutes = 10;
    is(&s, check_checkpoint_interval, OUTCOME_OK, "21 checkpoints", "");
    config_release(&s.c);
}

static void data_is_held_against_batch_steps_and_model(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.f.data.windows = 5;
    is(&s, check_one_batch, OUTCOME_WARN, "5 sequences of 64 tokens and a batch 12",
       "batch_size: 5");
    s.f.data.windows = 1000; /* 14.4 epochs */
    is(&s, check_epochs, OUTCOME_WARN, "14.4 passes", "steps: 333");
    s.f.data.validation_batches = 1;
    is(&s, check_validation_part, OUTCOME_WARN, "single batch", "validation_fraction");
    s.f.data.train_tokens = 700000;
    is(&s, check_tokens_and_parameters, OUTCOME_WARN, "700 k tokens for 800 k parameters",
       "more text");
    s.f.model_vocabulary = 50257;
    is(&s, check_vocabulary, OUTCOME_WARN, "50,257 tokens and the data uses 65",
       "tokenizer");
    s.f.data.open_s = 12;
    is(&s, check_prepared, OUTCOME_WARN, "12.00 s", "gait data prepare");
    config_release(&s.c);
}

static void what_could_not_be_opened_fails_once_and_hides_the_rest(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.f.part = TRAINER_DATA;
    err_set(&s.f.failed, STATUS_INPUT, "cannot read my.txt: no such file");
    s.f.step.known = false;
    s.f.step.why_not = training_facts_why_not(&s.f);
    is(&s, check_data, OUTCOME_FAIL, "no such file", "dataset");
    is(&s, check_epochs, OUTCOME_UNKNOWN, "not available: the data could not be opened",
       "");
    is(&s, check_memory, OUTCOME_UNKNOWN, "not available", "");
    is(&s, check_step, OUTCOME_UNKNOWN, "not available", "");
    is(&s, check_validation_cost, OUTCOME_UNKNOWN, "not available", "");
    is(&s, check_settings, OUTCOME_OK, "", "");
    config_release(&s.c);
}

static void settings_that_only_the_data_betray_are_no_fault_of_the_data(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.f.part = TRAINER_LOADERS;
    err_set(&s.f.failed, STATUS_USAGE, "warmup_steps 100 is more than steps 20");
    is(&s, check_settings, OUTCOME_FAIL, "warmup_steps", "gait config my.yaml");
    assert_int_not_equal(look(&s, check_data)->verdict, OUTCOME_FAIL);
    config_release(&s.c);
}

static void a_plan_that_does_not_fit_names_what_does(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.c.batch_size = 512;
    s.f.part = TRAINER_MEMORY;
    s.f.plan_bytes = 12.0 * (1 << 30);
    s.f.fits = (struct what_fits){128, 4, true};
    is(&s, check_memory, OUTCOME_FAIL, "batch_size 512 needs 12.0 GiB",
       "Largest that fits: batch_size 128 (or 512 with recompute: true, or 512 with "
       "gradient_accumulation: 4, the same training)");
    s.f.fits = (struct what_fits){128, 0, false};
    is(&s, check_memory, OUTCOME_FAIL, "", "Largest that fits: batch_size 128");
    s.f.fits = (struct what_fits){0};
    is(&s, check_memory, OUTCOME_FAIL, "", "smaller context");
    s.f.part = TRAINER_COMPLETE;
    s.f.plan_bytes = 5e9; /* fits the machine, not beside what runs now */
    is(&s, check_memory, OUTCOME_WARN, "other programs hold memory", "batch_size");
    config_release(&s.c);
}

static void the_machine_is_held_against_the_settings(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.f.threads = 64;
    is(&s, check_threads, OUTCOME_WARN, "threads 64: this process may use 2 cores",
       "threads: 0");
    s.f.threads = 2;
    s.f.quota_cores = 1.5;
    is(&s, check_cpu_limit, OUTCOME_WARN, "1.5 CPUs", "threads: 1");
    assert_int_equal(config_set(&s.c, "precision", "bf16", NULL), STATUS_OK);
    is(&s, check_precision, OUTCOME_WARN, "3.0 ms against 1.0 ms", "precision: f32");
    s.f.precision.bf16_ns = 0.5e6;
    is(&s, check_precision, OUTCOME_OK, "", "");
    s.f.noise.others_cpus = 1.2;
    is(&s, check_other_programs, OUTCOME_WARN, "1.20 CPUs", "gait diagnose my.yaml");
    config_release(&s.c);
}

static void disks_hold_one_checkpoint_more_than_are_kept(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.f.disk.wanted = true;
    s.f.disk.checkpoint_bytes = 100e6;
    s.f.disk.free_bytes = 290e6;
    s.c.checkpoint_interval = 100; /* 12 of them, 2 kept */
    is(&s, check_disk_space, OUTCOME_FAIL, "need 300 MB, and 290 MB are free",
       "checkpoint_keep: 1");
    s.f.disk.free_bytes = 310e6;
    is(&s, check_disk_space, OUTCOME_WARN, "", "");
    s.f.disk.free_bytes = 350e6;
    is(&s, check_disk_space, OUTCOME_OK, "", "");
    s.c.checkpoint_keep = 0; /* all 12 */
    is(&s, check_disk_space, OUTCOME_FAIL, "1.20 GB", "");
    s.f.disk.free_bytes = NAN;
    is(&s, check_disk_space, OUTCOME_UNKNOWN, "", "");
    s.f.disk.unwritable = reason_of("read-only file system");
    is(&s, check_checkpoint_folder, OUTCOME_FAIL, "read-only", "checkpoint_dir");
    config_release(&s.c);
}

static void a_checkpoint_that_is_there_is_told(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.f.disk.wanted = true;
    is(&s, check_resume, OUTCOME_OK, "starts at step 0", "");
    s.f.disk.resume_step = 400;
    s.f.disk.resume_from = reason_of("out/step-00000400");
    is(&s, check_resume, OUTCOME_WARN, "goes on from out/step-00000400, step 400 of 1200",
       "another checkpoint_dir");
    struct estimate e = estimate_time(&s.f);
    assert_int_equal(e.steps, 800);
    s.f.disk.resume_step = 1200;
    is(&s, check_resume, OUTCOME_WARN, "nothing is left", "steps: 2400");
    s.f.disk.resume_step = 1300;
    is(&s, check_resume, OUTCOME_FAIL, "1300 steps old", "");
    assert_int_equal(config_set(&s.c, "resume", "never", NULL), STATUS_OK);
    is(&s, check_resume, OUTCOME_FAIL, "resume is never", "");
    s.f.disk.resume_error = reason_of("width differs");
    is(&s, check_resume, OUTCOME_FAIL, "width differs", "");
    config_release(&s.c);
}

static void a_step_of_hours_is_not_run_and_says_how_to_look_at_a_part(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.c.batch_size = 512;
    s.c.gradient_accumulation = 128;
    s.f.step.known = false;
    s.f.step.too_long = true;
    s.f.step.why_not = reason_of("the forward passes take an hour");
    is(&s, check_step, OUTCOME_UNKNOWN, "take an hour",
       "gait diagnose my.yaml --batch-size 4 --gradient-accumulation 1");
    config_release(&s.c);
}

static void an_interval_needs_three_steps(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.f.step.ns.n = 2;
    struct estimate e = estimate_time(&s.f);
    assert_true(e.s > 0 && isnan(e.low_s) && isnan(e.high_s));
    config_release(&s.c);
}

/* 1200 steps of 10 ms, three validations of 0.3 s, twelve checkpoints of 0.1 s */
static void the_time_is_the_sum_of_what_was_measured(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.c.eval_interval = 500;
    s.c.checkpoint_interval = 100;
    s.f.disk.wanted = true;
    s.f.checkpoint = (struct once_timed){.known = true, .ns = 100e6};
    struct estimate e = estimate_time(&s.f);
    assert_int_equal(e.evaluations, 3); /* after 500, 1000 and 1200 */
    assert_int_equal(e.checkpoints, 12);
    assert_true(fabs(e.s - (12 + 0.9 + 1.2)) < 1e-9);
    assert_true(fabs(e.low_s - (11.76 + 2.1)) < 1e-9);
    assert_true(fabs(e.high_s - (12.36 + 2.1)) < 1e-9);
    config_release(&s.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_wrong_with_good_facts),
        cmocka_unit_test(settings_that_are_seldom_meant_are_warned_of),
        cmocka_unit_test(a_low_rate_is_right_for_given_weights),
        cmocka_unit_test(costs_are_judged_by_what_was_measured),
        cmocka_unit_test(long_trainings_need_validation_and_checkpoints),
        cmocka_unit_test(data_is_held_against_batch_steps_and_model),
        cmocka_unit_test(what_could_not_be_opened_fails_once_and_hides_the_rest),
        cmocka_unit_test(settings_that_only_the_data_betray_are_no_fault_of_the_data),
        cmocka_unit_test(a_plan_that_does_not_fit_names_what_does),
        cmocka_unit_test(the_machine_is_held_against_the_settings),
        cmocka_unit_test(disks_hold_one_checkpoint_more_than_are_kept),
        cmocka_unit_test(a_checkpoint_that_is_there_is_told),
        cmocka_unit_test(a_step_of_hours_is_not_run_and_says_how_to_look_at_a_part),
        cmocka_unit_test(an_interval_needs_three_steps),
        cmocka_unit_test(the_time_is_the_sum_of_what_was_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
