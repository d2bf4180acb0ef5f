/*
 * From spans, in any order and any number, to a run: the one place where recordings
 * become aggregates.
 *
 * A recorder (the trace reader, the probe) opens a reducer, hands over lanes and spans,
 * and finishes it. Spans are put away as they come (span_store.h), in bounded memory, and
 * given back in the order of their begins; everything is then computed in one sweep over
 * time (sweep.h), with a small state for each lane and device:
 *   - steps, from marks; where there are none, from the period of the kernels;
 *   - ops by name: self time, inclusive time with recursion counted once, and the device
 *     work they launched; by place in the user's program where Python frames are;
 *   - device time cut into compute, communication, copies and idle by interval union,
 *     idle by its reason; host lanes into busy, waiting and unattributed; for the whole
 *     recording and for each step;
 *   - launches paired with device work by correlation; collectives; memory over time;
 *   - some spans in full, as the options say.
 *
 * Several threads: each recording thread has a shard of its own and no lock; names and
 * lanes of a shard are its own until reducer_finish() merges them. The result does not
 * depend on which thread recorded what, where blocks are numbered.
 *
 * Legal order: reducer_new, shard_lane/shard_add/… (one thread a shard), reducer_finish,
 * reducer_free.
 */
#ifndef GAIT_REDUCE_REDUCE_H
#define GAIT_REDUCE_REDUCE_H

#include "run/run.h"

/* No more spans than this are kept in full, whatever was recorded: whole steps as far as
 * they fit (sweep_keep.h), so that a rank's file is some MB. */
enum {
    REDUCE_KEEP_SPANS_DEFAULT = 200000,
    REDUCE_KEEP_STEPS_MAX = 16,
    REDUCE_MEMORY_MIB_DEFAULT = 192,
};

struct reduce_options {
    size_t keep_spans;         /* 0: REDUCE_KEEP_SPANS_DEFAULT; SIZE_MAX: keep all */
    const int64_t *keep_steps; /* (n_keep_steps) numbers of steps to keep before others;
                                  must live until reducer_finish() */
    size_t n_keep_steps;       /* the first REDUCE_KEEP_STEPS_MAX count */
    size_t memory_bytes; /* of spans before the sweep, packed; what does not fit goes
                            to a temporary file. 0: REDUCE_MEMORY_MIB_DEFAULT */
    bool only_steps; /* spans that end before the first marked step begins, or begin after
                        the last has ended, are left out of everything */
};

struct reducer;
struct reduce_shard;

struct reducer *reducer_new(const struct reduce_options *options, int shards);
void reducer_free(struct reducer *r); /* NULL is fine */
struct reduce_shard *reducer_shard(struct reducer *r, int i);

name_id shard_name(struct reduce_shard *s, const char *text, size_t len);
/* The lane with these kind, device, pid and tid; made when new. lane.rank is ignored; a
 * name given later wins over an empty one. Lane numbers and names are the shard's own,
 * and hold after shard_drop_block(); a lane without spans does not reach the run. */
int32_t shard_lane(struct reduce_shard *s, struct lane lane);
void shard_lane_name(struct reduce_shard *s, int32_t lane, name_id name);
/* span.step is ignored: steps come from marks, and a span of kind STEP is one, whose
 * number is span.seq. A negative duration is a bug of the caller. For kind COLLECTIVE,
 * span.shapes is what collective_facts_text() wrote (collective_facts.h), or 0. */
void shard_add(struct reduce_shard *s, const struct span *span);
void shard_add_memory(struct reduce_shard *s, struct memory m);
/* m.bytes more (or less) than before: summed up in the order of time, from 0. */
void shard_add_memory_change(struct reduce_shard *s, struct memory m);

/* A sign that a step began or ended, beside the spans of kind STEP. */
struct step_mark {
    enum step_method method; /* what sort of mark it is */
    int32_t lane;
    int64_t begin_ns, dur_ns;
    int64_t number; /* as the source numbers it; -1: it does not */
};
void shard_add_mark(struct reduce_shard *s, struct step_mark mark);

/* All that was added since the last end or drop is a block: at most SPAN_RUN_ROWS spans
 * (span_store.h). `order` numbers blocks as recorded, over all shards, and breaks ties. A
 * recorder that calls neither has one block a shard. STATUS_ENVIRONMENT when there is no
 * room for it on disk. */
enum status shard_end_block(struct reduce_shard *s, int64_t order, struct err *err);
/* As if nothing of the block had been added. */
void shard_drop_block(struct reduce_shard *s);

/* How much went to the temporary file so far. */
int64_t reducer_spilled_bytes(struct reducer *r);

/* Add one rank to `run`: its row is `rank`, whose first_ns, last_ns, spans_*, devices and
 * step_method are filled in here (step_method is `rank.step_method` where steps were
 * found as spans of kind STEP). *row gets the rank's row. All that is left
 * to do with the reducer is reducer_free(). On failure (STATUS_ENVIRONMENT) the run is as
 * before. */
enum status reducer_finish(struct reducer *r, struct run *run, struct rank rank,
                           int32_t *row, struct err *err);

#endif
