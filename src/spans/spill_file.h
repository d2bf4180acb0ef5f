/*
 * A temporary file without a name, for what does not fit in memory: nothing is left
 * behind however the process ends. It only grows; room is reserved first, under the
 * owner's lock, and written without one.
 *
 * Failures are STATUS_ENVIRONMENT and name the folder and what to do. A process that
 * wants to hear of a limit on file sizes (EFBIG) must ignore SIGXFSZ.
 */
#ifndef GAIT_SPANS_SPILL_FILE_H
#define GAIT_SPANS_SPILL_FILE_H

#include "base/status.h"

#include <stddef.h>

struct spill_file {
    char *folder;
    int fd; /* -1: not made yet */
    int64_t size_bytes;
};

void spill_file_init(struct spill_file *f, const char *folder); /* NULL: $TMPDIR, /tmp */
void spill_file_release(struct spill_file *f);

/* Makes the file where there is none yet. Not to be called by two threads at once. */
enum status spill_file_reserve(struct spill_file *f, size_t bytes, int64_t *offset,
                               struct err *err);
/* These two may run in several threads. */
enum status spill_file_write(const struct spill_file *f, const void *data, size_t bytes,
                             int64_t offset, struct err *err);
enum status spill_file_read(const struct spill_file *f, void *dst, size_t bytes,
                            int64_t offset, struct err *err);

#endif
