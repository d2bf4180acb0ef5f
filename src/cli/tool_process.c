#include "cli/tool_process.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/marked_processes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STREAM_OUT, STREAM_ERR };
enum { RESULT_BYTES_MAX = 4 << 20, LAST_BYTES_KEPT = 8 << 10, READ_BYTES = 16 << 10 };
static const int64_t TERM_PATIENCE_NS = 5000000000;
static const double SECONDS = 1e9;
static const char call_variable[] = "GAIT_MCP_CALL";

_Static_assert((int)MCP_CALLS_MAX <= (int)RECORD_JOBS_MAX, "each call is a job");

/* --- the file that it writes --- */

static struct timespec changed_at(const char *path)
{
    struct stat s;
    return path && !stat(path, &s) ? s.st_mtim : (struct timespec){0};
}

static bool was_written(const struct tool_process *p)
{
    struct timespec now = changed_at(p->output);
    return now.tv_sec != p->output_before.tv_sec ||
           now.tv_nsec != p->output_before.tv_nsec;
}

static char *output_of(const struct mcp_line *l)
{
    if (!l->output)
        return NULL;
    bool here = !l->folder || *l->output == '/';
    return here ? mem_strdup(l->output) : path_join(l->folder, l->output);
}

/* --- starting --- */

static enum status make_pipes(struct tool_process *p, int write_end[TOOL_STREAMS],
                              struct err *err)
{
    for (int i = 0; i < TOOL_STREAMS; i++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC))
            return err_set(err, STATUS_ENVIRONMENT, "cannot make a pipe: %s",
                           strerror(errno));
        p->fd[i] = ends[0];
        write_end[i] = ends[1];
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
    }
    return STATUS_OK;
}

static enum status start_program(struct tool_process *p, const struct mcp_line *line,
                                 const int *write_end, struct err *err)
{
    const char **words = mem_alloc((line->n + 1) * sizeof *words);
    words[0] = "/proc/self/exe"; /* this very program, also while another is installed */
    for (size_t i = 0; i < line->n; i++)
        words[i + 1] = line->word[i];
    const struct job_variable mark = {call_variable, p->mark};
    const struct job_command command = {.words = words,
                                        .n = line->n + 1,
                                        .variables = &mark,
                                        .n_variables = 1,
                                        .pipes = write_end,
                                        .folder = line->folder};
    enum status st = record_job_start(&p->job, &command, err);
    mem_free(words);
    return st;
}

enum status tool_process_start(struct tool_process *p, struct mcp_call *call,
                               struct err *err)
{
    int write_end[TOOL_STREAMS] = {-1, -1};
    const struct mcp_line *line = &call->line;
    if (line->folder && !file_is_dir(line->folder))
        return err_set(err, STATUS_USAGE, "folder is \"%.160s\", which is no folder here",
                       line->folder);
    *p = (struct tool_process){.running = true,
                               .call = call,
                               .fd = {-1, -1},
                               .begin_ns = clock_now_ns(),
                               .output = output_of(line)};
    p->output_before = changed_at(p->output);
    snprintf(p->mark, sizeof p->mark, "%d-%lld", (int)getpid(), (long long)p->begin_ns);
    for (int i = 0; i < TOOL_STREAMS; i++)
        strbuf_init(&p->text[i]);
    enum status st = make_pipes(p, write_end, err);
    if (!st)
        st = start_program(p, line, write_end, err);
    for (int i = 0; i < TOOL_STREAMS; i++)
        if (write_end[i] >= 0)
            close(write_end[i]);
    if (st)
        tool_process_release(p);
    return st;
}

/* --- while it runs --- */

void tool_process_end(struct tool_process *p)
{
    if (p->kill_ns)
        return;
    p->kill_ns = clock_now_ns() + TERM_PATIENCE_NS;
    record_job_tell(&p->job, SIGTERM);
}

size_t tool_process_poll(const struct tool_process *p, struct pollfd *poll)
{
    size_t n = 0;
    for (int i = 0; i < TOOL_STREAMS; i++)
        if (p->running && p->fd[i] >= 0)
            poll[n++] = (struct pollfd){.fd = p->fd[i], .events = POLLIN};
    return n;
}

/* Of what only a person reads the end is kept. */
static void keep_last(struct strbuf *text)
{
    if (text->len <= 2 * LAST_BYTES_KEPT)
        return;
    memmove(text->s, text->s + text->len - LAST_BYTES_KEPT, LAST_BYTES_KEPT);
    text->len = LAST_BYTES_KEPT;
    text->s[text->len] = '\0';
}

static void take(struct tool_process *p, int stream, const char *bytes, size_t n)
{
    struct strbuf *text = &p->text[stream];
    bool result = stream == STREAM_OUT && p->call && !p->call->tool->prints_own;
    p->too_much = p->too_much || (result && text->len + n > RESULT_BYTES_MAX);
    if (p->too_much && result) {
        tool_process_end(p);
        return;
    }
    strbuf_add(text, bytes, n);
    if (!result)
        keep_last(text);
}

static void read_stream(struct tool_process *p, int stream)
{
    char bytes[READ_BYTES];
    ssize_t n;
    if (p->fd[stream] < 0)
        return;
    /* a program that prints without end must not keep us */
    for (int turn = 0; turn < 64; turn++) {
        do
            n = read(p->fd[stream], bytes, sizeof bytes);
        while (n < 0 && errno == EINTR);
        if (n <= 0)
            break;
        take(p, stream, bytes, (size_t)n);
    }
    if (!n) { /* nobody has the other end any more */
        close(p->fd[stream]);
        p->fd[stream] = -1;
    }
}

static void watch_time(struct tool_process *p)
{
    int64_t now_ns = clock_now_ns();
    if (p->kill_ns && now_ns > p->kill_ns)
        record_job_tell(&p->job, SIGKILL);
    if (p->call && !p->kill_ns && tool_process_seconds(p) > p->call->line.timeout_s) {
        p->timed_out = true;
        tool_process_end(p);
    }
}

bool tool_process_step(struct tool_process *p, struct mcp_outcome *o)
{
    watch_time(p);
    bool ended = record_job_has_ended(&p->job); /* before its last words are read */
    if (ended)
        record_job_stop(&p->job, 0); /* what it left behind */
    if (ended && p->kill_ns)
        marked_processes_kill(call_variable, p->mark); /* and what left its group */
    for (int i = 0; i < TOOL_STREAMS; i++)
        read_stream(p, i);
    if (!ended)
        return false;
    *o = (struct mcp_outcome){.exit_code = p->job.exit_code,
                              .timed_out = p->timed_out,
                              .too_much = p->too_much,
                              .saved = was_written(p),
                              .out = p->text[STREAM_OUT].s,
                              .out_len = p->text[STREAM_OUT].len,
                              .err = p->text[STREAM_ERR].s,
                              .seconds = tool_process_seconds(p)};
    return true;
}

double tool_process_seconds(const struct tool_process *p)
{
    return (double)(clock_now_ns() - p->begin_ns) / SECONDS;
}

void tool_process_release(struct tool_process *p)
{
    if (!p->running)
        return;
    if (p->job.pid)
        record_job_stop(&p->job, 0);
    for (int i = 0; i < TOOL_STREAMS; i++) {
        if (p->fd[i] >= 0)
            close(p->fd[i]);
        strbuf_release(&p->text[i]);
    }
    mem_free(p->output);
    *p = (struct tool_process){0};
}
