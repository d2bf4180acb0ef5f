#include "cli/turn_job.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/folder_reader.h"
#include "base/leftover.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/record_files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 4096, LOOK_EVERY_MS = 100, SKIP_MAX = 1000 };
static const double CLOSE_PATIENCE_S = 5; /* after a failure, or a signal */

/* --- what a job says --- */

enum status turn_job_signal(struct err *err)
{
    return err_set(err, (enum status)(128 + record_jobs_signal()),
                   "ended by a signal, and both jobs with it; nothing was compared");
}

/* The numbers from 0 that a line begins with; what follows, or NULL where one is none. */
static const char *take_numbers(int64_t *number, size_t n, const char *line)
{
    for (size_t i = 0; i < n; i++) {
        char *end;
        errno = 0;
        number[i] = strtoll(line, &end, 10);
        if (end == line || *end != ' ' || errno || number[i] < 0)
            return NULL;
        line = end + 1;
    }
    return line;
}

static enum status parse(struct turn_job *j, const char *line, struct err *err)
{
    enum { STEPS, NS, AT, SKIP, BYTES, NUMBERS }; /* turns.py */
    int64_t n[NUMBERS];
    if (line[0] == '!')
        return err_set(err, STATUS_INPUT,
                       "the %s job (%.160s) cannot be timed in turns: %s", j->named.which,
                       j->named.command, line + 1 + (line[1] == ' '));
    const char *of = take_numbers(n, NUMBERS, line);
    if (!of || n[SKIP] > SKIP_MAX)
        return err_set(err, STATUS_INPUT,
                       "the %s job (%.160s) wrote into gait's own pipe", j->named.which,
                       j->named.command);
    j->last = (struct turn_heard){.steps = n[STEPS],
                                  .ns = n[NS] ? n[NS] : 1,
                                  .at = n[AT],
                                  .skip = n[SKIP],
                                  .bytes = n[BYTES],
                                  .of_device = !strcmp(of, "reserved")};
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

enum status turn_job_hear(struct turn_job *j, double patience_s, struct err *err)
{
    int64_t until_ns = clock_now_ns() + (int64_t)(patience_s * 1e9);
    for (;;) {
        bool ended =
            record_job_has_ended(&j->process); /* before its last words are read */
        read_more(j);
        char *line = take_line(&j->heard);
        if (line) {
            enum status st = parse(j, line, err);
            mem_free(line);
            return st;
        }
        if (j->heard.len >= LINE_MAX_BYTES)
            return parse(j, "", err);
        if (record_jobs_signal())
            return turn_job_signal(err);
        if (ended && j->process.exit_code)
            return job_failed(err, &j->named, j->process.exit_code);
        if (ended) {
            j->last.ended = true;
            return STATUS_OK;
        }
        if (clock_now_ns() > until_ns)
            return job_is_silent(err, &j->named, patience_s, j->steps > 0);
        struct pollfd p = {.fd = j->ask_fd, .events = POLLIN};
        poll(&p, 1, LOOK_EVERY_MS);
    }
}

/* A pipe takes a few bytes whole; both ends are open, so it never blocks nor breaks. */
void turn_job_tell(const struct turn_job *j, int64_t steps, int64_t skip)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%lld %lld\n", (long long)steps, (long long)skip);
    while (write(j->answer_fd, text, (size_t)n) < 0 && errno == EINTR)
        ;
}

/* --- coming and going --- */

void turn_job_init(struct turn_job *j, const char *which, const char *command)
{
    *j = (struct turn_job){
        .named = {.which = which, .command = command}, .ask_fd = -1, .answer_fd = -1};
    strbuf_init(&j->heard);
}

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
static enum status start(struct turn_job *j, const char *python_path, struct err *err)
{
    const char *const words[] = {"/bin/sh", "-c", j->named.command};
    const struct job_variable variables[] = {
        {"PYTHONPATH", python_path},     {"GAIT_RECORD_DIR", j->folder},
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

enum status turn_job_start(struct turn_job *j, const char *python_path, struct err *err)
{
    enum status st = prepare(j, err);
    return st ? st : start(j, python_path, err);
}

/* One that waits for its turn ends by itself. */
void turn_job_release(struct turn_job *j)
{
    if (j->answer_fd >= 0)
        turn_job_tell(j, 0, 0);
    if (j->process.pid)
        record_job_stop(&j->process, CLOSE_PATIENCE_S);
    if (j->ask_fd >= 0)
        close(j->ask_fd);
    if (j->answer_fd >= 0)
        close(j->answer_fd);
    if (j->folder) {
        folder_remove(j->folder);
        leftover_forget(j->folder);
    }
    strbuf_release(&j->heard);
    mem_free(j->folder);
    mem_free(j->output);
}
