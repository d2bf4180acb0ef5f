/* Findings made by hand, so that texts do not change with the rules. */
#ifndef GAIT_TESTS_FINDINGS_FIXTURE_H
#define GAIT_TESTS_FINDINGS_FIXTURE_H

#include "findings/findings.h"

#include <stdio.h>

enum { FIXTURE_FINDINGS_MAX = 32 };

static const struct rule fixture_rules[] = {
    {.name = "fixture-input", .title = "waiting for input", .effort = EFFORT_LOW},
    {.name = "fixture-plain", .title = "unfused attention", .effort = EFFORT_MEDIUM},
    {.name = "fixture-cast", .title = "casts are repeated", .effort = EFFORT_LOW},
};

/* Of a step of 110 ms: n findings that gain 22, 11, 5.5, … ms, together 33. */
struct fixture_findings {
    struct findings f;
    struct finding finding[FIXTURE_FINDINGS_MAX];
    double roadmap_ns[FIXTURE_FINDINGS_MAX];
};

static inline void fixture_findings(struct fixture_findings *x, size_t n)
{
    *x = (struct fixture_findings){0};
    x->f = (struct findings){.finding = x->finding,
                             .n = n,
                             .checked = rule_count,
                             .step_ns = 110e6,
                             .window_steps = 4,
                             .replay_error_frac = -0.002,
                             .together_gain_ns = n ? 33e6 : 0,
                             .roadmap_gain_ns = x->roadmap_ns,
                             .rank = 1,
                             .has = NEEDS_STEPS | NEEDS_DEVICE | NEEDS_TORCH,
                             .possible = true};
    x->f.tally.edges[GRAPH_EDGE_WAIT] = 12;
    x->f.tally.unexplained_ns = 400000;
    double gain_ns = 22e6;
    for (size_t i = 0; i < n; i++, gain_ns /= 2) {
        struct finding *f = &x->finding[i];
        *f = (struct finding){.rule = &fixture_rules[i % 3],
                              .holds_ns = 1.25 * gain_ns,
                              .gain_ns = gain_ns,
                              .gain_low_ns = 0.8 * gain_ns,
                              .gain_high_ns = 1.2 * gain_ns,
                              .ceiling_ns = 1.1 * gain_ns,
                              .price = (enum price)(i % PRICE_COUNT),
                              .priority = (enum priority)(i % PRIORITY_COUNT)};
        snprintf(f->where, sizeof f->where, "train.py:%zu", 88 + i);
        snprintf(f->evidence, sizeof f->evidence, "%zu calls a step", 10 + i);
        x->roadmap_ns[i] = i + 1 == n ? 33e6 : gain_ns;
    }
    if (n)
        snprintf(x->finding[0].missing, sizeof x->finding[0].missing,
                 "what workers take from the host");
}

#endif
