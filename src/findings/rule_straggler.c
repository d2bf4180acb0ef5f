/* A rank that the others wait for: it does other things, or it has more to do. */
#include "findings/finding.h"
#include "findings/meetings_of.h"
#include "findings/untraced_lead.h"

#include <math.h>
#include <stdio.h>

/* Thresholds of both rules. */
enum { LATE_FRAC, STEADY_RATIO, UNEQUAL_RATIO, LAST_FRAC };

/* Floating-point work of a rank's steps, mean; 0: not known. */
static double work_of(const struct evidence *e, int32_t rank)
{
    const struct steps *s = &e->run->steps;
    double flop = 0;
    size_t n = 0;
    for (size_t i = 0; i < s->table.n; i++)
        if (s->rank[i] == rank && s->flop[i] > 0) {
            flop += (double)s->flop[i];
            n++;
        }
    return n ? flop / (double)n : 0;
}

/* The late rank's work over the mean of all ranks; 1: equal or not known. */
static double work_ratio(const struct evidence *e, int32_t late)
{
    double sum = 0, own = work_of(e, late);
    size_t n = e->run->ranks.table.n;
    for (size_t i = 0; i < n; i++) {
        double flop = work_of(e, (int32_t)i);
        if (flop <= 0)
            return 1;
        sum += flop;
    }
    return own / (sum / (double)n);
}

static void tell_where(struct finding *x, const struct evidence *e,
                       const struct late_rank *late)
{
    int n = snprintf(x->where, sizeof x->where, "rank %d", e->run->ranks.rank[late->row]);
    const struct job_cause *cause = &e->analysis->job.cause;
    if (cause->known && e->analysis->job.straggler == late->row)
        snprintf(x->where + n, sizeof x->where - (size_t)n,
                 ": %s %.1f ms a step, %.1f of "
                 "the median rank",
                 time_class_text[cause->what], (double)cause->own_ns / 1e6,
                 (double)cause->median_ns / 1e6);
}

/* A rank that costs the others at least this part of a step, and steadily: more than the
 * steps differ in it. *cost_ns is what it costs a step: as untraced steps show it, where
 * they do. */
static struct late_rank find_late(const struct evidence *e, const struct rule *rule,
                                  double *cost_ns)
{
    struct late_rank late = meetings_late(e);
    struct meetings_cost cost = meetings_cost(e);
    if (meetings_many_and_small(&cost)) /* the jitter of each is not the rank's */
        late.alone_ns = fmin(late.alone_ns, late.longest_ns);
    if (late.row >= 0 &&
        (late.alone_ns < rule->limit[LATE_FRAC] * e->traced_step_ns ||
         late.alone_ns < rule->limit[STEADY_RATIO] * late.spread_ns ||
         (double)late.last < rule->limit[LAST_FRAC] * (double)late.meetings))
        late.row = -1;
    if (late.row < 0)
        return late;
    double untraced_ns = untraced_lead_ns(e, late.row);
    *cost_ns = isnan(untraced_ns) ? evidence_of_step_ns(e, late.alone_ns) : untraced_ns;
    if (*cost_ns < rule->limit[LATE_FRAC] * e->step_ns)
        late.row = -1;
    return late;
}

void rule_straggler(const struct rule *rule, const struct evidence *e, struct findings *f)
{
    double cost_ns;
    struct late_rank late = find_late(e, rule, &cost_ns);
    if (late.row < 0 || work_ratio(e, late.row) >= rule->limit[UNEQUAL_RATIO])
        return;
    struct finding *x = findings_add(f, rule);
    x->price = PRICE_WAITS;
    x->holds_ns = cost_ns;
    x->direct_gain_ns = x->holds_ns;
    tell_where(x, e, &late);
    snprintf(
        x->evidence, sizeof x->evidence,
        "it comes last in %zu of %zu collectives and keeps the others waiting, %.1f ms a "
        "step (%.1f %%, over %zu steps), although it has no more to compute",
        late.last, late.meetings, x->holds_ns / 1e6, 100 * cost_ns / e->step_ns,
        late.steps);
}

void rule_unequal_work(const struct rule *rule, const struct evidence *e,
                       struct findings *f)
{
    double cost_ns;
    struct late_rank late = find_late(e, rule, &cost_ns);
    if (late.row < 0)
        return;
    double ratio = work_ratio(e, late.row), ranks = (double)e->run->ranks.table.n;
    if (ratio < rule->limit[UNEQUAL_RATIO])
        return;
    struct finding *x = findings_add(f, rule);
    x->price = PRICE_WAITS;
    x->holds_ns = cost_ns;
    /* what it has too much, all ranks share: its own part stays */
    x->direct_gain_ns = x->holds_ns * (ranks - 1) / ranks;
    tell_where(x, e, &late);
    snprintf(x->evidence, sizeof x->evidence,
             "it computes %.2f times the mean of all ranks a step, comes last in %zu of "
             "%zu collectives, and the others wait %.1f ms a step for it",
             ratio, late.last, late.meetings, x->holds_ns / 1e6);
}
