#include "cli/two_jobs.h"

#include "base/log.h"
#include "base/mem.h"
#include "cli/record_files.h"
#include "record/record_folder.h"

#include <math.h>

static const double BLOCK_NS = 0.1e9; /* docs/verify.md */
enum { BLOCK_STEPS_MAX = 1000, SIZING_TURNS = 2, CATCH_UP_MAX = 100 };
static const double END_PATIENCE_S = 60; /* a job may save something when it ends */

/* --- starting --- */

static enum status wait_until_ready(struct turn_job *j, double patience_s,
                                    struct err *err)
{
    enum status st = turn_job_hear(j, patience_s, err);
    if (st || !j->last.ended)
        return st;
    return job_took_no_turn(err, &j->named);
}

enum status two_jobs_open(struct two_jobs *t, const char *const command[2],
                          double patience_s, struct err *err)
{
    *t = (struct two_jobs){.patience_s = patience_s, .block = 1};
    for (int i = 0; i < 2; i++)
        turn_job_init(&t->job[i], i ? "second" : "first", command[i]);
    record_jobs_begin();
    enum status st = record_find_hook(&t->hook, err);
    if (!st)
        t->python_path = record_python_path(t->hook);
    for (int i = 0; i < 2 && !st; i++) {
        struct turn_job *j = &t->job[i];
        log_status("the %s job warms up: %s", j->named.which, j->named.command);
        st = turn_job_start(j, t->python_path, err);
        if (!st)
            st = wait_until_ready(j, patience_s, err);
    }
    log_status_clear();
    return st;
}

/* --- turns --- */

static enum status take_turn(void *context, int side, double *step_ns, struct err *err)
{
    struct two_jobs *t = context;
    struct turn_job *j = &t->job[side];
    *step_ns = NAN;
    turn_job_tell(j, t->block, t->skip);
    enum status st = turn_job_hear(j, t->patience_s, err);
    if (st)
        return st;
    if (j->last.ended) {
        t->ended_by = j;
        return STATUS_OK;
    }
    j->steps += j->last.steps;
    *step_ns = (double)j->last.ns / (double)(j->last.steps ? j->last.steps : 1);
    return STATUS_OK;
}

/* How many steps make a turn that can be timed; of both the same, and as many before them
 * that are not timed, so that both are always at the same batches. A turn of one step is
 * one of long steps: the switch hardly shows in it, and one more would cost as much
 * again. */
static void set_turns(struct two_jobs *t, double step_ns)
{
    double steps = ceil(BLOCK_NS / fmax(step_ns, 1));
    int64_t skip[2] = {t->job[0].last.skip, t->job[1].last.skip};
    t->block = steps < BLOCK_STEPS_MAX ? (int64_t)steps : BLOCK_STEPS_MAX;
    t->skip = skip[0] > skip[1] ? skip[0] : skip[1];
    t->skip -= t->block == 1 && t->skip > 0;
}

/* Turns of a step each, not counted; and where one warmed up in fewer steps than the
 * other, until both are at the same one. */
static enum status size_turns(struct two_jobs *t, struct err *err)
{
    double ns, sum_ns[2] = {0, 0};
    enum status st = STATUS_OK;
    for (int i = 0; i < 2 * SIZING_TURNS && !st && !t->ended_by; i++) {
        st = take_turn(t, i % 2, &ns, err);
        sum_ns[i % 2] += ns;
    }
    for (int i = 0; i < CATCH_UP_MAX && !st && !t->ended_by &&
                    t->job[0].last.at != t->job[1].last.at;
         i++)
        st = take_turn(t, t->job[0].last.at > t->job[1].last.at, &ns, err);
    if (!st && !t->ended_by)
        set_turns(t, fmin(sum_ns[0], sum_ns[1]) / SIZING_TURNS);
    t->job[0].steps = t->job[1].steps = 0;
    return st;
}

enum status two_jobs_time(struct two_jobs *t, struct ab_measured *out,
                          const struct ab_options *options, struct err *err)
{
    const struct ab_subject subject = {take_turn, t};
    *out = (struct ab_measured){.bytes_of = NULL};
    log_status("timing both in turns, up to %.0f s", options->budget_s);
    enum status st = size_turns(t, err);
    if (!st && !t->ended_by)
        st = ab_time_run(&out->time, &subject, options, err);
    for (int side = 0; side < 2; side++) {
        out->steps[side] = t->job[side].steps;
        out->bytes[side] = (double)t->job[side].last.bytes;
    }
    bool of_device = t->job[0].last.of_device;
    if (of_device == t->job[1].last.of_device)
        out->bytes_of = of_device ? "reserved on the device" : "of the process";
    log_status_clear();
    return st;
}

/* --- the end --- */

enum status two_jobs_finish(struct two_jobs *t, struct err *err)
{
    log_status("both jobs end");
    for (int i = 0; i < 2; i++)
        turn_job_tell(&t->job[i], 0, 0);
    for (int i = 0; i < 2; i++)
        record_job_stop(&t->job[i].process, END_PATIENCE_S);
    log_status_clear();
    return record_jobs_signal() ? turn_job_signal(err) : STATUS_OK;
}

enum status two_jobs_read(const struct two_jobs *t, struct run run[2], struct err *err)
{
    enum status st = STATUS_OK;
    for (int i = 0; i < 2 && !st; i++) {
        const struct turn_job *j = &t->job[i];
        struct record_outcome o;
        st = record_folder_read(&run[i], &o, j->folder, err);
        if (!st && (!o.ranks || o.unread))
            st = err_set(err, STATUS_ENVIRONMENT,
                         "what was noted of the %s job (%.160s) could not be read: %s",
                         j->named.which, j->named.command, o.why.s);
        record_outcome_release(&o);
    }
    return st;
}

void two_jobs_close(struct two_jobs *t)
{
    for (int i = 0; i < 2; i++)
        turn_job_release(&t->job[i]);
    record_jobs_end();
    mem_free(t->hook);
    mem_free(t->python_path);
}
