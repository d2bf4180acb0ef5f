/*
 * Host lanes, by interval union: waiting covers first, busy is what operators and calls
 * add to it, unattributed the rest. Over the window of the steps, where there are any,
 * else over all host work; the lane that marks the steps also step by step. And the
 * phases of steps, which are marked on that lane. Private to run.
 */
#ifndef GAIT_RUN_SWEEP_HOST_H
#define GAIT_RUN_SWEEP_HOST_H

#include "run/run.h"
#include "run/step_clock.h"

struct sweep;
struct sweep_lane;

struct sweep_host {
    int64_t begin_ns, end_ns;         /* the window */
    bool by_steps;                    /* the window is that of the steps */
    bool any;                         /* there is a window */
    int64_t (*phase_ns)[PHASE_COUNT]; /* (steps) NULL: no phase was seen */
};

void sweep_host_init(struct sweep *sw);
void sweep_host_release(struct sweep_host *h);
/* step: in which the span begins, or -1. */
void sweep_host_add(struct sweep *sw, struct sweep_lane *l, const struct span *s,
                    int64_t step);
/* What the main lane had covered before t. */
void sweep_host_cut(const struct sweep *sw, struct step_cuts *cut, int64_t t_ns);
void sweep_host_lane_finish(struct sweep *sw, size_t lane);
void sweep_phases_finish(struct sweep *sw);

#endif
