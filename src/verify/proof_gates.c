#ifdef GAIT_TRAIN
#include "verify/ab_gates.h"
#include "verify/gate_fill.h"
#include "verify/proof.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of a step: what a busy machine does to two equal loaders. */
static const double LOADER_WAIT_MORE = 0.05;

/* Chosen: docs/verify.md has the measured differences of true equals and of faults. */
struct tolerance {
    double logits, gradient, movement, loss;
};
static const struct tolerance tolerance_f32 = {1e-4, 1e-3, 1e-2, 1e-4},
                              tolerance_bf16 = {5e-2, 1e-1, 3e-1, 2e-2};

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
                                  .if_unsure = MORE_TIME};
    snprintf(out->incomparable, sizeof out->incomparable, "%s", p->same.not_comparable);
    const struct tolerance *d = p->rounded ? &tolerance_bf16 : &tolerance_f32;
    const struct same_model *m = &p->same;
    int64_t steps = (int64_t)(2 * p->time.pairs) * p->block;
    const struct ab_measured measured = {.time = p->time,
                                         .steps = {steps, steps},
                                         .bytes = {p->bytes[0], p->bytes[1]},
                                         .bytes_of = "allocated"};
    ab_gate_time(out, &measured, targets_slowdown(x));
    ab_gate_memory(out, &measured,
                   target_or(x->max_memory_ratio, DEFAULT_MAX_MEMORY_RATIO));
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
