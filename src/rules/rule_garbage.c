/* Full collections of Python's garbage, asked for or not, while the step waits. */
#include "evidence/repeated.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "rules/rule.h"

void rule_garbage_collector(const struct rule *rule, const struct evidence *e,
                            struct findings *f)
{
    enum { SHARE_FRAC };
    struct repeated r = repeated_in_series(e, TIMING_KIND_GARBAGE);
    if (!r.hits || !r.steps)
        return;
    double a_step_ns = r.one_ns * (double)r.hits / (double)r.steps;
    if (a_step_ns < rule->limit[SHARE_FRAC].value * e->step_ns)
        return;
    struct finding *x = findings_add(f, rule);
    x->price = PRICE_INTERVAL;
    x->holds_ns = a_step_ns;
    x->holds_timed = true;
    x->direct_gain_ns = a_step_ns;
    evidence_say(x,
                 "a full collection of {} is in {} of {} untraced steps: {} of all time",
                 quantity_time("collection_ms", r.cost_ns),
                 quantity_whole("steps_with_it", (double)r.hits),
                 quantity_whole("untraced_steps", (double)r.steps),
                 quantity_percent("time_frac", a_step_ns / e->step_ns, 1));
}
