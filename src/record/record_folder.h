/*
 * The folder that a recorded job filled: a file a process (process_file.h) and traces.
 * The processes that trained become the ranks of one run; launchers, loaders' workers and
 * other helpers have a file too, and are left out.
 */
#ifndef GAIT_RECORD_RECORD_FOLDER_H
#define GAIT_RECORD_RECORD_FOLDER_H

#include "base/strbuf.h"
#include "run/run.h"

struct record_outcome {
    size_t processes;  /* that imported PyTorch's optimizers */
    size_t ranks;      /* added to the run */
    size_t unread;     /* processes whose files are there and could not be read */
    int64_t steps;     /* that the first of them took; of all, the most where none was */
    bool complete;     /* all ranks were recorded to the end */
    struct strbuf why; /* what was not recorded, and why: sentences, or "" */
};

/* Has a recorded job filled this folder? */
bool record_folder_is(const char *path);

void record_outcome_release(struct record_outcome *o);

/* Append what the folder has to *run (run_init'ed by the caller) in the order of ranks.
 * That nothing was recorded is no failure: out->ranks is 0 and out->why says why. The
 * caller releases *out whatever the status. */
enum status record_folder_read(struct run *run, struct record_outcome *out,
                               const char *folder, struct err *err);

#endif
