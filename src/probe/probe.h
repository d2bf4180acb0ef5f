/*
 * What the trainer tells about itself: spans in per-thread buffers that are allocated
 * before the first step, turned into a run afterwards. Off, a probe costs one load and
 * one branch.
 *
 *     int64_t t = probe_begin();
 *     ... work ...
 *     probe_end(t, SPAN_KIND_OP, "matmul", flop, bytes);
 *
 * Recorded as SPAN_KIND_WAIT: comm_barrier() and prefetch_next() while its batch is not
 * there yet, and nothing else. A training step calls no barrier; an all-reduce is a
 * COLLECTIVE and counts as busy, though a rank that comes early spends most of it waiting
 * for the others.
 *
 * Names are string literals: the pointer is stored and interned when the run is made.
 * A full buffer drops further spans and counts them; the run then carries a note.
 *
 * Legal order: probe_start, (probe_thread, probe_begin/probe_end)…, probe_stop,
 * probe_finish.
 */
#ifndef GAIT_PROBE_PROBE_H
#define GAIT_PROBE_PROBE_H

#include "base/clock.h"
#include "run/run.h"

#include <stdbool.h>

extern bool
    probe_enabled; /* read by probe_begin(); written by probe_start() and probe_stop() */

/* Start to record: room for `spans` spans on each of up to `threads` threads. The calling
 * thread gets the first lane, named "main". */
void probe_start(int threads, size_t spans);
/* The calling thread gets a lane of its own under this name. */
void probe_thread(const char *name);
void probe_stop(void); /* stops recording; the buffers stay until probe_finish() */

static inline int64_t probe_begin(void)
{
    return probe_enabled ? clock_now_ns() : 0;
}

/* A span that ends now. */
void probe_record(int64_t begin_ns, enum span_kind kind, const char *name, int64_t flop,
                  int64_t bytes);
/* One that ended at end_ns, so that the next can begin right there. number is the step's
 * number for SPAN_KIND_STEP, else 0. */
void probe_record_until(int64_t begin_ns, int64_t end_ns, enum span_kind kind,
                        const char *name, int64_t number);

static inline void probe_end(int64_t begin_ns, enum span_kind kind, const char *name,
                             int64_t flop, int64_t bytes)
{
    if (begin_ns)
        probe_record(begin_ns, kind, name, flop, bytes);
}

/* Reduce what was recorded into *run as one rank of source TRAINER, and free the buffers.
 * *row gets the rank's row. keep_spans as in struct reduce_options; it fails as
 * reducer_finish() does. */
enum status probe_finish(struct run *run, struct rank rank, size_t keep_spans,
                         int32_t *row, struct err *err);

#endif
