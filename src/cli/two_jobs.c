#include "cli/two_jobs.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/leftover.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/record_files.h"
#include "record/record_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double BLOCK_NS = 0.3e9; /* a switch costs a step or more: not too often */
enum { BLOCK_STEPS_MAX = 1000, SIZING_TURNS = 2 };
enum { LINE_MAX_BYTES = 4096, LOOK_EVERY_MS = 100 };
static const double END_PATIENCE_S = 60;  /* a job may save something when it ends */
static const double CLOSE_PATIENCE_S = 5; /* after a failure, or a signal */

/* --- what a job says --- */

struct heard {
    bool ended; /* the job did, with exit code 0: the rest is not set */
    int64_t steps, ns, bytes;
};

static enum status ended_by_signal(struct err *err)
{
    return err_set(err, (enum status)(128 + record_jobs_signal()),
                   "ended by a signal, and both jobs with it; nothing was compared");
}

static enum status parse(struct heard *out, const char *line, const struct turn_job *j,
                         struct err *err)
{
    long long steps, ns, bytes;
    if (line[0] == '!')
        return err_set(err, STATUS_INPUT,
                       "the %s job (%.160s) cannot be timed in turns: %s. Record both "
                       "(gait record) and compare the recordings: gait verify A B",
                       j->named.which, j->named.command, line + 1 + (line[1] == ' '));
    if (sscanf(line, "%lld %lld %lld", &steps, &ns, &bytes) != 3 || steps < 0 || ns < 0)
        return err_set(err, STATUS_INPUT,
                       "the %s job (%.160s) wrote into gait's own pipe", j->named.which,
                       j->named.command);
    *out = (struct heard){.steps = steps, .ns = ns, .bytes = bytes};
    return STATUS_OK;
}

/* The next whole line, without its end; NULL: there is none yet. The caller frees it. */
static char *take_line(struct strbuf *heard)
{
    char *end = memchr(heard->s, '\n', heard->len);
    if (!end)
        return NULL;
    size_t len = (size_t)(end - heard->s);
    char *line = mem_strndup(heard->s, len);
    char *rest = mem_strndup(end + 1, heard->len - len - 1);
    strbuf_clear(heard);
    strbuf_puts(heard, rest);
    mem_free(rest);
    return line;
}

static void read_more(struct turn_job *j)
{
    char bytes[512];
    ssize_t n;
    while (j->heard.len < LINE_MAX_BYTES &&
           (n = read(j->ask_fd, bytes, sizeof bytes)) > 0)
        strbuf_add(&j->heard, bytes, (size_t)n);
}

/* Waits for a line of the job, or for its end. */
static enum status hear(struct heard *out, struct turn_job *j, double patience_s,
                        struct err *err)
{
    int64_t until_ns = clock_now_ns() + (int64_t)(patience_s * 1e9);
    for (;;) {
        bool ended =
            record_job_has_ended(&j->process); /* before its last words are read */
        read_more(j);
        char *line = take_line(&j->heard);
        if (line) {
            enum status st = parse(out, line, j, err);
            mem_free(line);
            return st;
        }
        if (record_jobs_signal())
            return ended_by_signal(err);
        if (ended && j->process.exit_code)
            return job_failed(err, &j->named, j->process.exit_code);
        if (ended) {
            *out = (struct heard){.ended = true};
            return STATUS_OK;
        }
        if (clock_now_ns() > until_ns)
            return job_is_silent(err, &j->named, patience_s, j->steps > 0);
        struct pollfd p = {.fd = j->ask_fd, .events = POLLIN};
        poll(&p, 1, LOOK_EVERY_MS);
    }
}

/* A pipe takes a few bytes whole; both ends are open, so it never blocks nor breaks. */
static void tell(const struct turn_job *j, int64_t steps)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%lld\n", (long long)steps);
    while (write(j->answer_fd, text, (size_t)n) < 0 && errno == EINTR)
        ;
}

/* --- starting --- */

static enum status make_pipe(int *fd, const char *folder, const char *name,
                             struct err *err)
{
    char *path = path_join(folder, name);
    *fd = mkfifo(path, 0600) ? -1 : open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    enum status st = *fd < 0 ? file_err(err, "make", path) : STATUS_OK;
    mem_free(path);
    return st;
}

static enum status prepare(struct turn_job *j, struct err *err)
{
    enum status st = record_make_folder(&j->folder, NULL, err);
    if (!st)
        st = make_pipe(&j->ask_fd, j->folder, "ask", err);
    if (!st)
        st = make_pipe(&j->answer_fd, j->folder, "answer", err);
    if (!st)
        j->output = path_join(j->folder, "output");
    j->named.folder = j->folder;
    j->named.output = j->output;
    return st;
}

/* One traced round, as small as can be: it tells the operators, and in which precision
 * they compute. */
