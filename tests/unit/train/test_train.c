#include "base/file.h"
#include "base/log.h"
#include "run/run.h"
#include "train/train.h"
#include "train/trainer.h"
#include "train_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void train(const struct config *c, struct train_result *result, struct run *run)
{
    struct err err = ERR_INIT;
    run_init(run);
    if (train_run(c, result, run, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(run_check(run, &err), STATUS_OK);
}

static void the_same_seed_gives_the_same_bits(void **state)
{
    (void)state;
    static const char *const engines[] = {"onednn", "own", "reference"};
    for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
        struct config c;
        struct train_result result[3];
        struct run run[3];
        small_config(&c);
        assert_int_equal(config_set(&c, "engine", engines[e], NULL), STATUS_OK);
        train(&c, &result[0], &run[0]);
        train(&c, &result[1], &run[1]);
        c.seed++;
        train(&c, &result[2], &run[2]);
        assert_true(run[0].losses.table.n >= 12);
        assert_int_equal(run[0].losses.table.n, run[1].losses.table.n);
        for (size_t i = 0; i < run[0].losses.table.n; i++) {
            assert_true(run[0].losses.loss[i] == run[1].losses.loss[i]);
            assert_true(run[0].losses.gradient_norm[i] == run[1].losses.gradient_norm[i]);
            assert_true(run[0].losses.loss[i] != run[2].losses.loss[i]);
        }
        assert_true(result[0].validation_loss == result[1].validation_loss);
        for (int i = 0; i < 3; i++)
            run_release(&run[i]);
        config_release(&c);
    }
}

static void the_reference_does_not_depend_on_threads(void **state)
{
    (void)state;
    struct config c;
    struct train_result one, three;
    struct run run;
    small_config(&c);
    assert_int_equal(config_set(&c, "engine", "reference", NULL), STATUS_OK);
    c.threads = 1;
    train(&c, &one, &run);
    run_release(&run);
    c.threads = 3;
    train(&c, &three, &run);
    run_release(&run);
    assert_true(one.loss == three.loss);
    assert_true(one.validation_loss == three.validation_loss);
    config_release(&c);
}

static void training_learns(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* a minute; the others here run every part of a step */
#endif
    struct config c;
    struct train_result result;
    struct run run;
    small_config(&c);
    c.steps = 150;
    c.learning_rate = 1e-2;
    train(&c, &result, &run);
    double first = run.losses.loss[0];
    assert_true(fabs(first - log(28)) < 0.5); /* a uniform guess among its characters */
    assert_true(result.validation_loss < first - 0.7);
    assert_true(result.validation_standard_error > 0);
    assert_true(result.entropy > 0 && result.entropy < result.validation_loss);
    /* what the held-out sentences carry, near the source's entropy but not the same */
    assert_true(result.validation_text_nats > 0);
    assert_true(result.validation_text_nats != result.entropy);
    assert_true(fabs(result.validation_text_nats / result.entropy - 1) < 0.2);
    assert_int_equal(result.steps, 150);
    run_release(&run);
    config_release(&c);
}

static void a_loss_that_is_not_finite_stops_the_run(void **state)
{
    (void)state;
    struct config c;
    struct train_result result;
    struct err err = ERR_INIT;
    small_config(&c);
    c.learning_rate = 10;
    c.warmup_steps = 0;
    c.weight_decay = 10; /* keep = 1 - 100: weights grow a hundredfold a step */
    c.steps = 100;
    c.eval_interval = 0;
    assert_int_equal(train_run(&c, &result, NULL, &err), STATUS_FAILED);
    assert_non_null(strstr(err.text, "learning_rate"));
    assert_true(strstr(err.text, "nan") || strstr(err.text, "inf"));
    config_release(&c);
}

/* Validation by hand, with every target scored at its own position. */
static void validation_scores_only_targets_with_enough_context(void **state)
{
    (void)state;
    struct config c;
    struct trainer t;
    struct evaluation e;
    struct err err = ERR_INIT;
    small_config(&c);
    c.eval_min_context = 5;
    c.eval_batches = 1;
    assert_int_equal(trainer_open(&t, &c, &err), STATUS_OK);
    assert_int_equal(trainer_evaluate(&t, &e, &err), STATUS_OK);
    assert_int_equal(e.tokens, c.batch_size * (c.context - 5));
    assert_true(e.standard_error == 0); /* one batch says nothing about the spread */

    double sum = 0;
    int64_t rows;
    assert_int_equal(
        loader_validation(&t.validation_data, 0, &rows, t.inputs, t.targets, &err),
        STATUS_OK);
    model_forward(&t.model, &(struct model_batch){t.inputs, t.targets, -1});
    for (int64_t i = 0; i < t.model.M; i++)
        if (i % c.context >= 5)
            sum += (double)t.model.loss[i];
    assert_true(fabs(sum / (double)e.tokens - e.loss) < 1e-12);
    trainer_close(&t, STATUS_OK);
    config_release(&c);
}

static void standard_error_is_that_of_the_batch_means(void **state)
{
    (void)state;
    struct config c;
    struct trainer t;
    struct evaluation e;
    struct err err = ERR_INIT;
    small_config(&c);
    assert_int_equal(trainer_open(&t, &c, &err), STATUS_OK);
    assert_int_equal(t.eval_batches, 6);
    assert_int_equal(trainer_evaluate(&t, &e, &err), STATUS_OK);
    double mean[6], average = 0, squares = 0;
    for (int i = 0; i < 6; i++) {
        mean[i] = t.eval_sum[i] / t.eval_sum[6 + i];
        average += mean[i] / 6;
    }
    for (int i = 0; i < 6; i++)
        squares += (mean[i] - average) * (mean[i] - average);
    assert_true(fabs(e.loss - average) < 1e-12);
    assert_true(fabs(e.standard_error - sqrt(squares / 5 / 6)) < 1e-12);
    trainer_close(&t, STATUS_OK);
    config_release(&c);
}

static void weights_are_saved_where_asked_for(void **state)
{
    (void)state;
    char dir[] = "/tmp/gait_train_XXXXXX", path[64];
    struct config c;
    struct train_result result;
    struct run run;
    assert_non_null(mkdtemp(dir));
    small_config(&c);
    c.steps = 1;
    c.warmup_steps = 0;
    assert_int_equal(config_set(&c, "checkpoint_dir", dir, NULL), STATUS_OK);
    train(&c, &result, &run);
    snprintf(path, sizeof path, "%s/step-00000001/model.safetensors", dir);
    assert_true(file_exists(path));
    static const char *const parts[] = {"step-00000001/model.safetensors",
                                        "step-00000001/optimizer.safetensors",
                                        "step-00000001/state.json",
                                        "step-00000001/tokenizer.json",
                                        "step-00000001",
                                        "latest",
                                        "lock"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, parts[i]);
        assert_int_equal(remove(path), 0);
    }
    assert_int_equal(rmdir(dir), 0);
    run_release(&run);
    config_release(&c);
}

