#ifdef GAIT_TRAIN
#include "base/units.h"
#include "verify/gate_fill.h"
#include "verify/proof.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double target_or(double target, double by_default)
{
    return isnan(target) ? by_default : target;
}

/* Of a step: what a busy machine does to two equal loaders. */
static const double LOADER_WAIT_MORE = 0.05;

/* Chosen: docs/verify.md has the measured differences of true equals and of faults. */
struct tolerance {
    double logits, gradient, movement, loss;
};
static const struct tolerance tolerance_f32 = {1e-4, 1e-3, 1e-2, 1e-4},
                              tolerance_bf16 = {5e-2, 1e-1, 3e-1, 2e-2};

static void gate_time(struct verify_result *out, const struct proof *p, double allowed)
{
    struct gate_result *g = gate_add(out, "step time");
    const struct ab_time *t = &p->time;
    g->numbers = (struct gate_numbers){.unit = "ms",
                                       .before = t->step_ns[0] / 1e6,
                                       .after = t->step_ns[1] / 1e6,
                                       .change_unit = "frac",
                                       .change = t->change,
                                       .change_low = isfinite(t->high) ? t->low : NAN,
                                       .change_high = isfinite(t->high) ? t->high : NAN,
                                       .allowed = allowed,
                                       .before_count = (int64_t)(2 * t->pairs) * p->block,
                                       .after_count = (int64_t)(2 * t->pairs) * p->block,
                                       .untraced = true,
                                       .at_step = -1};
    snprintf(g->before, sizeof g->before, "%s", unit_ns_of(t->step_ns[0]).s);
    snprintf(g->after, sizeof g->after, "%s", unit_ns_of(t->step_ns[1]).s);
    enum verdict v = !isfinite(t->high)   ? VERDICT_UNSURE
                     : t->high <= allowed ? VERDICT_PASS
                     : t->low > allowed   ? VERDICT_FAIL
                                          : VERDICT_UNSURE;
    const char *code = v == VERDICT_FAIL     ? "slower"
                       : v == VERDICT_UNSURE ? "within_spread"
                                             : "";
    if (!isfinite(t->high)) {
        gate_decide(out, g, v, "too_few_steps",
                    "%s %%, but %zu pairs in %.0f s are too few to tell",
                    unit_signed(t->change * 100, 1).s, t->pairs, t->took_s);
        return;
    }
    int told = ab_told(t);
    gate_decide(out, g, v, code,
                "%s %% [%s, %s]: %s; %zu pairs in turns, %.0f s; allowed %s %%",
                unit_signed(t->change * 100, 1).s, unit_signed(t->low * 100, 1).s,
                unit_signed(t->high * 100, 1).s,
                told > 0   ? "slower"
                : told < 0 ? "faster"
                           : "no difference told",
                t->pairs, t->took_s, unit_signed(allowed * 100, 1).s);
}

static void gate_memory_of(struct verify_result *out, const struct proof *p, double most)
{
    struct gate_result *g = gate_add(out, "peak memory");
    double before = p->bytes[0], after = p->bytes[1], ratio = after / before;
    g->numbers.unit = "bytes";
    g->numbers.before = before;
    g->numbers.after = after;
    g->numbers.change_unit = "frac";
    g->numbers.change = ratio - 1;
    g->numbers.allowed = most - 1;
    snprintf(g->before, sizeof g->before, "%s", unit_mib(before).s);
    snprintf(g->after, sizeof g->after, "%s", unit_mib(after).s);
    gate_decide(out, g, ratio <= most ? VERDICT_PASS : VERDICT_FAIL,
                ratio <= most ? "" : "more_memory", "%s %% (allocated); allowed %s %%",
                unit_signed((ratio - 1) * 100, 1).s, unit_signed((most - 1) * 100, 1).s);
}

/* A gate on a difference of the two models. */
static void gate_error(struct verify_result *out, const struct proof *p, const char *name,
                       double error, double most, const char *worst, size_t told,
                       const char *code)
{
    struct gate_result *g = gate_add(out, name);
    if (*p->same.not_comparable) {
        does_not_apply(g, "not_comparable", p->same.not_comparable);
        return;
    }
    if (told == 0) {
        does_not_apply(g, "not_comparable", "no gradient is large enough to tell");
        return;
    }
    bool bad = !(error <= most);
    g->numbers.change_unit = "frac";
    g->numbers.change = error;
    g->numbers.allowed = most;
    snprintf(g->at_parameter, sizeof g->at_parameter, "%s", worst);
    if (error == 0)
        gate_decide(out, g, VERDICT_PASS, "", "equal");
    else
        gate_decide(out, g, bad ? VERDICT_FAIL : VERDICT_PASS, bad ? code : "",
                    "off by %.2g of its size, allowed %.0e%s%s", error, most,
                    *worst ? "; worst: " : "", worst);
}

