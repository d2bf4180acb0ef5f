/* Full collections of Python's garbage, asked for or not, while the step waits. */
#include "base/units.h"
#include "findings/finding.h"
#include "findings/repeated.h"

#include <stdio.h>

void rule_garbage_collector(const struct rule *rule, const struct evidence *e,
                            struct findings *f)
{
    enum { SHARE_FRAC };
    struct repeated r = repeated_in_series(e, TIMING_KIND_GARBAGE);
    if (!r.hits || !r.steps)
        return;
    double a_step_ns = r.one_ns * (double)r.hits / (double)r.steps;
    if (a_step_ns < rule->limit[SHARE_FRAC] * e->step_ns)
        return;
    struct finding *x = findings_add(f, rule);
    x->price = PRICE_INTERVAL;
    x->holds_ns = a_step_ns;
    x->holds_timed = true;
    x->direct_gain_ns = a_step_ns;
    snprintf(
        x->evidence, sizeof x->evidence,
        "a full collection of %s is in %zu of %zu untraced steps: %.1f %% of all time",
        unit_ns_of(r.cost_ns).s, r.hits, r.steps, 100 * a_step_ns / e->step_ns);
}
