/*
 * Commands of this program as child processes, for `gait mcp`: each runs apart, so that it
 * may crash, hang or take memory without harm to the server, and what it prints is taken
 * within bounds. A process that is no longer wanted is asked to end, and after five
 * seconds killed, with all that it has started.
 */
#ifndef GAIT_CLI_TOOL_PROCESS_H
#define GAIT_CLI_TOOL_PROCESS_H

#include "base/strbuf.h"
#include "cli/record_job.h"
#include "mcp/mcp_session.h"

#include <poll.h>
#include <time.h>

enum { TOOL_STREAMS = 2 }; /* its stdout and stderr */

struct tool_process {
    bool running;
    struct mcp_call *call; /* NULL: nobody waits for it */
    struct record_job job;
    int fd[TOOL_STREAMS]; /* -1: it is closed */
    struct strbuf text[TOOL_STREAMS];
    int64_t begin_ns, kill_ns; /* kill_ns 0: it was not asked to end */
    char mark[48];             /* in the environment of all that it starts */
    bool timed_out, too_much;
    char *output;                  /* the file that it is to write; NULL: none */
    struct timespec output_before; /* when that was changed last; 0: it was not there */
};

enum status tool_process_start(struct tool_process *p, struct mcp_call *call,
                               struct err *err);
/* Ask it to end. */
void tool_process_end(struct tool_process *p);
/* Its descriptors, for poll(): how many of poll[0..TOOL_STREAMS) were set. */
size_t tool_process_poll(const struct tool_process *p, struct pollfd *poll);
/* Take what it has printed, watch its time. True: it has ended, and *o says how; o's texts
 * live until tool_process_release(). */
bool tool_process_step(struct tool_process *p, struct mcp_outcome *o);
/* Ends it first where it runs. */
void tool_process_release(struct tool_process *p);

double tool_process_seconds(const struct tool_process *p);

#endif
