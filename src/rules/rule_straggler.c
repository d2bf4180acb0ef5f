/* A rank that the others wait for: it does other things, or it has more to do. */
#include "evidence/meetings_of.h"
#include "evidence/untraced_lead.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "price/statements.h"
#include "rules/rule.h"

#include <math.h>
#include <stdio.h>

/* Thresholds of both rules. */
enum { LATE_FRAC, STEADY_RATIO, UNEQUAL_RATIO, STEPS_FRAC };

/* A rank that is late before its backward pass leads by all that it costs; one that is
 * slow throughout by its forward pass alone, about a third of it. */
static const double THROUGHOUT_FRAC[2] = {0.3, 0.5};

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

struct late {
    int32_t row;              /* -1: nobody */
    double cost_ns;           /* a step */
    bool timed;               /* without the tracer */
    size_t late_steps, steps; /* seen in so many of so many; timed: in all */
};

static void say_late(struct finding *x, const struct late *late)
{
    if (late->timed)
        evidence_say(
            x,
            "it waits less than the next rank in collectives and the backward pass "
            "(median of {} untraced steps): the others wait for it",
            quantity_whole("untraced_steps", (double)late->steps));
    else
        evidence_say(
            x,
            "in {} of {} traced steps the others wait longer for it than for one "
            "another",
            quantity_whole("late_steps", (double)late->late_steps),
            quantity_whole("traced_steps", (double)late->steps));
}

/* Is it known what the rank does longer than the others? */
static bool cause_is_known(const struct evidence *e, const struct late *late)
{
    return e->analysis->job.cause.known && e->analysis->job.straggler == late->row;
}

static void add_where_values(struct finding *x, const struct evidence *e,
                             const struct late *late)
{
    const struct job_cause *cause = &e->analysis->job.cause;
    if (cause_is_known(e, late))
        evidence_beside(x, quantity_ms("own_ms", (double)cause->own_ns),
                        quantity_ms("median_rank_ms", (double)cause->median_ns));
}

static void tell_where(struct finding *x, const struct evidence *e,
                       const struct late *late)
{
    int n = snprintf(x->where, sizeof x->where, "rank %d", e->run->ranks.rank[late->row]);
    const struct job_cause *cause = &e->analysis->job.cause;
    if (cause_is_known(e, late))
        snprintf(x->where + n, sizeof x->where - (size_t)n,
                 ": %s %.1f ms a step, %.1f of "
                 "the median rank",
                 time_class_text[cause->what], (double)cause->own_ns / 1e6,
                 (double)cause->median_ns / 1e6);
}

/* By how ranks wait in untraced steps: there are more of these, and no clocks to be
 * aligned. */
static struct late late_untraced(const struct untraced_lead *lead,
                                 const struct evidence *e, const struct rule *rule)
{
    struct late late = {.row = -1};
    if (lead->row < 0 || lead->ns < rule->limit[LATE_FRAC].value * e->step_ns ||
        lead->least_ns <= 0)
        return late;
    late.row = lead->row;
    late.cost_ns = lead->ns;
    late.timed = true;
    late.late_steps = late.steps = lead->steps;
    return late;
}

/* By the collectives of the traced steps: in nearly all of them, and by more than they
 * differ in it. */
static struct late late_traced(const struct evidence *e, const struct rule *rule)
{
    struct late late = {.row = -1};
    struct late_rank seen = meetings_late(e);
    struct meetings_cost cost = meetings_cost(e);
    if (rule_many_and_small(&cost)) /* the jitter of each is not the rank's */
        seen.alone_ns = fmin(seen.alone_ns, seen.longest_ns);
    if (seen.row < 0 ||
        seen.alone_ns < rule->limit[LATE_FRAC].value * e->traced_step_ns ||
        seen.alone_ns < rule->limit[STEADY_RATIO].value * seen.spread_ns ||
        (double)seen.late_steps < rule->limit[STEPS_FRAC].value * (double)seen.steps)
        return late;
    late.row = seen.row;
    late.cost_ns = evidence_of_step_ns(e, seen.alone_ns);
    late.late_steps = seen.late_steps;
    late.steps = seen.steps;
    return late;
}

/* Untraced steps, where they tell, say who is late, and by how much unless it is slow
 * throughout. What traced steps alone show is noise; where they steadily show another
 * rank, late is now the one and now the other. */
static struct late find_late(const struct evidence *e, const struct rule *rule)
{
    struct untraced_lead lead = untraced_lead(e);
    struct late traced = late_traced(e, rule);
    if (lead.row < 0)
        return traced;
    if (traced.row >= 0 && traced.row != lead.row)
        return (struct late){.row = -1};
    bool throughout = traced.row == lead.row &&
                      lead.ns >= THROUGHOUT_FRAC[0] * traced.cost_ns &&
                      lead.ns < THROUGHOUT_FRAC[1] * traced.cost_ns;
    return throughout ? traced : late_untraced(&lead, e, rule);
}

void rule_straggler(const struct rule *rule, const struct evidence *e, struct findings *f)
{
    struct late late = find_late(e, rule);
    if (late.row < 0 || work_ratio(e, late.row) >= rule->limit[UNEQUAL_RATIO].value)
        return;
    struct finding *x = findings_add(f, rule);
    x->price = PRICE_WAITS;
    x->holds_ns = late.cost_ns;
    x->holds_timed = late.timed;
    x->direct_gain_ns = x->holds_ns;
    tell_where(x, e, &late);
    statements_place_beyond_others(e, late.row, late.cost_ns, x);
    say_late(x, &late);
    evidence_say(x, ", {} a step ({}), although it has no more to compute",
                 quantity_ms("late_ms", late.cost_ns),
                 quantity_percent("late_frac", late.cost_ns / e->step_ns, 1));
    add_where_values(x, e, &late);
}

void rule_unequal_work(const struct rule *rule, const struct evidence *e,
                       struct findings *f)
{
    struct late late = find_late(e, rule);
    if (late.row < 0)
        return;
    double ratio = work_ratio(e, late.row), ranks = (double)e->run->ranks.table.n;
    if (ratio < rule->limit[UNEQUAL_RATIO].value)
        return;
    struct finding *x = findings_add(f, rule);
    x->price = PRICE_WAITS;
    x->holds_ns = late.cost_ns;
    x->holds_timed = late.timed;
    /* what it has too much, all ranks share: its own part stays */
    x->direct_gain_ns = x->holds_ns * (ranks - 1) / ranks;
    tell_where(x, e, &late);
    statements_place_beyond_others(e, late.row, late.cost_ns, x);
    evidence_say(x, "it computes {} times the mean of all ranks a step; ",
                 quantity_number("work_ratio", QUANTITY_RATIO, ratio, 2));
    say_late(x, &late);
    evidence_say(x, ", {} a step", quantity_ms("late_ms", x->holds_ns));
    add_where_values(x, e, &late);
}
