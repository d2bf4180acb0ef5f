/*
 * Work of calls, counted once for each spelling of their inputs: calls repeat, so most
 * events cost the lookup of two texts. One cache a reading thread; what it has forgotten
 * is counted again.
 */
#ifndef GAIT_TRACE_WORK_CACHE_H
#define GAIT_TRACE_WORK_CACHE_H

#include "base/names.h"
#include "run/run.h"
#include "trace/event_reader.h"
#include "trace/op_work.h"

enum {
    WORK_CACHE_SLOTS = 1024, /* a power of two */
    WORK_TEXTS_MAX = 65536,
    WORK_TEXT_BYTES_MAX = 512, /* longer ones are counted anew each time */
};

struct known_work {
    uint32_t rule; /* 0: a free slot */
    uint32_t dims, types, values;
    struct op_work work;
};

struct work_cache {
    struct names texts;      /* as they stand in the trace */
    struct known_work *slot; /* (WORK_CACHE_SLOTS); NULL until the first call */
};

void work_cache_init(struct work_cache *c);
void work_cache_release(struct work_cache *c);

/* rule: of op_work_rule(), not 0. raw_dims: a number by which the caller knows the text
 * of the event's Input Dims; the same text always has the same one. */
struct op_work work_cache_count(struct work_cache *c, int rule, name_id raw_dims,
                                const struct trace_event *e);
/* The same without looking it up. */
struct op_work work_of_event(int rule, const struct trace_event *e);

/* Products of all calls: what they were multiplied in, and how many could be counted. */
struct work_tally {
    int64_t flop[OP_TYPE_COUNT]; /* by type of the factors */
    int64_t calls, unknown_calls;
};

void work_tally_count(struct work_tally *t, const struct op_work *w);
void work_tally_add(struct work_tally *to, const struct work_tally *from);
/* As facts of the rank: work.flop.bf16 …, work.calls, work.unknown_calls. */
void work_tally_to_run(const struct work_tally *t, struct run *out, int32_t rank);

#endif
