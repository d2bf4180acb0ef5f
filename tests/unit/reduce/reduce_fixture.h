/* A recording made by hand: spans on a thread and a stream, and what became of them. */
#ifndef GAIT_TESTS_REDUCE_FIXTURE_H
#define GAIT_TESTS_REDUCE_FIXTURE_H

#include "cmocka_setup.h"
#include "reduced.h"

#include "reduce/reduce.h"

#include <string.h>

struct fixture {
    struct run run;
    struct reducer *reducer;
    struct reduce_shard *shard;
    int32_t cpu, gpu; /* lanes */
};

static inline void begin_with(struct fixture *f, struct reduce_options o)
{
    run_init(&f->run);
    f->reducer = reducer_new(&o, 1);
    f->shard = reducer_shard(f->reducer, 0);
    f->cpu = shard_lane(
        f->shard, (struct lane){.kind = LANE_KIND_CPU, .device = -1, .pid = 1, .tid = 1});
    f->gpu = shard_lane(f->shard,
                        (struct lane){.kind = LANE_KIND_DEVICE, .device = 0, .tid = 7});
}

static inline void begin(struct fixture *f, size_t keep_spans)
{
    begin_with(f, (struct reduce_options){.keep_spans = keep_spans});
}

static inline void finish(struct fixture *f)
{
    reduced(f->reducer, &f->run,
            (struct rank){.rank = 0, .step_method = STEP_METHOD_PROFILER_STEP});
    reducer_free(f->reducer);
    struct err err = ERR_INIT;
    assert_int_equal(run_check(&f->run, &err), STATUS_OK);
}

static inline void add(struct fixture *f, int32_t lane, enum span_kind kind,
                       const char *name, int64_t begin_ns, int64_t end_ns)
{
    struct span s = {.lane = lane,
                     .kind = kind,
                     .name = shard_name(f->shard, name, strlen(name)),
                     .begin_ns = begin_ns,
                     .dur_ns = end_ns - begin_ns};
    shard_add(f->shard, &s);
}

static inline struct op find_op(const struct run *r, const char *name)
{
    for (size_t i = 0; i < r->ops.table.n; i++)
        if (!strcmp(run_name(r, r->ops.name[i]), name))
            return ops_get(&r->ops, i);
    fail_msg("no op %s", name);
    return (struct op){0};
}

static inline int64_t find_time(const struct run *r, int32_t step, int32_t lane,
                                int32_t device, enum time_class what)
{
    for (size_t i = 0; i < r->times.table.n; i++)
        if (r->times.step[i] == step && r->times.lane[i] == lane &&
            r->times.device[i] == device && r->times.what[i] == what)
            return r->times.ns[i];
    fail_msg("no %s of step %d lane %d", time_class_text[what], step, lane);
    return 0;
}

/* The same with a number that ties a launch to its work. */
static inline void add_numbered(struct fixture *f, int32_t lane, enum span_kind kind,
                                const char *name, int64_t begin_ns, int64_t end_ns,
                                int64_t correlation)
{
    struct span s = {.lane = lane,
                     .kind = kind,
                     .name = shard_name(f->shard, name, strlen(name)),
                     .begin_ns = begin_ns,
                     .dur_ns = end_ns - begin_ns,
                     .correlation = correlation};
    shard_add(f->shard, &s);
}

#endif
