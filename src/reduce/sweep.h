/*
 * One pass over a rank's spans in the order of their begins (span_stream.h), from which
 * all aggregates come. Each part keeps a small state for each lane or device, and nothing
 * for a span that has passed:
 *
 *   step_clock.h         in which step is this moment; sums cut at the borders of steps
 *   sweep_ops.h          who called whom on a lane; sums by name
 *   sweep_device.h       device time by interval union
 *   sweep_host.h         host lanes: busy, waiting, unattributed
 *   sweep_phases.h       input, forward, backward, optimizer of each step
 *   sweep_sites.h        operators by place in the user's program
 *   sweep_launch.h       launches joined with device work
 *   sweep_idle.h         why the devices were idle
 *   sweep_collectives.h  collectives one by one, and their sums
 *   sweep_memory.h       memory over time
 *   sweep_keep.h         which spans stay in full
 *
 * Private to run; reduce.c is the caller.
 */
#ifndef GAIT_REDUCE_SWEEP_H
#define GAIT_REDUCE_SWEEP_H

#include "reduce/reduce.h"
#include "reduce/shard_merge.h"
#include "reduce/step_clock.h"
#include "reduce/sweep_collectives.h"
#include "reduce/sweep_device.h"
#include "reduce/sweep_host.h"
#include "reduce/sweep_idle.h"
#include "reduce/sweep_keep.h"
#include "reduce/sweep_launch.h"
#include "reduce/sweep_memory.h"
#include "reduce/sweep_ops.h"
#include "reduce/sweep_phases.h"
#include "reduce/sweep_sites.h"
#include "run/name_sort.h"
#include "spans/span_stream.h"

/* What a lane has open or counted. */
struct sweep_lane {
    enum lane_kind kind;
    int32_t device;
    struct cover_sum busy;     /* of a stream: its work; of a host lane: any work */
    struct cover_sum waiting;  /* of a host lane: blocking calls */
    struct call_stack stack;   /* of a host lane */
    struct lane_past *past;    /* of a host lane that launches; NULL: not remembered */
    struct device_view *alone; /* of a stream: its device's; NULL: there is one device */
};

struct sweep {
    struct run *run;
    int32_t rank;      /* row */
    size_t first_lane; /* row in run->lanes of lane 0 */
    int32_t main_lane; /* where the steps are marked, or -1 */
    const struct merged *merged;
    name_id *run_name;  /* (merged->names->n) a name's id in the run; 0: not yet there */
    uint8_t *name_sort; /* (merged->names->n) enum name_sort */
    struct sweep_lane *lane;   /* (merged->n_lanes) */
    int64_t from_ns, until_ns; /* spans that lie outside are left out */
    int64_t spans, last_end_ns, first_ns;
    int64_t next_event_ns; /* when a border of steps or the end of a collective comes */
    struct step_clock clock;
    struct sweep_ops ops;
    struct sweep_sites sites;
    struct sweep_device device;
    struct sweep_host host;
    struct sweep_phases phases;
    struct sweep_launch launch;
    struct sweep_idle idle;
    struct sweep_collectives collectives;
    struct sweep_memory memory;
    struct sweep_keep keep;
};

/* The rank's row, lanes and steps are in the run; clock is of its steps. */
void sweep_init(struct sweep *sw, struct run *run, int32_t rank, size_t first_lane,
                const struct merged *merged, const struct found_steps *steps,
                const struct reduce_options *options);
void sweep_read(struct sweep *sw, struct span_stream *stream);
void sweep_finish(struct sweep *sw); /* adds the rows to the run */
void sweep_release(struct sweep *sw);

/* The run's id of a name of the stream: names enter the run when they are used. */
name_id sweep_name(struct sweep *sw, name_id local);
enum name_sort sweep_name_sort_new(struct sweep *sw, name_id local);
/* What a name of the stream says, looked at once. */
static inline enum name_sort sweep_name_sort(struct sweep *sw, name_id local)
{
    enum name_sort known = (enum name_sort)sw->name_sort[local];
    return known != NAME_SORT_UNKNOWN ? known : sweep_name_sort_new(sw, local);
}
/* One row of run->times. */
struct time_window {
    int64_t begin_ns, end_ns;
    int32_t step, device, lane; /* rows, or -1 */
};
void sweep_add_time(struct sweep *sw, const struct time_window *w, enum time_class what,
                    int64_t ns);
struct time_window sweep_step_window(const struct sweep *sw, size_t step);

#endif
