/* A rank with a device, and operators of known work, by hand. */
#ifndef GAIT_TESTS_WORK_FIXTURE_H
#define GAIT_TESTS_WORK_FIXTURE_H

#include "run/run.h"

/* A run of one whole rank whose device was watched for span_ns. */
static inline void work_run_init(struct run *r, const char *device, int64_t span_ns)
{
    run_init(r);
    ranks_add(&r->ranks, (struct rank){.device = names_add_z(&r->names, device),
                                       .devices = 1,
                                       .complete = 1,
                                       .source = RUN_SOURCE_KINETO});
    times_add(&r->times, (struct class_time){.rank = 0,
                                             .step = -1,
                                             .device = -1,
                                             .lane = -1,
                                             .what = TIME_CLASS_SPAN,
                                             .ns = span_ns});
}

static inline void add_op(struct run *r, enum span_kind kind, const char *name,
                          struct op o)
{
    o.rank = 0;
    o.kind = kind;
    o.place = kind == SPAN_KIND_OP ? LANE_KIND_CPU : LANE_KIND_DEVICE;
    o.name = names_add_z(&r->names, name);
    ops_add(&r->ops, o);
}

#endif
