/*
 * A file that grows by whole pieces: a piece is in it or is not. What a full disk cut in
 * the middle is taken back, so that what follows is readable.
 */
#ifndef GAIT_METRICS_APPEND_FILE_H
#define GAIT_METRICS_APPEND_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct append_file {
    int fd;          /* -1: closed */
    char *path;      /* for messages */
    int64_t end;     /* of the last whole piece */
    bool is_damaged; /* half a piece could not be taken back: nothing more is written */
};

/* Takes fd, positioned at its end, and copies path. */
void append_file_init(struct append_file *f, int fd, const char *path, int64_t end);
void append_file_close(struct append_file *f); /* also after a failed or no init: fd -1 */

/* The whole piece or nothing. Allocates nothing where it succeeds. */
enum status append_file_add(struct append_file *f, const void *data, size_t len,
                            struct err *err);

#endif
