/* Why a job of `gait verify --ab` could not be compared, with the last lines that it
 * printed on stderr: what it prints otherwise is not shown. */
#ifndef GAIT_CLI_JOB_FAILURE_H
#define GAIT_CLI_JOB_FAILURE_H

#include "base/status.h"

#include <stdbool.h>

struct job_named {
    const char *which;   /* "first", "second" */
    const char *command; /* as it was given */
    const char *folder;  /* that the hook writes into */
    const char *output;  /* the file with what it printed */
};

/* It ended with this exit code, which is not 0. */
enum status job_failed(struct err *err, const struct job_named *j, int exit_code);
/* Nothing came from it for so long. */
enum status job_is_silent(struct err *err, const struct job_named *j, double seconds,
                          bool has_stepped);
/* It ended well, but before its first turn. */
enum status job_took_no_turn(struct err *err, const struct job_named *j);

#endif
