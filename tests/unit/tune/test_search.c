/* The search over steps that are simulated: parts that settings change by other factors,
 * settings that hang together, the noise of a shared machine. */
#include "base/log.h"
#include "cmocka_setup.h"
#include "tune/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 4, MODELS = 40 };

/* A step is the sum of its parts; each setting has a factor for each part by its value. */
struct simulated {
    uint64_t state;
    double part[PARTS];
    double factor[TUNE_SETTINGS_MAX][TUNE_VALUES_MAX][PARTS];
    double a_part_ns;        /* of one more part of the batch, with each thread */
    const char *other_model; /* a setting=value that makes another model, or NULL */
    struct tune_space space; /* for factor */
    int trials;
};

static double uniform(struct simulated *s)
{
    s->state = s->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(s->state >> 11) / (double)(UINT64_C(1) << 53);
}

static void small(struct config *c)
{
    config_init(c);
    c->layers = 1;
    c->heads = 2;
    c->width = 16;
    c->context = 8;
    c->batch_size = 8;
    c->gradient_accumulation = 4;
    c->builtin_chars = 20000;
    c->recompute = true;
    c->threads = 1;
}

static void simulate(struct simulated *s, uint64_t seed, const struct config *config)
{
    struct err err = ERR_INIT;
    *s = (struct simulated){.state = seed * 7919 + 11};
    assert_int_equal(space_of(&s->space, config, 4, NULL, &err), STATUS_OK);
    for (int p = 0; p < PARTS; p++)
        s->part[p] = 1e6 * (0.2 + 3 * uniform(s));
    for (size_t i = 0; i < s->space.n; i++)
        for (size_t v = 0; v < s->space.setting[i].n; v++)
            for (int p = 0; p < PARTS; p++)
                s->factor[i][v][p] = uniform(s) < 0.5 ? 1 : 0.5 + 1.2 * uniform(s);
    s->a_part_ns = 2e5 * uniform(s);
}

static size_t value_of(const struct tune_setting *s, const struct config *c)
{
    struct strbuf text;
    size_t at = 0;
    strbuf_init(&text);
    config_value_of(&text, c, s->key);
    while (at < s->n && strcmp(s->value[at], text.s) != 0)
        at++;
    assert_true(at < s->n);
    strbuf_release(&text);
    return at;
}

static double true_ns(const struct simulated *s, const struct config *c)
{
    double ns = s->a_part_ns * (double)c->gradient_accumulation;
    for (int p = 0; p < PARTS; p++) {
        double part = s->part[p];
        for (size_t i = 0; i < s->space.n; i++)
            part *= s->factor[i][value_of(&s->space.setting[i], c)][p];
        ns += part;
    }
    return ns;
}

static void measure(void *context, struct trial *t, const struct config side[2],
                    double budget_s, struct proof *proof)
{
    struct simulated *s = context;
    double noise = 0.005 * (uniform(s) + uniform(s) + uniform(s) + uniform(s) - 2);
    double ratio = true_ns(s, &side[1]) / true_ns(s, &side[0]) * (1 + noise);
    t->time = (struct ab_time){.change = ratio - 1,
                               .low = ratio - 1 - 0.01,
                               .high = ratio - 1 + 0.01,
                               .pairs = 10,
                               .took_s = budget_s};
    if (s->other_model && strstr(t->after, s->other_model))
        snprintf(t->why_not, sizeof t->why_not, "another model");
    if (proof)
        proof->time = t->time;
    s->trials++;
}

static double best_ns(const struct simulated *s, const struct tune_space *space,
                      const struct config *config)
{
    struct tune_plan p = {{0}};
    double best = INFINITY;
    do {
        struct config c;
        struct err err = ERR_INIT;
        if (!plan_config(&c, config, space, p, &err))
            best = fmin(best, true_ns(s, &c));
        config_release(&c);
    } while (plan_next(&p, space));
    return best;
}

static struct tune_options options_of(struct simulated *s, const char *path)
{
    return (struct tune_options){
        .budget_s = 1000, .measure = measure, .context = s, .path = path};
}

static void most_searches_end_near_the_best_of_all_plans(void **state)
{
    int near = 0;
    double worst_cost = 0;
    (void)state;
    for (uint64_t seed = 0; seed < MODELS; seed++) {
        struct config config, best;
        struct simulated s;
        struct tune_result r;
        struct err err = ERR_INIT;
        small(&config);
        simulate(&s, seed, &config);
        struct tune_options o = options_of(&s, NULL);
        assert_int_equal(tune_run(&r, &config, &o, &err), STATUS_OK);
        tune_best_config(&best, &r, &config);
        near += true_ns(&s, &best) <= 1.03 * best_ns(&s, &r.space, &config);
        worst_cost =
            fmax(worst_cost, s.trials / space_plans(&r.space) / space_plans(&r.dropped));
        config_release(&best);
        config_release(&config);
        tune_release(&r);
    }
    print_message("within 3 %% of the best: %d of %d; at most %.0f %% of all plans run\n",
                  near, MODELS, 100 * worst_cost);
    assert_true(near >= MODELS * 9 / 10);
    assert_true(worst_cost < 0.25);
}

static void another_model_is_never_taken(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct config config;
        struct simulated s;
        struct tune_result r;
        struct strbuf text;
        struct err err = ERR_INIT;
        small(&config);
        simulate(&s, seed, &config);
        s.other_model = "recompute=false";
        struct tune_options o = options_of(&s, NULL);
        assert_int_equal(tune_run(&r, &config, &o, &err), STATUS_OK);
        strbuf_init(&text);
        plan_text(&text, &r.space, r.best);
        assert_null(strstr(text.s, "recompute"));
        strbuf_release(&text);
        config_release(&config);
        tune_release(&r);
    }
}

