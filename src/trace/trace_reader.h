/*
 * Reads one Kineto trace, as torch.profiler writes it, into a run. Streaming: neither the
 * text nor a tree of it is ever held; memory is bounded by the limits stated in
 * container_reader.h (one event), name_table.h (names) and row_table.h (threads and
 * streams), beside what the reducer keeps.
 *
 * A damaged trace is read as far as possible: what was skipped stands in the run's notes,
 * with byte offsets, and rank.complete says whether its end was seen.
 */
#ifndef GAIT_TRACE_TRACE_READER_H
#define GAIT_TRACE_TRACE_READER_H

#include "base/status.h"
#include "run/run.h"

#include <stdbool.h>

/* Bytes of the file read so far, and of all of it (0 where it is a pipe). */
typedef void trace_progress_fn(void *context, int64_t at_bytes, int64_t total_bytes);

/* A zeroed struct has the defaults. */
struct trace_options {
    size_t keep_spans;         /* as in struct reduce_options */
    size_t memory_bytes;       /* as in struct reduce_options */
    const int64_t *keep_steps; /* as in struct reduce_options */
    size_t n_keep_steps;
    size_t block_bytes;       /* as in block_source.h; 0: the default */
    int64_t barren_bytes_max; /* so much text without an event, and no more is read; 0:
                                 64 MiB */
    int threads;              /* 0: one for each CPU that the process may use, up to 16 */
    bool in_turn;     /* no threads: the caller does their work in turn; for fuzzing */
    bool only_steps;  /* as in struct reduce_options */
    bool skip_shapes; /* do not keep the input shapes of operators */
    trace_progress_fn *progress; /* NULL: none */
    void *progress_context;
};

/* Add the trace as one rank to *out (run_init'ed by the caller). On failure *out is as
 * before; options may be NULL. */
enum status trace_read(struct run *out, const char *path,
                       const struct trace_options *options, struct err *err);
/* The same from bytes in memory, plain or gzip; name stands for the path. */
enum status trace_read_memory(struct run *out, const void *data, size_t len,
                              const char *name, const struct trace_options *options,
                              struct err *err);

/* Do the first bytes look like a trace, or like one in a wrapping that trace_read() has
 * advice about? Files that cannot be read do not. */
bool trace_looks_like(const char *path);

#endif
