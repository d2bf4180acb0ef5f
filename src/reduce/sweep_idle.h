/*
 * Why the devices were idle (docs/run-format.md, "Why a device was idle"). An idle
 * interval ends when work begins; what the thread that launched this work did until its
 * call ended is the reason for that part, and the rest, when the work had been launched
 * and had not begun, lies between launch and device. The parts sum to the idle time, of
 * the recording and of each step. Private to run.
 */
#ifndef GAIT_REDUCE_SWEEP_IDLE_H
#define GAIT_REDUCE_SWEEP_IDLE_H

#include "reduce/cover_history.h"
#include "run/run.h"

struct sweep;
struct sweep_lane;
struct launch;

#define IDLE_NO INT64_MIN

enum {
    IDLE_REASONS = TIME_CLASS_IDLE_UNKNOWN - TIME_CLASS_IDLE_INPUT + 1,
    LAUNCHING_LANES_MAX = 64, /* whose past is remembered: those with most launches */
};

/* What a launching lane did lately. */
struct lane_past {
    struct cover_history input;
    struct cover_history input_or_blocked;
};

struct sweep_idle {
    struct lane_past past[LAUNCHING_LANES_MAX];
    int64_t whole_ns[IDLE_REASONS];
    int64_t (*stretch_ns)[IDLE_REASONS]; /* (borders + 1) between borders of steps */
    int64_t begun_ns;                    /* begin of the first device work */
};

void sweep_idle_init(struct sweep *sw);
void sweep_idle_release(struct sweep_idle *i);
/* Any span of a lane that has a past. */
void sweep_idle_host(struct sweep *sw, struct sweep_lane *l, const struct span *s);
/* Since when the devices were idle when this work begins, or IDLE_NO. Before it is added
 * to the device's time. */
int64_t sweep_idle_since(struct sweep *sw, const struct span *s);
/* The devices were idle in [begin, end); the work that ended it was launched by `launch`,
 * or NULL where that was not recorded. */
void sweep_idle_add(struct sweep *sw, int64_t begin_ns, int64_t end_ns,
                    const struct launch *launch, bool collective);
/* After the last span: the devices stay idle to the end of the last step. */
void sweep_idle_end(struct sweep *sw);
void sweep_idle_finish(struct sweep *sw);

#endif
