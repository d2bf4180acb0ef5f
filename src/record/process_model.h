/* What a recorded process learnt: losses, and how far its parameters moved. A part of
 * process_rows.c. */
#ifndef GAIT_RECORD_PROCESS_MODEL_H
#define GAIT_RECORD_PROCESS_MODEL_H

#include "record/process_file.h"
#include "run/run.h"

/* Losses and movements of rank row 0 of *one. */
enum status process_model_add(struct run *one, const struct process_file *p,
                              struct err *err);

#endif