static enum status start(struct two_jobs *t, struct turn_job *j, struct err *err)
{
    const char *const words[] = {"/bin/sh", "-c", j->named.command};
    const struct job_variable variables[] = {
        {"PYTHONPATH", t->python_path},  {"GAIT_RECORD_DIR", j->folder},
        {"GAIT_RECORD_TURNS", "1"},      {"GAIT_RECORD_ROUNDS", "1"},
        {"GAIT_RECORD_UNTRACED", "1"},   {"GAIT_RECORD_TRACED", "2"},
        {"GAIT_RECORD_STOP_AFTER", "1"}, {"KINETO_LOG_LEVEL", "99"},
    };
    const struct job_command command = {.words = words,
                                        .n = sizeof words / sizeof *words,
                                        .variables = variables,
                                        .n_variables =
                                            sizeof variables / sizeof *variables,
                                        .output = j->output};
    return record_job_start(&j->process, &command, err);
}

static enum status wait_until_ready(struct turn_job *j, double patience_s,
                                    struct err *err)
{
    struct heard h;
    enum status st = hear(&h, j, patience_s, err);
    if (st || !h.ended)
        return st;
    return job_took_no_turn(err, &j->named);
}

enum status two_jobs_open(struct two_jobs *t, const char *const command[2],
                          double patience_s, struct err *err)
{
    *t = (struct two_jobs){.patience_s = patience_s};
    for (int i = 0; i < 2; i++) {
        t->job[i] = (struct turn_job){
            .named = {.command = command[i], .which = i ? "second" : "first"},
            .ask_fd = -1,
            .answer_fd = -1,
            .block = 1};
        strbuf_init(&t->job[i].heard);
    }
    record_jobs_begin();
    enum status st = record_find_hook(&t->hook, err);
    if (!st)
        t->python_path = record_python_path(t->hook);
    for (int i = 0; i < 2 && !st; i++) {
        struct turn_job *j = &t->job[i];
        log_status("the %s job warms up: %s", j->named.which, j->named.command);
        st = prepare(j, err);
        if (!st)
            st = start(t, j, err);
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
    struct heard h;
    tell(j, j->block);
    enum status st = hear(&h, j, t->patience_s, err);
    if (st)
        return st;
    if (h.ended) {
        t->ended_by = j;
        *step_ns = NAN;
        return STATUS_OK;
    }
    j->steps += h.steps;
    j->bytes = (double)h.bytes;
    *step_ns = (double)h.ns / (double)(h.steps ? h.steps : 1);
    return STATUS_OK;
}

/* Turns of a step each, not counted; how many steps make one that can be timed. */
static enum status size_turns(struct two_jobs *t, struct err *err)
{
    double shortest[2] = {INFINITY, INFINITY};
    for (int i = 0; i < 2 * SIZING_TURNS && !t->ended_by; i++) {
        double ns;
        enum status st = take_turn(t, i % 2, &ns, err);
        if (st)
            return st;
        shortest[i % 2] = fmin(shortest[i % 2], ns);
    }
    for (int side = 0; side < 2; side++) {
        double steps = ceil(BLOCK_NS / fmax(shortest[side], 1));
        t->job[side].block = steps < BLOCK_STEPS_MAX ? (int64_t)steps : BLOCK_STEPS_MAX;
        t->job[side].steps = 0;
    }
    return STATUS_OK;
}

enum status two_jobs_time(struct two_jobs *t, struct ab_measured *out,
                          const struct ab_options *options, struct err *err)
{
    const struct ab_subject subject = {take_turn, t};
    *out = (struct ab_measured){.bytes_of = "of the process, or of its device"};
    log_status("timing both in turns, up to %.0f s", options->budget_s);
    enum status st = size_turns(t, err);
    if (!st && !t->ended_by)
        st = ab_time_run(&out->time, &subject, options, err);
    for (int side = 0; side < 2; side++) {
        out->steps[side] = t->job[side].steps;
        out->bytes[side] = t->job[side].bytes;
    }
    log_status_clear();
    return st;
}

/* --- the end --- */

enum status two_jobs_finish(struct two_jobs *t, struct err *err)
{
    log_status("both jobs end");
    for (int i = 0; i < 2; i++)
        tell(&t->job[i], 0);
    for (int i = 0; i < 2; i++)
        record_job_stop(&t->job[i].process, END_PATIENCE_S);
    log_status_clear();
    return record_jobs_signal() ? ended_by_signal(err) : STATUS_OK;
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
                         "what was noted of the %s job (%s) could not be read: %s",
                         j->named.which, j->named.command, o.why.s);
        record_outcome_release(&o);
    }
    return st;
}

/* One that waits for its turn ends by itself. */
static void job_release(struct turn_job *j)
{
    if (j->answer_fd >= 0)
        tell(j, 0);
    if (j->process.pid)
        record_job_stop(&j->process, CLOSE_PATIENCE_S);
    if (j->ask_fd >= 0)
        close(j->ask_fd);
    if (j->answer_fd >= 0)
        close(j->answer_fd);
    if (j->folder) {
        record_remove_folder(j->folder);
        leftover_forget(j->folder);
    }
    strbuf_release(&j->heard);
    mem_free(j->folder);
    mem_free(j->output);
}

void two_jobs_close(struct two_jobs *t)
{
    for (int i = 0; i < 2; i++)
        job_release(&t->job[i]);
    record_jobs_end();
    mem_free(t->hook);
    mem_free(t->python_path);
}
