/* One run file or trace; what it is, is told by its first bytes. */
#ifndef GAIT_LOAD_LOAD_ONE_H
#define GAIT_LOAD_LOAD_ONE_H

#include "load/load_runs.h"
#include "trace/trace_reader.h"

/* How far reading is; NULL where nobody looks. */
struct load_progress {
    trace_progress_fn *show;
    void *context;
};

/* Append it to *run. On failure *run is as before. */
enum status load_one(struct run *run, const char *path,
                     const struct load_options *options,
                     const struct load_progress *progress, struct err *err);

#endif
