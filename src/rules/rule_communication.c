/* Collectives that nothing hides, and collectives so small that asking is the cost. */
#include "evidence/meetings_of.h"
#include "evidence/untraced_lead.h"
#include "evidence/watched.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "price/statements.h"
#include "rules/needless.h"
#include "rules/rule.h"
#include "run/record_facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The most that DDP puts into one collective unless told otherwise. */
static const double BUCKET_BYTES = 25 * 1024 * 1024;

/* Backward passes a step in which something is exchanged, as far as that was watched;
 * else all of them, as the recorder counted them. A trace does not tell: a model may have
 * several parts that are wrapped one by one. */
static double passes(const struct evidence *e)
{
    if (e->watched)
        return fmax(1, flow_passes_with_collectives(&e->watched->graph));
    double counted = record_fact(e->run, e->rank_row, RECORD_FACT_BACKWARDS_PER_STEP);
    return counted >= 1 ? counted : 1;
}

static bool in_each_pass(const struct evidence *e, const struct meetings_cost *c)
{
    return passes(e) > 1 && c->count >= passes(e);
}

static void tell_missing(struct finding *x, const struct meetings_cost *c)
{
    snprintf(x->missing, sizeof x->missing, "%s%s",
             "how much of it compute can hide: both share cores, memory and links",
             c->waits_known ? "" : "; and how much is waiting for other ranks");
}

/* Gradients are reduced after each micro-batch although only the sum is needed. */
static void tell_passes(struct finding *x, const struct meetings_cost *c, double n)
{
    x->price = PRICE_WAITS;
    x->low_frac = 0.75; /* docs/rules/exposed-communication.md */
    x->high_frac = 1.25;
    evidence_say(
        x,
        "{} collectives a step over {} backward passes: gradients are reduced in "
        "each, once is enough; {} a step are not hidden",
        quantity_whole("collectives_per_step", c->count),
        quantity_whole("backward_passes_per_step", n),
        quantity_ms("exposed_ms", x->holds_ns));
}

static void tell_overlap(struct finding *x, const struct evidence *e,
                         const struct meetings_cost *c)
{
    x->price = PRICE_MODELLED;
    x->low_frac = 0;
    x->high_frac = 2;
    evidence_say(x,
                 "{} collectives a step take {}, of which compute hides {}; {} a "
                 "step are left, waits for other ranks {}",
                 quantity_whole("collectives_per_step", c->count),
                 quantity_ms("collectives_ms", evidence_of_step_ns(e, c->total_ns)),
                 quantity_percent("hidden_frac", 1 - c->exposed_ns / c->total_ns, 0),
                 quantity_ms("exposed_ms", x->holds_ns),
                 quantity_words(c->waits_known ? "not counted" : "included"));
}

/* Gathers and broadcasts that the job's own code waits for: neither the model nor the
 * optimizer is known to need them. */
static void tell_exchange(struct finding *x, double share)
{
    evidence_say(
        x,
        "the job's own code waits {} a step ({}) for gathers and "
        "broadcasts, outside of the model and the optimizer, measured without the "
        "tracer",
        quantity_ms("waiting_ms", x->holds_ns),
        quantity_percent("waiting_frac", share, 0));
    snprintf(x->missing, sizeof x->missing,
             "whether the step can do without; what is made of their results; waits that "
             "come back at the next collective");
}

static void tell_buffers(struct finding *x, double share)
{
    evidence_say(
        x,
        "DistributedDataParallel broadcasts the model's buffers before the forward "
        "pass and waits {} a step ({}) for it, measured without the tracer: "
        "buffers that no rank changes need it once",
        quantity_ms("waiting_ms", x->holds_ns),
        quantity_percent("waiting_frac", share, 0));
    snprintf(
        x->missing, sizeof x->missing,
        "whether ranks change the buffers, as BatchNorm does; waits that come back at "
        "the next collective");
}

/* Time of the main thread in calls that ask for collectives, a step. */
static double asking_ns(const struct evidence *e)
{
    double ns = 0;
    if (e->main_thread == SIZE_MAX)
        return 0;
    const struct host_thread *t = &e->threads[e->main_thread];
    for (size_t i = 0; i < t->n; i++) {
        const struct host_op *op = &t->op[i];
        if (op->kind == SPAN_KIND_OP && !strncmp(evidence_name(e, op), "c10d::", 6))
            ns += (double)host_op_ns(op);
    }
    return ns / (double)e->steps;
}

