/*
 * Does gait tune find the best? It searches three configs, then every plan of the same
 * space is run, and its best is compared with what the search found. See bench/tune.
 */
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stats.h"
#include "base/units.h"
#include "machine/cpu.h"
#include "tune/tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SEARCH_S = 90; /* of the search */
static const double PLAN_S = 0.6;  /* of timing, a plan of the exhaustive search */
static const double LAST_S = 15;   /* of timing, its best against the search's */

struct subject {
    const char *name;
    const char *settings[16][2];
};

static const struct subject subjects[] = {
    {"gpt2, set badly",
     {{"gradient_accumulation", "8"},
      {"threads", "1"},
      {"attention", "plain"},
      {"fused_qkv", "false"},
      {"recompute", "true"},
      {"num_workers", "0"}}},
    {"llama, as usual", {{"model", "llama"}, {"bias", "false"}}},
    {"gpt2, long context, plain attention",
     {{"context", "128"}, {"batch_size", "4"}, {"attention", "plain"}}},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static void must(enum status s, const struct err *err)
{
    if (s == STATUS_OK)
        return;
    fprintf(stderr, "bench/tune: %s\n", err->text);
    exit(1);
}

static void make_config(struct config *c, const struct subject *s)
{
    struct err err = ERR_INIT;
    config_init(c);
    c->layers = 2;
    c->heads = 4;
    c->width = 64;
    c->context = 32;
    c->batch_size = 8;
    c->builtin_chars = 50000;
    for (int i = 0; s->settings[i][0]; i++)
        must(config_set(c, s->settings[i][0], s->settings[i][1], &err), &err);
    must(config_check(c, &err), &err);
}

/* What runs and is the same model; NAN else. */
static double change_of(const struct config *before, const struct config *after,
                        double budget_s)
{
    struct proof p;
    struct err err = ERR_INIT;
    struct proof_options o = {.budget_s = budget_s};
    if (proof_measure(&p, before, after, &o, &err))
        return NAN;
    return *proof_other_model(&p).why ? NAN : p.time.change;
}

struct exhaustive {
    struct tune_plan best;
    double change, wall_s;
    size_t plans;
};

static struct exhaustive run_all(const struct config *config,
                                 const struct tune_space *space)
{
    struct exhaustive out = {.change = 0};
    struct tune_plan p = {{0}};
    int64_t begin_ns = clock_now_ns();
    do {
        struct config c;
        struct err err = ERR_INIT;
        bool valid = !plan_config(&c, config, space, p, &err);
        double change = valid ? change_of(config, &c, PLAN_S) : NAN;
        config_release(&c);
        if (change < out.change) {
            out.change = change;
            out.best = p;
        }
        if (++out.plans % 50 == 0)
            log_line("%zu of %.0f plans", out.plans, space_plans(space));
    } while (plan_next(&p, space));
    out.wall_s = (double)(clock_now_ns() - begin_ns) / 1e9;
    return out;
}

struct outcome {
    double gap;    /* time of the search's best over that of all plans, less 1 */
    double cost;   /* of the search's wall time over that of running all plans */
    double error;  /* of predictions, the median */
    double change; /* of the search's best against the config as given */
};

static struct outcome judge(const struct subject *s)
{
    struct config config, mine, best;
    struct tune_result r;
    struct tune_space space;
    struct err err = ERR_INIT;
    struct tune_options o = {.budget_s = SEARCH_S};
    struct strbuf text;
    make_config(&config, s);
    must(space_of(&space, &config, cpu_usable_cores(), NULL, &err), &err);
    int64_t begin_ns = clock_now_ns();
    must(tune_run(&r, &config, &o, &err), &err);
    double wall_s = (double)(clock_now_ns() - begin_ns) / 1e9;
    tune_best_config(&mine, &r, &config);
    struct exhaustive all = run_all(&config, &space);
    must(plan_config(&best, &config, &space, all.best, &err), &err);
    double change = change_of(&mine, &best, LAST_S);
    if (isnan(change))
        must(err_set(&err, STATUS_FAILED, "the two best cannot be compared"), &err);
    struct outcome out = {.gap = 1 / (1 + change) - 1,
                          .cost = wall_s / all.wall_s,
                          .error = r.prediction_error,
                          .change = r.faster ? r.proof.time.change : 0};
    strbuf_init(&text);
    plan_text(&text, &r.space, r.best);
    strbuf_puts(&text, "; of all ");
    plan_text(&text, &space, all.best);
    printf("%-36s %s %%, gap %s %%, %.0f %% of the cost of %zu plans\n  found %s\n",
           s->name, unit_signed(100 * out.change, 1).s, unit_signed(100 * out.gap, 1).s,
           100 * out.cost, all.plans, text.s);
    fflush(stdout);
    strbuf_release(&text);
    tune_release(&r);
    config_release(&mine);
    config_release(&best);
    config_release(&config);
    return out;
}

static void print_json(const struct outcome *o, size_t n)
{
    struct strbuf out;
    struct json_writer w;
    double gap[SUBJECTS], cost[SUBJECTS], error[SUBJECTS];
    size_t errors = 0;
    for (size_t i = 0; i < n; i++) {
        gap[i] = o[i].gap;
        cost[i] = o[i].cost;
        if (!isnan(o[i].error))
            error[errors++] = o[i].error;
    }
    strbuf_init(&out);
    json_init(&w, &out);
    w.compact = true;
    json_begin_object(&w);
    json_field_string(&w, "bench", "tune");
    json_field_int(&w, "configs", (int64_t)n);
    json_field_double(&w, "worst_gap", stats_quantile(gap, n, 1), 4);
    json_field_double(&w, "median_gap", stats_median(gap, n), 4);
    json_field_double(&w, "worst_cost", stats_quantile(cost, n, 1), 4);
    json_field_double(&w, "median_prediction_error",
                      errors ? stats_median(error, errors) : NAN, 4);
    json_end(&w);
    puts(out.s);
    strbuf_release(&out);
}

int main(int argc, char **argv)
{
    bool quick = argc > 1 && !strcmp(argv[1], "--quick");
    struct outcome o[SUBJECTS];
    size_t n = quick ? 1 : SUBJECTS;
    for (size_t i = 0; i < n; i++)
        o[i] = judge(&subjects[i]);
    print_json(o, n);
    return 0;
}
