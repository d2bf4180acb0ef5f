/*
 * Where the statuses of this user's trainings are, and the writing of one. The folder is
 * $XDG_RUNTIME_DIR/gait, or /dev/shm/gait-UID where there is no such variable: memory, so
 * that a training never waits for a disk here. It is the user's alone, for the writer and
 * for the reader. A file is replaced by a rename, so a reader sees a whole one.
 *
 * Writing never fails a training: where the folder cannot be had nothing is written.
 *
 * Legal order: live_file_open, live_file_write …, live_file_close.
 */
#ifndef GAIT_LIVE_LIVE_FILE_H
#define GAIT_LIVE_LIVE_FILE_H

#include "live/live_status.h"

struct live_file {
    char *path, *tmp; /* NULL: nothing is written */
    struct strbuf text;
};

void live_folder(struct strbuf *out);
/* The folder, open, where it is a folder of this user's that nobody else can write to;
 * the caller closes it. Else -1, and *err says why; where there is none *err stays. */
int live_folder_open(const char *path, struct err *err);

/* Makes the folder, and removes the oldest files of processes that are gone, and
 * what one that was killed left half written. */
void live_file_open(struct live_file *f);
/* Allocates nothing. */
void live_file_write(struct live_file *f, const struct live_status *s);
/* The file stays, for it says how the training ended. */
void live_file_close(struct live_file *f);

#endif
