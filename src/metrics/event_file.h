/*
 * One TensorBoard event file: records gather in memory and go out together. After a crash
 * a new file is opened beside the old ones; its name sorts after theirs, for TensorBoard
 * reads a folder's files in that order.
 */
#ifndef GAIT_METRICS_EVENT_FILE_H
#define GAIT_METRICS_EVENT_FILE_H

#include "metrics/append_file.h"
#include "metrics/event_record.h"

struct event_file {
    struct append_file file;
    uint8_t *buffer; /* (EVENT_BUFFER_BYTES) */
    size_t used;
};

enum { EVENT_BUFFER_BYTES = 1 << 16 };

/* A new file in dir with its version, and a note to readers that records of first_step or
 * later in older files are void. On OK the caller closes it. */
enum status event_file_open(struct event_file *f, const char *dir, int64_t first_step,
                            struct err *err);
/* Writes what is gathered, like event_file_flush(). */
enum status event_file_close(struct event_file *f, struct err *err);

/* A full buffer is written first; then it may fail as event_file_flush() does. */
enum status event_file_scalar(struct event_file *f, double wall_s, int64_t step,
                              const char *tag, float value, struct err *err);
/* On failure what was gathered is lost, and the file is as before. */
enum status event_file_flush(struct event_file *f, struct err *err);

#endif
