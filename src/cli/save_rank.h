/* The run files of a job of one or of many processes. */
#ifndef GAIT_CLI_SAVE_RANK_H
#define GAIT_CLI_SAVE_RANK_H

#include "base/strbuf.h"
#include "run/run.h"

/* The one that speaks on stdout: rank 0, or the only one. */
bool is_first_rank(const struct run *run);

/* Save the run of this process: at path, or at "path without .gait".rank<N>.gait where
 * the job has several ranks, since they share a folder. *name becomes what it was saved
 * as. */
enum status save_rank(struct strbuf *name, const struct run *run, const char *path,
                      struct err *err);

#endif
