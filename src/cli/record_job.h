/*
 * Jobs as child processes. One that has our terminal runs as a shell would run it: in our
 * process group, so that what the terminal sends reaches it directly, and what is sent to
 * us alone (kill, timeout, a batch system) is passed on. One that runs apart has a group
 * of its own, so that it can be ended with all of its processes.
 *
 * Legal order: record_jobs_begin, record_job_start …, record_job_has_ended or
 * record_job_stop until each has ended, record_jobs_end. Or record_job_run alone.
 */
#ifndef GAIT_CLI_RECORD_JOB_H
#define GAIT_CLI_RECORD_JOB_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { RECORD_JOBS_MAX = 8 }; /* at once */

struct job_variable {
    const char *name, *value;
};

struct job_command {
    const char *const *words; /* (n), the program first */
    size_t n;
    const struct job_variable *variables; /* (n_variables), added to the environment */
    size_t n_variables;
    /* NULL: it has our terminal. Else it runs apart: what it prints goes into this file,
     * and it has nothing to read. */
    const char *output;
    /* Or: apart, and what it prints on stdout and stderr goes into these two descriptors;
     * it is asked to end where we end. NULL: not so. */
    const int *pipes;
    const char *folder; /* where it runs; NULL: here */
};

struct record_job {
    pid_t pid; /* 0: was not started */
    bool apart, ended;
    int exit_code; /* its own, or 128 plus the number of the signal that ended it */
};

/* From here on signals are passed on to the jobs. */
void record_jobs_begin(void);
void record_jobs_end(void);
/* The number of the signal that asked us to end since record_jobs_begin, or 0. */
int record_jobs_signal(void);

/* A failure means that it did not start. */
enum status record_job_start(struct record_job *out, const struct job_command *command,
                             struct err *err);
/* Looks, and does not wait. */
bool record_job_has_ended(struct record_job *j);
/* Waits so long for its end, then ends it with all of its processes. Only of jobs that
 * run apart. */
void record_job_stop(struct record_job *j, double patience_s);

/* Send it a signal, with all of its processes. Only to jobs that run apart. */
void record_job_tell(const struct record_job *j, int signal_number);

/* Start it and wait for its end. */
enum status record_job_run(const struct job_command *command, int *exit_code,
                           struct err *err);

#endif
