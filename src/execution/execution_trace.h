/*
 * Reads what torch.profiler.ExecutionTraceObserver wrote beside a profiler trace (Chakra
 * schema 1.1): which call read, made and wrote which storage, as the tables of a run that
 * the watched steps of `gait record` fill. Start here; then node_stream.h (text),
 * node_table.h (nodes), call_list.h (which of them are calls), flow_rows.h (rows).
 *
 * There are no contents in it, no lines and no counters of versions; what follows from
 * that stands in docs/dataflow.md.
 */
#ifndef GAIT_EXECUTION_EXECUTION_TRACE_H
#define GAIT_EXECUTION_EXECUTION_TRACE_H

#include "base/status.h"
#include "run/run.h"

/* Tensors, watched operators and what they did with tensors, for rank row 0 of *run,
 * which has one rank and none of them yet. On failure it still has none. A note of the
 * run says what was read and what an execution trace cannot tell. */
enum status execution_trace_add(struct run *run, const char *path, struct err *err);
/* The same from bytes in memory, plain or packed; name stands for the path. */
enum status execution_trace_parse(struct run *run, const void *data, size_t len,
                                  const char *name, struct err *err);

#endif
