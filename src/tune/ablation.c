#ifdef GAIT_TRAIN
#include "tune/ablation.h"

#include "base/log.h"
#include "machine/cpu.h"
#include "tune/baseline.h"
#include "verify/time_share.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* In the order in which they are switched on. */
static const struct ablation_switch switches[] = {
    {"products by oneDNN", "engine", "reference", "onednn", false},
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
        if (s == STATUS_OK)
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

/* Everything off, against the first `on` rows switched on. */
static enum status measure_all(struct ablations *all, size_t on,
                               const struct config *config, struct time_share *time,
                               struct err *err)
{
    struct config side[2];
    enum status s = STATUS_OK;
    for (int i = 0; i < 2; i++) {
        config_init(&side[i]);
        config_copy(&side[i], config);
        for (size_t k = 0; k < all->n && s == STATUS_OK; k++)
            s = turn(&side[i], all->row[k].of, i == 1 && k < on, err);
    }
    if (s == STATUS_OK)
        s = measure(&all->row[on - 1].all, side, time, err);
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
        so_far /= 1 + (a->alone.time.pairs ? a->alone.time.change : 0);
        a->all_predicted = so_far;
    }
}

enum status ablation_run(struct ablations *out, const struct config *config,
                         double budget_s, struct err *err)
{
    *out = (struct ablations){.n = 0};
    for (int i = 0; i < SWITCHES; i++)
        if (applies(&switches[i], config))
            out->row[out->n++].of = &switches[i];
    struct time_share time = time_share_begin(budget_s, (double)(2 * out->n));
    size_t failed = 0;
    for (size_t i = 0; i < out->n; i++) {
        enum status s;
        log_line("%s (%zu of %zu); about %.0f s left", out->row[i].of->what, i + 1,
                 out->n, time_share_left_s(&time));
        struct err why = ERR_INIT; /* one that does not fit spoils no other */
        s = measure_alone(&out->row[i], config, &time, &why);
        if (s == STATUS_OK)
            s = measure_all(out, i + 1, config, &time, &why);
        failed += s != STATUS_OK;
        if (s != STATUS_OK)
            snprintf(out->row[i].why_not, sizeof out->row[i].why_not, "%.199s", why.text);
    }
    predict_all(out);
    if (failed == out->n)
        return err_set(err, STATUS_FAILED, "%s", out->row[0].why_not);
    return STATUS_OK;
}

#endif
