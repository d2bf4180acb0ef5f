/* A diagnosis of a small model, with everything measured. */
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "diagnose_fixture.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

enum { STEPS = 4 };

static void small_settings(struct config *c)
{
    config_init(c);
    c->layers = 1;
    c->heads = 2;
    c->width = 16;
    c->context = 8;
    c->batch_size = 4;
    c->steps = 100;
    c->warmup_steps = 2;
    c->eval_batches = 3;
    c->builtin_chars = 20000;
    c->threads = 1;
}

static struct diagnosis *diagnosed(const struct config *c)
{
    struct diagnosis *d = mem_zalloc(1, sizeof *d);
    log_quiet(true);
    diagnose(d, c, "my.yaml", STEPS);
    return d;
}

static const struct outcome *check_of(const struct diagnosis *d, const char *name)
{
    for (int i = 0; i < CHECK_COUNT; i++)
        if (!strcmp(check_name[i], name))
            return &d->checks[i];
    fail_msg("there is no check %s", name);
    return NULL;
}

static int entries_in(const char *dir)
{
    int n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2; /* . and .. */
}

static void everything_is_measured_and_nothing_is_left(void **state)
{
    (void)state;
    struct config c;
    char dir[] = "/tmp/gait-diagnose-test-XXXXXX";
    assert_non_null(mkdtemp(dir));
    char *below = path_join(dir, "a/b");
    small_settings(&c);
    assert_int_equal(config_set(&c, "checkpoint_dir", below, NULL), STATUS_OK);
    struct diagnosis *d = diagnosed(&c);
    const struct training_facts *f = &d->facts;
    assert_int_equal(f->part, TRAINER_COMPLETE);
    assert_int_equal(f->step.ns.n, STEPS);
    assert_true(f->step.ns.low > 0 && f->step.ns.low <= f->step.ns.median);
    assert_true(f->step.data_frac >= 0 && f->step.data_frac < 1);
    assert_true(f->step.optimizer_frac > 0 && f->step.optimizer_frac < 1);
    assert_true(f->step.products_frac > 0 && f->step.products_frac < 1);
    assert_true(f->step.products_flop_per_s > 0 && f->step.peak_flop_per_s > 0);
    assert_true(f->evaluation.known && f->evaluation.ns > 0);
    assert_true(f->checkpoint.known && f->checkpoint.ns > 0);
    assert_int_equal(f->evaluation.of_all, 3);
    assert_true(f->precision.rounds > 0);
    assert_int_equal(f->threads_timed.n, f->cores > 1 ? 2 : 1);
    assert_int_equal(f->batches_timed.n, 3);
    for (size_t i = 0; i < f->batches_timed.n; i++)
        assert_true(f->batches_timed.of[i].tokens_per_s > 0);
    assert_true(d->estimate.known && d->estimate.s > 0);
    assert_int_equal(d->estimate.checkpoints, 1);
    /* weights and two moments in f32, which begin on cache lines */
    double numbers = (double)f->parameters * 4;
    assert_true(f->disk.checkpoint_bytes >= 3 * numbers);
    assert_true(f->disk.checkpoint_bytes < 3.5 * numbers);
    assert_string_equal(f->disk.folder, dir);
    assert_int_not_equal(diagnosis_verdict(d), OUTCOME_FAIL);
    assert_int_equal(entries_in(dir), 0);
    mem_free(d);
    config_release(&c);
    mem_free(below);
    rmdir(dir);
}

static void mistakes_are_verdicts(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *check, *text;
    } mistakes[] = {
        {"dataset", "/nothere.txt", "data", "/nothere.txt"},
        {"batch_size", "100000000", "memory", "batch_size 100000000 needs"},
        {"warmup_steps", "5000", "settings", "warmup_steps 5000"},
        {"init_from", "/nothere", "model", "/nothere"},
        {"checkpoint_dir", "/dev/null", "checkpoint-folder", "/dev/null is a file"},
        {"resume", "must", "settings", "checkpoint_dir"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct config c;
        struct err err = ERR_INIT;
        small_settings(&c);
        if (!strcmp(mistakes[i].key, "batch_size"))
            c.batch_size = 100000000; /* more than the setting itself allows */
        else if (config_set(&c, mistakes[i].key, mistakes[i].value, &err))
            fail_msg("%s", err.text);
        struct diagnosis *d = diagnosed(&c);
        const struct outcome *o = check_of(d, mistakes[i].check);
        if (o->verdict != OUTCOME_FAIL || !strstr(o->text, mistakes[i].text))
            fail_msg("%s: %s: %s", mistakes[i].key, outcome_screen_text[o->verdict],
                     o->text);
        assert_true(*o->next);
        assert_int_equal(diagnosis_verdict(d), OUTCOME_FAIL);
        mem_free(d);
        config_release(&c);
    }
}

/* By hand: what stands on the screen, line for line. */
static void the_screen_has_what_matters_first(void **state)
{
    (void)state;
    struct config c;
    struct diagnosis *d = mem_zalloc(1, sizeof *d);
    struct strbuf out;
    good_facts(&d->facts, &c);
    c.gradient_clip = 0;
    d->facts.disk.wanted = true;
    d->facts.disk.unwritable = reason_of("a\nname: Read-only file system");
    d->facts.checkpoint.why_not = d->facts.disk.unwritable;
    d->estimate = estimate_time(&d->facts);
    checks_run(d->checks, &d->facts, &d->estimate);
    questions_ask(d->answers, &d->facts, &d->estimate);
    strbuf_init(&out);
    diagnosis_text(&out, d, false);
    char *fails = strstr(out.s, "FAIL  no checkpoint can be written");
    char *warns = strstr(out.s, "WARN  gradient_clip 0");
    char *oks = strstr(out.s, "\nok    2");
    char *when = strstr(out.s, "\nTime: 10.0 ms per step, measured over 20 steps → 1,200 "
                               "steps in 12.90 s (12.66 s to 13.26 s)\n");
    char *next = strstr(out.s, "\nNext: gait profile my.yaml -o slow.gait\n");
    assert_true(fails == out.s && fails < warns && warns < oks && oks < when);
    assert_true(when < next);
    assert_non_null(strstr(out.s, "a?name: Read-only"));
    assert_non_null(strstr(out.s, "without checkpoints: not available"));
    strbuf_clear(&out);
    diagnosis_text(&out, d, true);
    assert_null(strstr(out.s, "more check"));
    strbuf_release(&out);
    mem_free(d);
    config_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_measured_and_nothing_is_left),
        cmocka_unit_test(mistakes_are_verdicts),
        cmocka_unit_test(the_screen_has_what_matters_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
