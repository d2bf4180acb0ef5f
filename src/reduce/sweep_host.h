/*
 * Host lanes, by interval union: waiting covers first, busy is what operators and calls
 * add to it, unattributed the rest. Over the window of the steps, where there are any,
 * else over all host work; the lane that marks the steps also step by step. Private to
 * run.
 */
#ifndef GAIT_REDUCE_SWEEP_HOST_H
#define GAIT_REDUCE_SWEEP_HOST_H

#include "reduce/step_clock.h"
#include "run/run.h"

struct sweep;
struct sweep_lane;

struct sweep_host {
    int64_t begin_ns, end_ns; /* the window */
    bool by_steps;            /* the window is that of the steps */
    bool any;                 /* there is a window */
};

void sweep_host_init(struct sweep *sw);
void sweep_host_add(struct sweep *sw, struct sweep_lane *l, const struct span *s);
/* What the main lane had covered before t. */
void sweep_host_cut(const struct sweep *sw, struct step_cuts *cut, int64_t t_ns);
void sweep_host_lane_finish(struct sweep *sw, size_t lane);

#endif
