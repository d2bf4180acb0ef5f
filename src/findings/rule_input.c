/* Time in which the step waits for its batch, with and without workers. */
#include "findings/fetches.h"
#include "findings/finding.h"
#include "findings/host_cores.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Least part of a stall that is gained where cores are idle: workers compete for the
 * host. docs/rules/input-bound.md */
static const double IDLE_LOW_FRAC = 0.75;

/* What is left of a fetch when another process does it, with the least and the most.
 * Where cores are idle, nothing. Where all are busy, its waiting goes; its computing goes
 * from one core, while the others stood still, to all of them at best (1 / cores is
 * left), or takes as much from the operators as it took alone (all is left). */
struct moved {
    double keep;
    double low_frac, high_frac; /* of the gain */
};

static struct moved move_to_workers(const struct evidence *e, const struct fetches *f)
{
    struct host_cores c = host_cores(e);
    if (!host_cores_busy(e, &c))
        return (struct moved){0, IDLE_LOW_FRAC, 1};
    double computing_low = isnan(f->computing_frac) ? 0 : f->computing_frac;
    double computing_high = isnan(f->computing_frac) ? 1 : f->computing_frac;
    double share = host_cores_or_cpus(&c);
    double least_left = isnan(share) ? 0 : 1 / fmax(1, share);
    double gain_low = 1 - computing_high;
    double gain_high = 1 - computing_low * least_left;
    double gain = (gain_low + gain_high) / 2;
    return (struct moved){1 - gain, gain_low / gain, gain_high / gain};
}

static void tell_price(struct finding *x, const struct evidence *e, struct fetches *f)
{
    struct moved m = move_to_workers(e, f);
    x->edits = f->edits;
    edit_list_set_keep(&x->edits, m.keep);
    x->price = m.keep > 0 ? PRICE_MODELLED : PRICE_REPLAYED;
    x->low_frac = m.low_frac;
    x->high_frac = m.high_frac;
    x->timed_ns = isnan(f->timed_ns) ? 0 : f->timed_ns;
    x->holds_ns = isnan(f->timed_ns) ? f->traced_ns : f->timed_ns;
    snprintf(x->where, sizeof x->where, "%s", evidence_name(e, f->longest));
    snprintf(
        x->missing, sizeof x->missing, "%s",
        m.keep == 0 ? "what worker processes take from the host's cores"
        : isnan(f->computing_frac)
            ? "how much of the fetch computes: all cores are busy with operators, and "
              "a worker would share them"
            : "what a worker's computing takes from operators that keep all cores "
              "busy");
}

/* The same time under a name that says more; that rule is asked before. */
static bool is_told(const struct findings *f, const char *rule)
{
    for (size_t i = 0; i < f->n; i++)
        if (!strcmp(f->finding[i].rule->name, rule))
            return true;
    return false;
}

void rule_input_bound(const struct rule *rule, const struct evidence *e,
                      struct findings *f)
{
    enum { FETCHING_FRAC };
    struct fetches fetches = fetches_find(e);
    if (!fetches.longest || fetches.workers || is_told(f, "collate-work") ||
        fetches.share_frac < rule->limit[FETCHING_FRAC]) {
        edit_list_release(&fetches.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    tell_price(x, e, &fetches);
    int n = snprintf(x->evidence, sizeof x->evidence,
                     "%.1f %% of a step goes into fetching its batch%s; nothing loads "
                     "ahead",
                     100 * fetches.share_frac,
                     isnan(fetches.timed_ns) ? "" : " (timed without the tracer)");
    if (!isnan(fetches.computing_frac))
        snprintf(x->evidence + n, sizeof x->evidence - (size_t)n,
                 "; %.0f %% of that computes, the rest waits",
                 100 * fetches.computing_frac);
}

void rule_prefetch_short(const struct rule *rule, const struct evidence *e,
                         struct findings *f)
{
    enum { WAITING_FRAC };
    struct fetches fetches = fetches_find(e);
    if (!fetches.longest || !fetches.workers ||
        fetches.share_frac < rule->limit[WAITING_FRAC]) {
        edit_list_release(&fetches.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    /* the main process only waits; what computes are the workers */
    fetches.computing_frac = NAN;
    tell_price(x, e, &fetches);
    snprintf(x->evidence, sizeof x->evidence,
             "workers load ahead, and still %.1f %% of a step waits for them%s",
             100 * fetches.share_frac,
             isnan(fetches.timed_ns) ? "" : " (timed without the tracer)");
    snprintf(x->missing, sizeof x->missing,
             "whether the workers compute or wait, and which cores more of them would "
             "have");
}
