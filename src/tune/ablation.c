#ifdef GAIT_TRAIN
#include "tune/ablation.h"

#include "base/log.h"
#include "base/strbuf.h"
#include "machine/cpu.h"
#include "machine/noise.h"
#include "tune/baseline.h"
#include "verify/time_share.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* In the order in which they are switched on. */
static const struct ablation_switch switches[] = {
    {"fast products", "engine", "reference", "auto", false},
    {"one product for q, k and v", "fused_qkv", "false", "true", false},
    {"one product for gate and up", "fused_gate_up", "false", "true", true},
    {"tiled attention", "attention", "plain", "tiled", false},
    {"batches made ahead", "num_workers", "0", "-1", false},
    {"activations kept, not recomputed", "recompute", "true", "false", false},
    {"bf16", "precision", "f32", "bf16", false},
};
enum { SWITCHES = sizeof switches / sizeof *switches };

static enum status turn(struct config *c, const struct ablation_switch *s, bool on,
                        struct err *err)
{
    return config_set(c, s->key, on ? s->on : s->off, err);
}

/* Has the config it on? Then with a value of its own. */
static bool is_on(const struct ablation_switch *s, const struct config *c)
{
    struct strbuf value;
    strbuf_init(&value);
    config_value_of(&value, c, s->key);
    bool on = strcmp(value.s, s->off) != 0;
    strbuf_release(&value);
    return on;
}

static bool applies(const struct ablation_switch *s, const struct config *c)
{
    return !s->llama || !strcmp(c->model, "llama");
}

/* By its part of the time that is left. */
static enum status measure(struct proof *out, const struct config side[2],
                           struct time_share *time, struct err *err)
{
    struct proof_options o = {.budget_s = time_share_next_s(time, 1)};
    enum status s = proof_measure(out, &side[0], &side[1], &o, err);
    time_share_end(time, s == STATUS_OK ? out->time.took_s : 0);
    return s;
}

/* By the spans of a few steps with it off; without them nothing is predicted. */
static void predict_alone(struct ablation *a, const struct config *off)
{
    struct tune_space space;
    struct baseline baseline;
    a->alone_at_most = NAN;
    if (space_of(&space, off, cpu_usable_cores(), NULL, NULL) ||
        baseline_record(&baseline, off, NULL))
        return;
    baseline_bound(&baseline, &space);
    for (size_t i = 0; i < space.n; i++)
        if (!strcmp(space.setting[i].key, a->of->key) && space.setting[i].at_most < 1)
            a->alone_at_most = 1 / (1 - space.setting[i].at_most);
}

static enum status measure_alone(struct ablation *a, const struct config *config,
                                 struct time_share *time, struct err *err)
{
    struct config side[2];
    enum status s = STATUS_OK;
    for (int i = 0; i < 2; i++) {
        config_init(&side[i]);
        config_copy(&side[i], config);
        if (s == STATUS_OK && (i == 1) != a->is_on)
            s = turn(&side[i], a->of, i == 1, err);
    }
    if (s == STATUS_OK) {
        predict_alone(a, &side[0]);
        s = measure(&a->alone, side, time, err);
    }
    config_release(&side[0]);
    config_release(&side[1]);
    return s;
}

/* Everything off that the config has on, against it with those up to `last` on. */
static enum status measure_all(struct ablations *all, size_t last,
                               const struct config *config, struct time_share *time,
                               struct err *err)
{
    struct config side[2];
    enum status s = STATUS_OK;
    for (int i = 0; i < 2; i++) {
        config_init(&side[i]);
        config_copy(&side[i], config);
        for (size_t k = i ? last + 1 : 0; k < all->n && s == STATUS_OK; k++)
            if (all->row[k].is_on)
                s = turn(&side[i], all->row[k].of, false, err);
    }
    if (s == STATUS_OK)
        s = measure(&all->row[last].all, side, time, err);
    config_release(&side[0]);
    config_release(&side[1]);
    return s;
}

/* If they multiplied: what each gains alone, on top of those before it. */
static void predict_all(struct ablations *all)
{
    double so_far = 1;
    for (size_t i = 0; i < all->n; i++) {
        struct ablation *a = &all->row[i];
        a->all_predicted = NAN;
        if (!a->is_on)
            continue;
        so_far /= 1 + (a->alone.time.pairs ? a->alone.time.change : 0);
        a->all_predicted = so_far;
    }
}

/* Alone, or so far. One that does not fit spoils no other: it says why. However small the
 * budget is, the first is run. */
static void measure_row(struct ablations *all, size_t i, bool alone,
                        const struct config *config, struct time_share *time)
{
    struct ablation *a = &all->row[i];
    struct err why = ERR_INIT;
    enum status s = STATUS_FAILED;
    double left_s = time_share_left_s(time);
    if (left_s <= 0 && (i || !alone)) {
        err_set(&why, s, "the budget ended before it: give it more (--budget)");
        all->cut_short = true;
    } else {
        log_line("%s, %s (%zu of %zu); at most %.0f s left", a->of->what,
                 alone ? "alone" : "with those above it", i + 1, all->n, left_s);
        s = alone ? measure_alone(a, config, time, &why)
                  : measure_all(all, i, config, time, &why);
    }
    if (s != STATUS_OK && alone)
        snprintf(a->why_not, sizeof a->why_not, "%.199s", why.text);
}

enum status ablation_run(struct ablations *out, const struct config *config,
                         double budget_s, struct err *err)
{
    size_t failed = 0, on = 0;
    struct noise_mark begin = noise_begin();
    *out = (struct ablations){.n = 0};
    for (int i = 0; i < SWITCHES; i++)
        if (applies(&switches[i], config)) {
            struct ablation *a = &out->row[out->n++];
            a->of = &switches[i];
            a->is_on = is_on(a->of, config);
            on += a->is_on;
        }
    struct time_share time = time_share_begin(budget_s, (double)(out->n + on));
    for (size_t i = 0; i < out->n; i++) {
        measure_row(out, i, true, config, &time);
        failed += *out->row[i].why_not != '\0';
    }
    for (size_t i = 0; i < out->n; i++)
        if (out->row[i].is_on && !*out->row[i].why_not)
            measure_row(out, i, false, config, &time);
    predict_all(out);
    snprintf(out->busy, sizeof out->busy, "%s", noise_text_since(&begin).s);
    if (failed == out->n)
        return err_set(err, STATUS_FAILED, "%s", out->row[0].why_not);
    return STATUS_OK;
}

#endif
