/*
 * What the job's own steps took with and without calls of a class, in turns: the recorder
 * left them out where their results were there already (flow/flow_plan.h).
 */
#ifndef GAIT_PRICE_RAN_WITHOUT_H
#define GAIT_PRICE_RAN_WITHOUT_H

#include "base/stats.h"
#include "evidence/watched.h"
#include "flow/flow_plan.h"
#include "price/finding.h"

struct ran_without {
    struct median_interval gain; /* ns of a step; n: pairs of steps, 0: it was not run */
    int32_t *plan;               /* (calls of the graph) */
    double traced_ns;            /* of all calls that were left out, in all steps */
};

/* Release it whatever it says. */
struct ran_without ran_without_of(const struct evidence *e, enum flow_class of);
void ran_without_release(struct ran_without *r);

static inline bool ran_without_call(const struct ran_without *r, int32_t call)
{
    return r->gain.n && r->plan[call] != FLOW_RUNS;
}

/* The price of what the finding edits, of which calls of traced_ns, in all steps, were
 * left out; the rest is as replayed. As it was where the pairs do not tell. */
void ran_without_price(const struct ran_without *r, const struct evidence *e,
                       struct finding *x, double traced_ns);

#endif
