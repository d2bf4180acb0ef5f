/*
 * Spans of one rank in the order in which they began, in batches: what the store gives
 * (span_store.h) and the sweep reads (sweep.h). A row's lane, name and shapes are
 * numbers of the rank's own (shard_merge.h).
 *
 * Order: begin_ns, then the longer first, then seq, then as recorded. So on each lane a
 * caller stands before those it calls.
 */
#ifndef GAIT_SPANS_SPAN_STREAM_H
#define GAIT_SPANS_SPAN_STREAM_H

#include "run/run.h"

struct span_stream;

/* The next rows, which live until the next call; 0 at the end or after trouble, which the
 * stream's owner knows. */
typedef size_t span_stream_next_fn(struct span_stream *s, const struct span **rows);

struct span_stream {
    span_stream_next_fn *next;
};

#endif