static void a_place_that_cannot_take_weights_is_refused_before_training(void **state)
{
    (void)state;
    static const char *const places[] = {"/dev/null", "/proc/nothere/a"};
    static const char *const says[] = {"name a folder", "make the folder"};
    for (int i = 0; i < 2; i++) {
        struct config c;
        struct train_result result;
        struct err err = ERR_INIT;
        small_config(&c);
        assert_int_equal(config_set(&c, "checkpoint_dir", places[i], NULL), STATUS_OK);
        assert_int_not_equal(train_run(&c, &result, NULL, &err), STATUS_OK);
        assert_int_equal(result.steps, 0);
        if (!strstr(err.text, says[i]))
            fail_msg("\"%s\" does not say \"%s\"", err.text, says[i]);
        config_release(&c);
    }
}

/* The batch_size that the refusal of c names; 0: it names none, or c is not refused. */
static long long batch_named(struct config *c)
{
    struct trainer t;
    struct err err = ERR_INIT;
    long long batch = 0;
    enum status st = trainer_open(&t, c, &err);
    if (!st) {
        trainer_close(&t, STATUS_OK);
        return 0;
    }
    assert_int_equal(st, STATUS_ENVIRONMENT);
    const char *named = strstr(err.text, "; batch_size ");
    if (named)
        batch = strtoll(named + strlen("; batch_size "), NULL, 10);
    return batch;
}

/* False where the machine's free memory became another meanwhile, by other processes. */
static bool named_batch_fits(struct config *c)
{
    struct trainer t;
    struct err err = ERR_INIT;
    c->batch_size = 4000000; /* 4 MiB of attention each: no machine has it */
    long long batch = batch_named(c);
    assert_true(batch > 0 && batch < c->batch_size);
    c->batch_size = batch + 1;
    if (batch_named(c) != batch)
        return false;
    c->batch_size = batch;
    if (trainer_open(&t, c, &err) == STATUS_OK) {
        trainer_close(&t, STATUS_OK);
        return true;
    }
    /* the system may map less than it has, but then says so */
    return strstr(err.text, "does not give") != NULL;
}

/* Planned memory is mapped and not touched, so the test itself stays small. */
static void the_batch_that_a_refusal_names_fits_and_no_larger_one(void **state)
{
    (void)state;
    enum { TRIES = 20 };
    struct config c;
    bool fits = false;
    small_config(&c);
    assert_int_equal(config_set(&c, "engine", "onednn", NULL), STATUS_OK); /* no trials */
    c.context = 512;
    for (int i = 0; i < TRIES && !fits; i++)
        fits = named_batch_fits(&c);
    assert_true(fits);
    config_release(&c);
}

static void a_batch_that_cannot_fit_is_refused(void **state)
{
    (void)state;
    struct config c;
    struct train_result result;
    struct err err = ERR_INIT;
    small_config(&c);
    c.batch_size = 1048576;
    c.width = 65536;
    assert_int_equal(train_run(&c, &result, NULL, &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "batch_size"));
    config_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_bits),
        cmocka_unit_test(the_reference_does_not_depend_on_threads),
        cmocka_unit_test(training_learns),
        cmocka_unit_test(a_loss_that_is_not_finite_stops_the_run),
        cmocka_unit_test(validation_scores_only_targets_with_enough_context),
        cmocka_unit_test(standard_error_is_that_of_the_batch_means),
        cmocka_unit_test(weights_are_saved_where_asked_for),
        cmocka_unit_test(a_place_that_cannot_take_weights_is_refused_before_training),
        cmocka_unit_test(the_batch_that_a_refusal_names_fits_and_no_larger_one),
        cmocka_unit_test(a_batch_that_cannot_fit_is_refused),
    };
    log_quiet(true);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
