/*
 * Two unedited PyTorch jobs on this machine, which step in turns: while one steps, the
 * other waits in its optimizer's hook (hook/gait_hook/recording/turns.py). They are
 * started one after the other, so that each warms up alone. Both end when the comparison
 * does.
 *
 * Legal order: two_jobs_open, two_jobs_time, two_jobs_finish, two_jobs_read,
 * two_jobs_close; close after any failure.
 */
#ifndef GAIT_CLI_TWO_JOBS_H
#define GAIT_CLI_TWO_JOBS_H

#include "cli/turn_job.h"
#include "run/run.h"
#include "verify/ab_gates.h"

struct two_jobs {
    struct turn_job job[2];
    char *hook, *python_path;
    int64_t block, skip;             /* steps of a turn, and before it, untimed */
    double patience_s;               /* with a job that says nothing */
    const struct turn_job *ended_by; /* whose training was over first; NULL: none */
};

/* Starts both and waits until both have warmed up. The caller closes it whatever the
 * status. */
enum status two_jobs_open(struct two_jobs *t, const char *const command[2],
                          double patience_s, struct err *err);
/* A job that ends by itself ends the timing: t->ended_by. */
enum status two_jobs_time(struct two_jobs *t, struct ab_measured *out,
                          const struct ab_options *options, struct err *err);
/* Ends both and waits for that. */
enum status two_jobs_finish(struct two_jobs *t, struct err *err);
/* What was noted of their first steps; the runs are initialised by the caller. */
enum status two_jobs_read(const struct two_jobs *t, struct run run[2], struct err *err);
void two_jobs_close(struct two_jobs *t);

#endif
