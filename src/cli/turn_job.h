/*
 * One PyTorch job that steps in turns with another one (two_jobs.h): started under the
 * recorder's hook, which tells what a turn took through a named pipe, `ask`, and reads the
 * length of the next one from another, `answer` (hook/gait_hook/recording/turns.py). Both
 * pipes are open at both ends here: neither opening nor writing waits for the job.
 *
 * Legal order: turn_job_init, turn_job_start, turn_job_hear and turn_job_tell,
 * turn_job_release. Signals are passed on between record_jobs_begin and record_jobs_end.
 */
#ifndef GAIT_CLI_TURN_JOB_H
#define GAIT_CLI_TURN_JOB_H

#include "base/strbuf.h"
#include "cli/job_failure.h"
#include "cli/record_job.h"

/* What a turn took. */
struct turn_heard {
    bool ended; /* the job did, with exit code 0: the rest is of the turn before */
    int64_t steps, ns;
    int64_t at;     /* number of its last step */
    int64_t skip;   /* steps after a pause that should not be timed */
    int64_t bytes;  /* peak of memory so far */
    bool of_device; /* the bytes are; else of the process */
};

struct turn_job {
    struct job_named named; /* the command is for the shell */
    char *folder, *output;
    struct record_job process;
    int ask_fd, answer_fd;
    struct strbuf heard; /* of `ask`, not yet a line */
    int64_t steps;       /* timed in all */
    struct turn_heard last;
};

void turn_job_init(struct turn_job *j, const char *which, const char *command);
enum status turn_job_start(struct turn_job *j, const char *python_path, struct err *err);
/* Waits for what the job says (j->last), or for its end. A job that fails, says nothing for so
 * long, or cannot take turns is an error; so is a signal to us. */
enum status turn_job_hear(struct turn_job *j, double patience_s, struct err *err);
/* So many steps of the next turn are timed, after so many that are not. 0: there is no
 * next turn, and the job ends. */
void turn_job_tell(const struct turn_job *j, int64_t steps, int64_t skip);
/* The error that a signal to us is. */
enum status turn_job_signal(struct err *err);
/* Ends the job where it still runs, and removes its folder. */
void turn_job_release(struct turn_job *j);

#endif