/* What a rank that is steadily late costs the others: they wait for it at the next
 * collective if not at this one. */
static double late_ns(const struct evidence *e)
{
    struct untraced_lead lead = untraced_lead(e);
    return lead.row >= 0 && lead.least_ns > 0 ? lead.least_ns : 0;
}

/* What the job's own code waits for gathers and broadcasts, a step, if it is enough to
 * tell; else 0. */
static double exchange_seen_ns(const struct rule *rule, const struct evidence *e,
                               const struct meetings_cost *c)
{
    enum { EXPOSED_FRAC, HIDDEN_FRAC, COUNT_MAX };
    double others = (double)e->run->ranks.table.n - 1;
    double ns = untraced_wait(e, TIMING_KIND_EXCHANGE).mean_ns -
                late_ns(e) * others / (others + 1);
    /* what is waited for is timed: it need not stand out of the last bucket */
    bool enough = c->count <= rule->limit[COUNT_MAX].value &&
                  ns >= rule->least_gain_frac * e->step_ns;
    return enough ? ns : 0;
}

/* The same of DistributedDataParallel's broadcast of buffers. Every model that has some
 * waits there, so the broadcast itself must be long enough: what the rank waits that
 * waits least. Those that get the buffers take longer than the one that sends them, and
 * all go on together at the next collective: the longest counts. */
static double buffers_seen_ns(const struct rule *rule, const struct evidence *e)
{
    struct untraced_wait wait = untraced_wait(e, TIMING_KIND_BUFFERS);
    double ns = wait.longest_ns - late_ns(e),
           least_ns = rule->least_gain_frac * e->step_ns;
    return wait.least_ns >= least_ns && ns >= least_ns ? ns : 0;
}

/* --- which of the two is told: they hold the same time --- */

/* What is not hidden, as far as it is not waiting, if exposed-communication sees it; else
 * 0. Traced. */
static double exposed_seen_ns(const struct rule *rule, const struct evidence *e,
                              const struct meetings_cost *c)
{
    enum { EXPOSED_FRAC, HIDDEN_FRAC, COUNT_MAX };
    /* a rank that is late stays so; the jitter at each of them goes with their number */
    double ns = c->exposed_ns - (in_each_pass(e, c) ? c->longest_ns : c->waiting_ns);
    /* many small ones: small-collectives */
    if (c->count <= 0 || (!in_each_pass(e, c) && c->count > rule->limit[COUNT_MAX].value))
        return 0;
    /* the last bucket of a backward pass has nothing left that could hide it */
    if (!in_each_pass(e, c) && collectives_in_backward(e))
        ns = fmin(ns, c->exposed_ns - c->last_ns);
    /* what overlaps already leaves its last part */
    if (!in_each_pass(e, c) &&
        c->total_ns - c->exposed_ns > rule->limit[HIDDEN_FRAC].value * c->total_ns)
        ns *= fmin(1, meetings_hardly_hidden_ns(e, rule->limit[HIDDEN_FRAC].value) /
                          c->exposed_ns);
    return ns >= rule->limit[EXPOSED_FRAC].value * e->traced_step_ns ? ns : 0;
}

static double exposed_gain_ns(const struct evidence *e, const struct meetings_cost *c,
                              double seen_ns)
{
    double n = passes(e);
    /* once is enough; else between nothing and all of it */
    return evidence_of_step_ns(e, seen_ns) * (in_each_pass(e, c) ? (n - 1) / n : 0.5);
}

bool rule_many_and_small(const struct meetings_cost *c)
{
    enum { COUNT_MIN, BYTES_MAX };
    const struct rule *rule = rule_named("small-collectives");
    return c->count >= rule->limit[COUNT_MIN].value &&
           c->bytes <= rule->limit[BYTES_MAX].value * c->count;
}

/* The same with the time of asking for them, if small-collectives sees it; else 0. */
static double small_seen_ns(const struct rule *rule, const struct evidence *e,
                            const struct meetings_cost *c)
{
    enum { COUNT_MIN, BYTES_MAX, COST_FRAC };
    /* a rank that is late stays so; the jitter at each of them goes with their number */
    double ns = c->exposed_ns - c->longest_ns + asking_ns(e);
    if (!rule_many_and_small(c) || ns < rule->limit[COST_FRAC].value * e->traced_step_ns)
        return 0;
    return ns;
}

