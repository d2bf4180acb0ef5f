/*
 * The commands as tools for a program that speaks the Model Context Protocol: messages on
 * standard input and output, a line each. The session (mcp/mcp_session.h) knows the
 * protocol, processes (cli/tool_process.h) do the work; here they meet in one loop.
 *
 * Nothing but messages is ever written to standard output. At the end of input the calls
 * that run are still answered; when nobody reads the output any more, they are ended.
 */
#include "base/log.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/mcp_output.h"
#include "cli/tool_process.h"
#include "mcp/mcp_lines.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_EVERY_MS = 50, IDLE_MS = 1000, READ_BYTES = 4 << 10 };

struct server {
    struct mcp_session *session;
    struct mcp_lines lines;
    struct tool_process process[MCP_CALLS_MAX];
    struct mcp_output output;
    bool input_over;
};

/* --- what the session asks for --- */

static void send_line(void *context, const char *line, size_t len)
{
    struct server *s = context;
    mcp_output_add(&s->output, line, len);
}

static enum status start(void *context, struct mcp_call *call, struct err *err)
{
    struct server *s = context;
    for (size_t i = 0; i < MCP_CALLS_MAX; i++)
        if (!s->process[i].running)
            return tool_process_start(&s->process[i], call, err);
    return err_set(
        err, STATUS_ENVIRONMENT,
        "calls that were cancelled are still ending; ask again in some seconds");
}

static void stop(void *context, struct mcp_call *call)
{
    struct server *s = context;
    for (size_t i = 0; i < MCP_CALLS_MAX; i++)
        if (s->process[i].running && s->process[i].call == call) {
            s->process[i].call = NULL;
            tool_process_end(&s->process[i]);
        }
}

/* --- the loop --- */

static bool is_working(const struct server *s)
{
    for (size_t i = 0; i < MCP_CALLS_MAX; i++)
        if (s->process[i].running)
            return true;
    return false;
}

static void take_line(void *context, const char *line, size_t len)
{
    struct server *s = context;
    mcp_session_line(s->session, line, len);
}

static void read_input(struct server *s)
{
    static char bytes[READ_BYTES];
    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n > 0)
        mcp_lines_add(&s->lines, bytes, (size_t)n);
    else if (!n || (errno != EINTR && errno != EAGAIN)) {
        mcp_lines_end(&s->lines);
        s->input_over = true;
    }
}

static void look_after_processes(struct server *s)
{
    for (size_t i = 0; i < MCP_CALLS_MAX; i++) {
        struct tool_process *p = &s->process[i];
        struct mcp_outcome outcome;
        if (!p->running)
            continue;
        if (!tool_process_step(p, &outcome)) {
            if (p->call && !mcp_output_is_full(&s->output))
                mcp_session_progress(s->session, p->call, tool_process_seconds(p));
            continue;
        }
        if (p->call)
            mcp_session_ended(s->session, p->call, &outcome);
        tool_process_release(p);
    }
}

/* A client that does not read what it is told is not read either: what waits for it stays
 * within bounds. */
static void wait_and_read(struct server *s)
{
    enum { INPUT, OUTPUT, FIRST_PROCESS };
    bool reads = !s->input_over && !mcp_output_is_full(&s->output);
    struct pollfd poll_fd[FIRST_PROCESS + MCP_CALLS_MAX * TOOL_STREAMS] = {
        [INPUT] = {.fd = reads ? STDIN_FILENO : -1, .events = POLLIN},
        [OUTPUT] = mcp_output_poll(&s->output),
    };
    size_t n = FIRST_PROCESS;
    for (size_t i = 0; i < MCP_CALLS_MAX; i++)
        n += tool_process_poll(&s->process[i], &poll_fd[n]);
    int found = poll(poll_fd, n, is_working(s) ? LOOK_EVERY_MS : IDLE_MS);
    if (found > 0 && poll_fd[INPUT].revents)
        read_input(s);
}

static enum status serve(struct server *s, struct err *err)
{
    while (!s->output.closed && !record_jobs_signal() &&
           (!s->input_over || is_working(s) || !mcp_output_is_empty(&s->output))) {
        wait_and_read(s);
        look_after_processes(s);
        mcp_output_flush(&s->output);
    }
    int number = record_jobs_signal();
    return number ? (enum status)(128 + number) : mcp_output_status(&s->output, err);
}

/* All at once: what does not end when asked costs its patience once, not once each. */
static void end_processes(struct server *s)
{
    for (size_t i = 0; i < MCP_CALLS_MAX; i++)
        if (s->process[i].running) {
            s->process[i].call = NULL;
            tool_process_end(&s->process[i]);
        }
    for (look_after_processes(s); is_working(s); look_after_processes(s))
        poll(NULL, 0, LOOK_EVERY_MS);
}

static enum status cmd_mcp(const struct args *args, struct err *err)
{
    struct server *s = mem_zalloc(1, sizeof *s);
    const struct mcp_host host = {s, send_line, start, stop};
    if (isatty(STDIN_FILENO))
        log_line(
            "gait mcp waits for messages of a program, a line of JSON each; how to add "
            "it to one: docs/mcp.md");
    signal(SIGPIPE, SIG_IGN);
    record_jobs_begin();
    s->session = mcp_session_new(&host, GAIT_VERSION, args_has(args, "read-only"));
    mcp_lines_init(&s->lines, take_line, s);
    mcp_output_init(&s->output, STDOUT_FILENO);
    enum status st = serve(s, err);
    end_processes(s);
    record_jobs_end();
    mcp_lines_release(&s->lines);
    mcp_output_release(&s->output);
    mcp_session_free(s->session);
    mem_free(s);
    return st;
}

static const struct option options[] = {
    {"read-only", 0, NULL,
     "no tool that starts programs: no record, no verify of commands or configs"},
};

const struct command command_mcp = {
    .name = "mcp",
    .run = cmd_mcp,
    .summary = "the commands as tools, for agents: Model Context Protocol",
    .operands = "",
    .min_operands = 0,
    .max_operands = 0,
    OPTIONS(options),
    .about =
        "Serves lint, record, analyze, explain, whatif and verify on standard input and\n"
        "output, until its input ends. How to add it to a client, what each tool takes,\n"
        "what it may do: docs/mcp.md",
    .example = "mcp --read-only",
};
