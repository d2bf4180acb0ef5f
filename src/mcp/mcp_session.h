/*
 * What a client and this server say to each other, without the processes: lines come in,
 * lines go out, and calls of tools are started and ended by the host (cli/cmd_mcp.c).
 *
 *   line ─► message ─► method ─► answer                     at once
 *                        └─ tools/call ─► host starts it … mcp_session_ended ─► answer
 *
 * An answer of a batch waits for the others of its batch. A call that was cancelled has
 * none. Legal order: mcp_session_new; any; mcp_session_free, which forgets open calls.
 */
#ifndef GAIT_MCP_MCP_SESSION_H
#define GAIT_MCP_MCP_SESSION_H

#include "mcp/mcp_message.h"
#include "mcp/mcp_tool.h"
#include "mcp/mcp_version.h"

enum { MCP_CALLS_MAX = 8, MCP_BATCH_MAX = 64 };

struct mcp_batch;

struct mcp_call {
    bool open;
    struct mcp_key id, token; /* token "null": no progress is asked for */
    const struct mcp_version *version;
    const struct mcp_tool *tool;
    struct mcp_line line;
    struct mcp_batch *batch; /* NULL: of none */
    int64_t told;            /* progress, so far */
};

/* How a call ended. */
struct mcp_outcome {
    int exit_code;
    bool timed_out, too_much; /* it was ended; its output was more than is taken */
    bool saved;               /* its output file was written */
    const char *out, *err;    /* what it printed, or the end of it */
    size_t out_len;
    double seconds;
};

struct mcp_host {
    void *context;
    /* One line, with its end. */
    void (*send)(void *context, const char *line, size_t len);
    /* Not OK: it did not start, and *err says why. */
    enum status (*start)(void *context, struct mcp_call *call, struct err *err);
    /* The client wants it no more: mcp_session_ended() is not called for it. */
    void (*stop)(void *context, struct mcp_call *call);
};

struct mcp_session;

struct mcp_session *mcp_session_new(const struct mcp_host *host, const char *version,
                                    bool read_only);
void mcp_session_free(struct mcp_session *s);

/* line[0..len); NULL: one that was too long. */
void mcp_session_line(struct mcp_session *s, const char *line, size_t len);
void mcp_session_ended(struct mcp_session *s, struct mcp_call *call,
                       const struct mcp_outcome *o);
/* It runs for so long. */
void mcp_session_progress(struct mcp_session *s, struct mcp_call *call, double seconds);
/* (MCP_CALLS_MAX) Those that are open, and others. */
struct mcp_call *mcp_session_calls(struct mcp_session *s);

#endif
