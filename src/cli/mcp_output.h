/*
 * What `gait mcp` says to its client: kept until the client has room for it, so that a
 * client that does not read never keeps the server from watching its calls and signals.
 *
 * The descriptor stays as it is, blocking: it may be shared with other programs. poll()
 * says when PIPE_BUF bytes go in at once.
 */
#ifndef GAIT_CLI_MCP_OUTPUT_H
#define GAIT_CLI_MCP_OUTPUT_H

#include "base/status.h"
#include "base/strbuf.h"

#include <poll.h>
#include <stdbool.h>

struct mcp_output {
    int fd;
    struct strbuf bytes; /* those from `sent` on wait */
    size_t sent;
    bool closed;      /* nobody reads it any more, or it cannot be written */
    int write_failed; /* errno of the latter; 0: nobody reads it */
};

void mcp_output_init(struct mcp_output *o, int fd);
void mcp_output_release(struct mcp_output *o);
void mcp_output_add(struct mcp_output *o, const char *bytes, size_t n);
/* Write what there is room for, without waiting; see whether somebody reads still. */
void mcp_output_flush(struct mcp_output *o);
/* For poll(): room where something waits, and a reader that goes away. */
struct pollfd mcp_output_poll(const struct mcp_output *o);

bool mcp_output_is_empty(const struct mcp_output *o);
/* More waits than a client that reads would leave: it gets no further questions in. */
bool mcp_output_is_full(const struct mcp_output *o);
/* Not OK: it could not be written, and *err says why. */
enum status mcp_output_status(const struct mcp_output *o, struct err *err);

#endif
