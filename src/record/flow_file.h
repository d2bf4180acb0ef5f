/*
 * The data flow of a process' watched steps, as the hook wrote it (flow-PID.bin,
 * docs/record-format.md), as rows of a run. The job could write there too, so nothing in
 * it is believed unchecked.
 */
#ifndef GAIT_RECORD_FLOW_FILE_H
#define GAIT_RECORD_FLOW_FILE_H

#include "base/status.h"
#include "run/run.h"

#define FLOW_FILE_MAX_BYTES ((size_t)1 << 30)

/* Lines, tensors, watched operators and what they did with tensors, of rank row 0 of
 * *one, which has none of them yet. On failure it still has none. */
enum status flow_file_add(struct run *one, const char *path, struct err *err);
/* The same from bytes in memory. */
enum status flow_file_parse(struct run *one, const char *bytes, size_t len,
                            struct err *err);

#endif