static double small_gain_ns(const struct evidence *e, const struct meetings_cost *c,
                            double seen_ns)
{
    double needed = fmax(1, ceil(c->bytes / BUCKET_BYTES)) * passes(e);
    return seen_ns > 0 ? evidence_of_step_ns(e, seen_ns) * fmax(0, 1 - needed / c->count)
                       : 0;
}

static void find_unhidden(const struct rule *rule, const struct evidence *e,
                          const struct meetings_cost *c, struct findings *f)
{
    double seen_ns = exposed_seen_ns(rule, e, c);
    double gain_ns = exposed_gain_ns(e, c, seen_ns);
    double other_ns = small_seen_ns(rule_named("small-collectives"), e, c);
    if (seen_ns <= 0 || small_gain_ns(e, c, other_ns) > gain_ns)
        return;
    struct finding *x = findings_add(f, rule);
    x->holds_ns = evidence_of_step_ns(e, seen_ns);
    x->of_collectives = true;
    x->direct_gain_ns = gain_ns;
    snprintf(x->where, sizeof x->where, "rank %d", e->run->ranks.rank[e->rank_row]);
    statements_place_collectives(e, c->count, x);
    if (in_each_pass(e, c))
        tell_passes(x, c, passes(e));
    else
        tell_overlap(x, e, c);
    tell_missing(x, c);
}

void rule_exposed_communication(const struct rule *rule, const struct evidence *e,
                                struct findings *f)
{
    if (needless_collectives(rule, e, f)) /* then nothing needs to hide it */
        return;
    struct meetings_cost c = meetings_cost(e);
    /* what the training itself reads cannot be left out */
    bool needed = e->watched && flow_exchanges_are_needed(&e->watched->graph);
    double exchange_ns = needed ? 0 : exchange_seen_ns(rule, e, &c);
    double buffers_ns = buffers_seen_ns(rule, e);
    if (fmax(exchange_ns, buffers_ns) <= 0) {
        find_unhidden(rule, e, &c, f);
        return;
    }
    struct finding *x = findings_add(f, rule);
    x->price = PRICE_WAITS;
    x->holds_ns = fmax(exchange_ns, buffers_ns);
    x->holds_timed = true;
    x->direct_gain_ns = x->holds_ns;
    x->low_frac = 0; /* docs/rules/exposed-communication.md */
    x->high_frac = 1.5;
    snprintf(x->where, sizeof x->where, "%s", "all ranks");
    if (buffers_ns <= exchange_ns)
        statements_place_collectives(e, 0, x);
    if (buffers_ns > exchange_ns)
        tell_buffers(x, buffers_ns / e->step_ns);
    else
        tell_exchange(x, exchange_ns / e->step_ns);
}

void rule_small_collectives(const struct rule *rule, const struct evidence *e,
                            struct findings *f)
{
    struct meetings_cost c = meetings_cost(e);
    double seen_ns = small_seen_ns(rule, e, &c);
    double gain_ns = small_gain_ns(e, &c, seen_ns);
    double other_ns = exposed_seen_ns(rule_named("exposed-communication"), e, &c);
    if (seen_ns <= 0 || exposed_gain_ns(e, &c, other_ns) >= gain_ns)
        return;
    struct finding *x = findings_add(f, rule);
    x->price = PRICE_MODELLED;
    x->holds_ns = evidence_of_step_ns(e, seen_ns);
    x->of_collectives = true;
    x->direct_gain_ns = gain_ns;
    x->low_frac = 0.3; /* docs/rules/small-collectives.md */
    x->high_frac = 1.2;
    snprintf(x->where, sizeof x->where, "rank %d", e->run->ranks.rank[e->rank_row]);
    statements_place_collectives(e, c.count, x);
    evidence_say(
        x,
        "{} collectives a step{}; asking for them and what is not hidden take {} a step",
        quantity_whole("collectives_per_step", c.count),
        quantity_words(c.bytes > 0 ? " of few bytes each" : ""),
        quantity_ms("asking_and_exposed_ms", x->holds_ns));
    snprintf(x->missing, sizeof x->missing, "what one large collective takes instead%s",
             c.bytes > 0 ? "" : "; the bytes of each are not recorded");
}
