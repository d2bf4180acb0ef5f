/* The rows of a recorded process beside its spans. A part of process_run.c. */
#ifndef GAIT_RECORD_PROCESS_ROWS_H
#define GAIT_RECORD_PROCESS_ROWS_H

#include "record/process_file.h"
#include "run/run.h"

/* Timings, replacements, facts and notes of rank row 0 of *one. */
enum status process_rows_add(struct run *one, const struct process_file *p,
                             struct err *err);

#endif
