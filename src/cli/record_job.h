/*
 * A job as a child process, as a shell would run it: it has our terminal and our process
 * group, what the terminal sends reaches it directly, and what is sent to us alone
 * (kill, timeout, a batch system) is passed on.
 */
#ifndef GAIT_CLI_RECORD_JOB_H
#define GAIT_CLI_RECORD_JOB_H

#include "base/status.h"

#include <stddef.h>

struct job_variable {
    const char *name, *value;
};

/* Run words[0..n) with the variables added to the environment and wait for its end.
 * *exit_code is its own, or 128 plus the number of the signal that ended it. A failure
 * means that it did not start. */
enum status record_job_run(const char *const *words, size_t n,
                           const struct job_variable *variables, size_t n_variables,
                           int *exit_code, struct err *err);

#endif