static void gate_losses_of(struct verify_result *out, const struct proof *p, double most)
{
    struct gate_result *g = gate_add(out, "same losses");
    if (*p->same.not_comparable) {
        does_not_apply(g, "not_comparable", p->same.not_comparable);
        return;
    }
    bool bad = !(p->same.loss <= most);
    g->numbers.change_unit = "nats";
    g->numbers.change = p->same.loss;
    g->numbers.allowed = most;
    g->numbers.before_count = g->numbers.after_count = p->same.steps;
    g->numbers.at_step = p->same.loss > 0 ? p->same.loss_step : -1;
    if (p->same.loss == 0)
        gate_decide(out, g, VERDICT_PASS, "", "bitwise equal at %lld steps",
                    (long long)p->same.steps);
    else
        gate_decide(out, g, bad ? VERDICT_FAIL : VERDICT_PASS, bad ? "losses_differ" : "",
                    "at %lld equal steps off by up to %.2g nats, allowed %.0e",
                    (long long)p->same.steps, p->same.loss, most);
}

static void gate_loader(struct verify_result *out, const struct proof *p, double most)
{
    struct gate_result *g = gate_add(out, "loader wait");
    const double *share = p->wait_frac;
    most = target_or(most, share[0] + LOADER_WAIT_MORE);
    snprintf(g->before, sizeof g->before, "%.1f %%", 100 * share[0]);
    snprintf(g->after, sizeof g->after, "%.1f %%", 100 * share[1]);
    g->numbers.unit = "frac";
    g->numbers.before = share[0];
    g->numbers.after = share[1];
    g->numbers.change_unit = "frac";
    g->numbers.change = share[1] - share[0];
    g->numbers.allowed = most - share[0];
    bool bad = share[1] > most;
    gate_decide(out, g, bad ? VERDICT_FAIL : VERDICT_PASS, bad ? "waits_for_data" : "",
                "of a step; allowed %.1f %%", 100 * most);
}

void proof_gates(struct verify_result *out, const struct proof *p,
                 const struct targets *x)
{
    *out = (struct verify_result){.shared = {.before_frac = 1, .after_frac = 1},
                                  .trained_here = true};
    snprintf(out->incomparable, sizeof out->incomparable, "%s", p->same.not_comparable);
    const struct tolerance *d = p->rounded ? &tolerance_bf16 : &tolerance_f32;
    const struct same_model *m = &p->same;
    gate_time(out, p, targets_slowdown(x));
    gate_memory_of(out, p, target_or(x->max_memory_ratio, DEFAULT_MAX_MEMORY_RATIO));
    gate_error(out, p, "same logits", m->logits, target_or(x->max_logit_error, d->logits),
               "", 1, "logits_differ");
    gate_error(out, p, "same gradients", m->gradient.error,
               target_or(x->max_grad_error, d->gradient), m->gradient.name, m->parameters,
               "gradients_differ");
    gate_error(out, p, "same movement", m->movement.error,
               target_or(x->max_movement_error, d->movement), m->movement.name,
               m->parameters - m->untold, "movement_differs");
    gate_losses_of(out, p, target_or(x->max_loss_difference, d->loss));
    gate_loader(out, p, x->max_loader_wait);
}

struct other_model proof_other_model(const struct proof *p)
{
    struct other_model out = {.not_comparable = *p->same.not_comparable != '\0'};
    struct verify_result r;
    const struct targets none = targets_default();
    if (out.not_comparable) {
        snprintf(out.why, sizeof out.why, "%s", p->same.not_comparable);
        return out;
    }
    proof_gates(&r, p, &none);
    for (size_t i = 0; i < r.n && !*out.why; i++)
        if (r.gate[i].verdict == VERDICT_FAIL && !strncmp(r.gate[i].name, "same", 4))
            snprintf(out.why, sizeof out.why, "%s: %s", r.gate[i].name, r.gate[i].remark);
    return out;
}

#endif
