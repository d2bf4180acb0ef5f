/*
 * One recorded process as one rank of a run: a traced round as its spans, the
 * round with stacks as its places in the program, and what was timed and measured without
 * the tracer as timings, replacements and facts.
 */
#ifndef GAIT_RECORD_PROCESS_RUN_H
#define GAIT_RECORD_PROCESS_RUN_H

#include "record/process_file.h"
#include "run/run.h"

/* Append the process to *run with the spans of that round (ROUND_NONE: of its own best);
 * its traces lie in folder. On failure *run is as before. */
enum status process_run_add(struct run *run, const struct process_file *p, int round,
                            const char *folder, struct err *err);

#endif
