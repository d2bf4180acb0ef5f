/*
 * From spans, in any order and any number, to a run: the one place where recordings
 * become aggregates.
 *
 * A recorder (the trace reader, the probe) opens a reducer, hands over lanes and spans,
 * and finishes it. The reducer
 *   1. sorts each lane by begin, -duration, seq, and finds who called whom;
 *   2. sums ops by name: self time, and inclusive time with recursion counted once;
 *   3. takes the steps from spans of kind STEP, the phases from spans of kind PHASE;
 *   4. cuts device time into compute, communication, copies and idle by interval union,
 * host lanes into busy, waiting and unattributed; for the whole recording and for each
 * step;
 *   5. pairs launches with device work by correlation;
 *   6. keeps spans in full only as the options say.
 *
 * Several threads: each recording thread has a shard of its own and no lock; names and
 * lanes of a shard are its own until reducer_finish() merges them. Today's reducer holds
 * compact rows in memory; what follows a bound must only replace the store behind
 * shard_add().
 *
 * Legal order: reducer_new, shard_lane/shard_add/… (one thread a shard), reducer_finish,
 * reducer_free.
 */
#ifndef GAIT_RUN_REDUCE_H
#define GAIT_RUN_REDUCE_H

#include "run/run.h"

/* No more spans than this are kept in full, whatever was recorded: whole steps as far as
 * they fit (recording_keep.c), so that a rank's file is some MB. */
enum { REDUCE_KEEP_SPANS_DEFAULT = 200000 };

struct reduce_options {
    size_t keep_spans; /* 0: REDUCE_KEEP_SPANS_DEFAULT; SIZE_MAX: keep all */
};

struct reducer;
struct reduce_shard;

struct reducer *reducer_new(const struct reduce_options *options, int shards);
void reducer_free(struct reducer *r); /* NULL is fine */
struct reduce_shard *reducer_shard(struct reducer *r, int i);

name_id shard_name(struct reduce_shard *s, const char *text, size_t len);
/* The lane with these kind, device, pid and tid; made when new. lane.rank is ignored; a
 * name given later wins over an empty one. Lane numbers and names are the shard's own. */
int32_t shard_lane(struct reduce_shard *s, struct lane lane);
void shard_lane_name(struct reduce_shard *s, int32_t lane, name_id name);
/* span.step is ignored: steps come from spans of kind STEP. A negative duration is a bug
 * of the caller. For kind STEP, span.seq is the step's number. */
void shard_add(struct reduce_shard *s, const struct span *span);
void shard_add_memory(struct reduce_shard *s, struct memory m);

/* Add one rank to `run`: its row is `rank`, whose first_ns, last_ns, spans_*, devices and
 * step_method are filled in here (step_method is `rank.step_method` where steps were
 * found, else NONE). Returns the rank's row. The shards are empty afterwards. */
int32_t reducer_finish(struct reducer *r, struct run *run, struct rank rank);

#endif