static void what_was_run_is_not_run_again(void **state)
{
    const char *path = "tune_search.trials";
    struct config config;
    struct simulated s;
    struct tune_result first, again;
    struct err err = ERR_INIT;
    (void)state;
    remove(path);
    small(&config);
    simulate(&s, 3, &config);
    struct tune_options o = options_of(&s, path);
    assert_int_equal(tune_run(&first, &config, &o, &err), STATUS_OK);
    assert_true(first.trials.n > 10);
    s.trials = 0;
    assert_int_equal(tune_run(&again, &config, &o, &err), STATUS_OK);
    assert_int_equal(again.trials.known, first.trials.n);
    assert_int_equal(s.trials, first.faster ? 1 : 0); /* the last one is a proof */
    assert_true(plan_equal(first.best, again.best));
    tune_release(&first);
    tune_release(&again);
    config_release(&config);
    remove(path);
}

/* What told nothing gets a longer look; what told something holds. */
static void with_more_time_what_told_nothing_is_run_again(void **state)
{
    const char *path = "tune_longer.trials";
    struct config config;
    struct simulated s;
    struct tune_result r;
    struct err err = ERR_INIT;
    size_t silent = 0;
    (void)state;
    remove(path);
    small(&config);
    simulate(&s, 3, &config);
    struct tune_options o = options_of(&s, path);
    assert_int_equal(tune_run(&r, &config, &o, &err), STATUS_OK);
    size_t first = r.trials.n;
    for (size_t i = 0; i < first; i++)
        silent += !*r.trials.of[i].why_not && !trial_tells(&r.trials.of[i]);
    assert_true(silent > 0 && silent < first);
    tune_release(&r);
    s.trials = 0;
    o.budget_s *= 4;
    assert_int_equal(tune_run(&r, &config, &o, &err), STATUS_OK);
    assert_true(s.trials > 1 && (size_t)s.trials < first);
    for (size_t i = 0; i < r.trials.n; i++) /* and stands there once */
        assert_ptr_equal(&r.trials.of[i],
                         trials_find(&r.trials, r.trials.of[i].stage,
                                     r.trials.of[i].round, r.trials.of[i].before,
                                     r.trials.of[i].after));
    tune_release(&r);
    config_release(&config);
    remove(path);
}

/* Killed while it wrote: the whole lines stay. */
static void a_line_that_was_cut_is_run_again(void **state)
{
    const char *path = "tune_cut.trials";
    const struct trial *kept;
    struct trials t;
    struct err err = ERR_INIT;
    struct trial trial = {.predicted = NAN,
                          .before = "as given",
                          .after = "threads=1",
                          .time = {.change = 0.5, .low = -1, .high = INFINITY}};
    (void)state;
    remove(path);
    assert_int_equal(trials_open(&t, path, "{}", &err), STATUS_OK);
    assert_int_equal(trials_keep(&t, &trial, &kept, &err), STATUS_OK);
    fputs("{\"stage\":\"alone\",\"bef", t.file);
    trials_close(&t);
    assert_int_equal(trials_open(&t, path, "{}", &err), STATUS_OK);
    assert_int_equal(t.n, 1);
    kept = trials_find(&t, TRIAL_ALONE, 0, "as given", "threads=1");
    assert_non_null(kept);
    assert_true(kept->time.change == 0.5 && isinf(kept->time.high) &&
                isnan(kept->predicted));
    snprintf(trial.after, sizeof trial.after, "threads=2");
    assert_int_equal(trials_keep(&t, &trial, &kept, &err), STATUS_OK);
    trials_close(&t);
    assert_int_equal(trials_open(&t, path, "{}", &err), STATUS_OK);
    assert_int_equal(t.n, 2);
    trials_close(&t);
    assert_int_equal(trials_open(&t, path, "{\"of\":\"another\"}", &err), STATUS_OK);
    assert_int_equal(t.n, 0);
    trials_close(&t);
    remove(path);
    remove("tune_cut.trials.old"); /* put aside: it is of another search */
}

static void what_stays_as_it_is_is_not_searched(void **state)
{
    struct config config;
    struct tune_space all, kept;
    struct err err = ERR_INIT;
    (void)state;
    small(&config);
    assert_int_equal(space_of(&all, &config, 4, NULL, &err), STATUS_OK);
    assert_int_equal(space_of(&kept, &config, 4, "precision,threads", &err), STATUS_OK);
    assert_int_equal(kept.n + 2, all.n);
    for (size_t i = 0; i < kept.n; i++)
        assert_true(strcmp(kept.setting[i].key, "precision") &&
                    strcmp(kept.setting[i].key, "threads"));
    assert_int_equal(space_of(&kept, &config, 4, "presicion", &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "precision"));
    config_release(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_searches_end_near_the_best_of_all_plans),
        cmocka_unit_test(another_model_is_never_taken),
        cmocka_unit_test(what_was_run_is_not_run_again),
        cmocka_unit_test(with_more_time_what_told_nothing_is_run_again),
        cmocka_unit_test(a_line_that_was_cut_is_run_again),
        cmocka_unit_test(what_stays_as_it_is_is_not_searched),
    };
    log_quiet(true);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
