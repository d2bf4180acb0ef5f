/*
 * Losses of the same steps. Gait's own trainer computes in a known order and is held to a
 * fixed limit. What a recorded PyTorch job may differ by without being another model
 * depends on the job: rounding grows from step to step, and how much a loss means shows in
 * how much it changes from one step to the next. docs/verify.md has the reasons.
 */
#include "base/mem.h"
#include "base/stats.h"
#include "base/units.h"
#include "verify/gates.h"
#include "verify/row_index.h"

#include <math.h>
#include <stdio.h>

/* Thresholds: docs/verify.md says why. */
#define SAME_LOSS_MAX_NATS 1e-4
#define LOSS_CHANGE_MAX_FRAC 0.01 /* of what a loss differs by from the step before */
#define LOSS_ROUNDING_FRAC 1e-5
#define LOSS_ROUNDING_LOW_FRAC 2e-3
enum { LOSS_STEPS = 64 }; /* of a recorded job; later ones drift apart by rounding */

struct series {
    double *v; /* (n) */
    size_t n, cap;
};

/* Losses of the same steps of both. */
struct losses_pair {
    struct series before, after, step;
    struct series change; /* before: from one step to the next */
};

static void series_add(struct series *s, double v)
{
    vec_grow(s->v, s->cap, s->n + 1);
    s->v[s->n++] = v;
}

static void pair_release(struct losses_pair *x)
{
    mem_free(x->before.v);
    mem_free(x->after.v);
    mem_free(x->step.v);
    mem_free(x->change.v);
}

static struct row_key key_of(const struct run *run, size_t i)
{
    const struct losses *l = &run->losses;
    int32_t rank = l->rank[i];
    return (struct row_key){.rank = rank < 0 ? -1 : run->ranks.rank[rank],
                            .what = l->split[i],
                            .step = l->step[i]};
}

static bool is_compared(const struct run *run, size_t i)
{
    return !is_recording(run) || run->losses.step[i] <= LOSS_STEPS;
}

static void find_common(struct losses_pair *out, const struct pair *p)
{
    struct row_index index = {0};
    const struct losses *b = &p->before->losses, *a = &p->after->losses;
    for (size_t i = 0; i < a->table.n; i++)
        row_index_add(&index, key_of(p->after, i), i);
    row_index_sort(&index);
    for (size_t i = 0; i < b->table.n; i++) {
        int64_t k = row_index_find(&index, key_of(p->before, i));
        if (k < 0 || !is_compared(p->before, i))
            continue;
        series_add(&out->before, b->loss[i]);
        series_add(&out->after, a->loss[k]);
        series_add(&out->step, (double)b->step[i]);
        double change = i ? fabs(b->loss[i] - b->loss[i - 1]) : NAN;
        if (isfinite(change) && b->rank[i] == b->rank[i - 1])
            series_add(&out->change, change);
    }
    row_index_release(&index);
}

static double median_size(const struct series *s)
{
    struct series finite = {0};
    for (size_t i = 0; i < s->n; i++)
        if (isfinite(s->v[i]))
            series_add(&finite, fabs(s->v[i]));
    double median = finite.n ? stats_median(finite.v, finite.n) : 0;
    mem_free(finite.v);
    return median;
}

/* The larger of two: a part of what the loss differs by from step to step, and what
 * rounding does to a number of its size. */
static double allowed_of_recording(const struct losses_pair *x, const struct pair *p)
{
    double rounding = is_low_precision(p) ? LOSS_ROUNDING_LOW_FRAC : LOSS_ROUNDING_FRAC;
    return fmax(LOSS_CHANGE_MAX_FRAC * median_size(&x->change),
                rounding * median_size(&x->before));
}

static struct gate_numbers compare(const struct losses_pair *x, const struct pair *p)
{
    struct gate_numbers n = no_numbers;
    bool recorded = is_recording(p->before);
    n.change = 0;
    n.change_unit = recorded ? "loss" : "nats";
    n.allowed = target_or(p->targets.max_loss_difference,
                          recorded ? allowed_of_recording(x, p) : SAME_LOSS_MAX_NATS);
    n.before_count = n.after_count = (int64_t)x->before.n;
    for (size_t i = 0; i < x->before.n; i++) {
        double difference = fabs(x->after.v[i] - x->before.v[i]);
        if (isnan(difference))
            difference = INFINITY;
        if (difference > n.change) {
            n.change = difference;
            n.at_step = (int64_t)x->step.v[i];
        }
    }
    return n;
}

static void say(struct gate_result *g, const struct gate_numbers *n, bool recorded)
{
    const char *hint = "";
    if (recorded && n->change > n->allowed)
        hint = "; if data order or dropout have no seed, that is why";
    if (n->change == 0)
        snprintf(g->remark, sizeof g->remark, "bitwise equal at %s",
                 unit_plural((double)n->after_count, "step", "steps").s);
    else
        snprintf(g->remark, sizeof g->remark,
                 "largest difference %.2g%s at step %lld, of %lld; allowed %.0e%s",
                 n->change, recorded ? "" : " nats", (long long)n->at_step,
                 (long long)n->after_count, n->allowed, hint);
}

static enum verdict judge(struct gate_result *g, const struct gate_numbers *n,
                          const struct pair *p)
{
    g->numbers = *n;
    say(g, n, is_recording(p->before));
    if (n->change <= n->allowed)
        return VERDICT_PASS;
    g->code = isfinite(n->change) ? "losses_differ" : "loss_not_finite";
    return VERDICT_FAIL;
}

enum verdict gate_losses(struct gate_result *g, const struct pair *p)
{
    struct losses_pair x = {0};
    if (run_kind(p->before) == run_kind(p->after))
        find_common(&x, p);
    enum verdict v;
    if (!x.before.n)
        v = does_not_apply(
            g, "no_common_losses",
            "the runs carry no losses of the same steps (traces have none)");
    else if (starts_differ(g, p))
        v = VERDICT_NOT_APPLICABLE;
    else {
        struct gate_numbers n = compare(&x, p);
        v = judge(g, &n, p);
    }
    pair_release(&x);
    return v;
}
