/*
 * Where device time goes, by interval union (docs/run-format.md, "Where time goes"):
 * compute covers first, communication is what it adds to that, copies what they add to
 * both, idle the rest; so the four sum to the span. Of all devices together, cut by
 * steps, and of each alone where there are several. Private to run.
 */
#ifndef GAIT_REDUCE_SWEEP_DEVICE_H
#define GAIT_REDUCE_SWEEP_DEVICE_H

#include "reduce/cover_sum.h"
#include "reduce/step_clock.h"
#include "run/run.h"

struct sweep;
struct sweep_lane;

/* A process drives no more; a damaged trace may name any number. */
enum { DEVICES_MAX = 64 };

struct device_view {
    int32_t device;
    struct cover_sum compute, communication, copies; /* each alone */
    struct cover_sum compute_or_communication, any;
    int64_t first_ns, last_ns; /* begin of the first work, end of the last */
    bool worked;
};

struct sweep_device {
    struct device_view all;
    struct device_view each[DEVICES_MAX]; /* (n) those that did work */
    int n;
    bool several; /* there are streams of more than one device */
};

void sweep_device_init(struct sweep *sw);
void sweep_device_add(struct sweep *sw, struct sweep_lane *l, const struct span *s);
/* What was covered before t. */
void sweep_device_cut(const struct sweep_device *d, struct step_cuts *cut, int64_t t_ns);
void sweep_device_finish(struct sweep *sw);
/* How long each stream had work, within the window of all devices. */
void sweep_stream_finish(struct sweep *sw, size_t lane);

#endif
