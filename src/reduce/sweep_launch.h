/*
 * Launches and the device work that answers them, joined by correlation while both pass.
 *
 * A launch waits in a bounded table for its work: one piece, many (a graph), or none, as
 * most calls of a runtime have none; the oldest is forgotten. Work that begins before its
 * launch (clocks differ) waits for it in the same way. From the join come the device time
 * of operators, the delay from launch to work, how many launches were waiting for the
 * device, and why it was idle (sweep_idle.h). Private to run.
 */
#ifndef GAIT_REDUCE_SWEEP_LAUNCH_H
#define GAIT_REDUCE_SWEEP_LAUNCH_H

#include "reduce/recent_index.h"
#include "reduce/sweep_ops.h"
#include "run/run.h"

struct sweep;

/* A host runs some thousand launches ahead of its device, never this far. */
enum { LAUNCHES_MAX = 1 << 18, WAITING_WORK_MAX = 1 << 16 };

/* Delays in buckets of 1/8 of their value, for the first so many steps. */
enum { DELAY_BUCKETS = 336, DELAY_STEPS_MAX = 16384 };

/* Small: many are remembered. */
struct launch {
    int64_t begin_ns, end_ns;
    int32_t step; /* or -1 */
    int32_t lane;
    int32_t queue_change; /* how much longer the queue is than at the launch before */
    uint32_t call : 31;   /* the op of the launch itself */
    uint32_t answered : 1;
    struct op_context around; /* what it was called from */
};

struct waiting_work {
    int64_t begin_ns, dur_ns;
    int64_t
        idle_from_ns; /* the device was idle from then to begin_ns; IDLE_NO: it was not */
    int32_t step;     /* in which it begins, or -1 */
    enum span_kind kind;
    bool found;
};

struct delay_sums {
    int64_t count, sum_ns, peak_queue;
    uint32_t bucket[DELAY_BUCKETS];
};

struct sweep_launch {
    struct recent_index launches; /* by correlation */
    struct launch *launch;        /* (launches.cap) */
    struct recent_index works;
    struct waiting_work *work; /* (works.cap) */
    int32_t next_change;       /* queue_change of the next launch */
    int64_t queue;             /* its length at the last launch that was forgotten */
    struct delay_sums whole;
    struct delay_sums *step; /* (min(steps, DELAY_STEPS_MAX)) */
    size_t steps;
    /* Time in the queue, summed over launches: of those that began and ended in a stretch
     * between two borders of steps, and how many lasted from one to a later one. */
    int64_t *queued_ns, *lasting; /* (borders + 2) */
    int64_t work_ns;              /* all device work, added up */
    int64_t first_ns, last_ns;    /* the first launch and the last begin of its work */
    bool any;
};

void sweep_launch_init(struct sweep *sw);
void sweep_launch_release(struct sweep_launch *l);
void sweep_launch_add(struct sweep *sw, const struct span *s, int64_t step, uint32_t call,
                      const struct op_context *around);
/* Device work that begins in step; idle_from_ns as in struct waiting_work. */
void sweep_launch_answer(struct sweep *sw, const struct span *s, int64_t step,
                         int64_t idle_from_ns);
/* Is its launch known? */
bool sweep_launch_knows(const struct sweep *sw, const struct span *work);
/* Before sweep_idle_finish() and sweep_ops_finish(). */
void sweep_launch_end(struct sweep *sw);
void sweep_launch_finish(struct sweep *sw);

#endif
