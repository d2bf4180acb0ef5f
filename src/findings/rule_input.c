/* Time in which the step waits for its batch, with and without workers. */
#include "base/units.h"
#include "findings/fetches.h"
#include "findings/finding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void tell_price(struct finding *x, const struct evidence *e,
                       const struct fetches *f)
{
    double keep = fetches_price(x, e, f);
    snprintf(x->where, sizeof x->where, "%s", evidence_name(e, f->longest));
    snprintf(
        x->missing, sizeof x->missing, "%s",
        keep == 0 ? "what worker processes take from the host's cores"
        : isnan(f->computing_frac)
            ? "how much of the fetch computes: all cores are busy with operators, and "
              "a worker would share them"
            : "what a worker's computing takes from operators that keep all cores "
              "busy");
}

void rule_input_bound(const struct rule *rule, const struct evidence *e,
                      struct findings *f)
{
    enum { FETCHING_FRAC };
    struct fetches fetches = fetches_find(e);
    /* collate-work is asked before: the same time under a name that says more */
    if (!fetches.longest || fetches.workers || findings_have(f, "collate-work") ||
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
                 "; %s of that computes, the rest waits",
                 unit_percent(fetches.computing_frac).s);
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
    tell_price(x, e, &fetches);
    snprintf(x->evidence, sizeof x->evidence,
             "workers load ahead, and still %.1f %% of a step waits for them%s",
             100 * fetches.share_frac,
             isnan(fetches.timed_ns) ? "" : " (timed without the tracer)");
    snprintf(x->missing, sizeof x->missing,
             "whether the workers compute or wait, and which cores more of them would "
             "have");
}
