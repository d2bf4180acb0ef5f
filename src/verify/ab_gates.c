#include "verify/ab_gates.h"

#include "base/units.h"
#include "verify/gates.h"

#include <math.h>
#include <stdio.h>

static void fill_time(struct gate_result *g, const struct ab_measured *m, double allowed)
{
    const struct ab_time *t = &m->time;
    g->numbers = (struct gate_numbers){.unit = "ms",
                                       .before = t->step_ns[0] / 1e6,
                                       .after = t->step_ns[1] / 1e6,
                                       .change_unit = "frac",
                                       .change = t->change,
                                       .change_low = isfinite(t->high) ? t->low : NAN,
                                       .change_high = isfinite(t->high) ? t->high : NAN,
                                       .allowed = allowed,
                                       .before_count = m->steps[0],
                                       .after_count = m->steps[1],
                                       .untraced = true,
                                       .at_step = -1};
    snprintf(g->before, sizeof g->before, "%s", unit_ns_of(t->step_ns[0]).s);
    snprintf(g->after, sizeof g->after, "%s", unit_ns_of(t->step_ns[1]).s);
}

void ab_gate_time(struct verify_result *out, const struct ab_measured *m, double allowed)
{
    struct gate_result *g = gate_add(out, "step time");
    const struct ab_time *t = &m->time;
    if (!t->pairs) {
        gate_decide(out, g, VERDICT_UNSURE, "too_few_steps",
                    "it ended before a pair of turns was complete");
        return;
    }
    fill_time(g, m, allowed);
    if (!isfinite(t->high)) {
        gate_decide(out, g, VERDICT_UNSURE, "too_few_steps",
                    "%s %%, but too few pairs to tell: %zu in %.0f s",
                    unit_signed(t->change * 100, 1).s, t->pairs, t->took_s);
        return;
    }
    enum verdict v = t->high <= allowed ? VERDICT_PASS
                     : t->low > allowed ? VERDICT_FAIL
                                        : VERDICT_UNSURE;
    const char *code = v == VERDICT_FAIL     ? "slower"
                       : v == VERDICT_UNSURE ? "within_spread"
                                             : "";
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

void ab_gate_memory(struct verify_result *out, const struct ab_measured *m, double most)
{
    struct gate_result *g = gate_add(out, "peak memory");
    double before = m->bytes[0], after = m->bytes[1], ratio = after / before;
    if (!m->bytes_of || !(before > 0) || !(after > 0)) {
        does_not_apply(g, "no_memory", "it was not measured of both alike");
        return;
    }
    g->numbers.unit = "bytes";
    g->numbers.before = before;
    g->numbers.after = after;
    g->numbers.change_unit = "frac";
    g->numbers.change = ratio - 1;
    g->numbers.allowed = most - 1;
    snprintf(g->before, sizeof g->before, "%s", unit_mib(before).s);
    snprintf(g->after, sizeof g->after, "%s", unit_mib(after).s);
    gate_decide(out, g, ratio <= most ? VERDICT_PASS : VERDICT_FAIL,
                ratio <= most ? "" : "more_memory", "%s %% (%s); allowed %s %%",
                unit_signed((ratio - 1) * 100, 1).s, m->bytes_of,
                unit_signed((most - 1) * 100, 1).s);
}

void verify_jobs(struct verify_result *out, const struct ab_measured *m,
                 const struct run *before, const struct run *after,
                 const struct targets *targets)
{
    const struct pair p = {.before = before, .after = after, .targets = *targets};
    *out = (struct verify_result){.shared = shared_work_of(before, after),
                                  .if_unsure = MORE_TIME};
    ab_gate_time(out, m, targets_slowdown(targets));
    ab_gate_memory(out, m,
                   target_or(targets->max_memory_ratio, DEFAULT_MAX_MEMORY_RATIO));
    struct gate_result *g = gate_add(out, "same losses");
    gate_count(out, g, gate_losses(g, &p));
    g = gate_add(out, "same gradients");
    gate_count(out, g, gate_gradients(g, &p));
    g = gate_add(out, "same movement");
    gate_count(out, g, gate_movement(g, &p));
}
