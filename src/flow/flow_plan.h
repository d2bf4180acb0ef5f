/*
 * What a job can be run without, and stay the same bit by bit: calls whose result is
 * there already. The hook leaves them out in some of the job's own steps (hook/gait_hook/
 * measuring/without.py) to see what that gains.
 */
#ifndef GAIT_FLOW_FLOW_PLAN_H
#define GAIT_FLOW_FLOW_PLAN_H

#include "flow/flow_classes.h"

/* Where a call's result is, beside the calls before it: */
enum {
    FLOW_RUNS = -1, /* nowhere: it must run */
    FLOW_KEPT = -2, /* the same call of the step before made it */
    FLOW_ITS_SOURCE =
        -3, /* what it is given first: a copy, or written as it is already */
};

/* (g->n) The call of the same step that made the result, or one of the above. The caller
 * frees it with mem_free(). */
int32_t *flow_plan_of(const struct flow_graph *g, const enum flow_class *classes);

/* Of what a call writes. */
double flow_made_bytes(const struct flow_graph *g, size_t op);

#endif
