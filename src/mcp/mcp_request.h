/* What the session's files share. Private to mcp_session.c, mcp_methods.c, mcp_calls.c. */
#ifndef GAIT_MCP_MCP_REQUEST_H
#define GAIT_MCP_MCP_REQUEST_H

#include "mcp/mcp_session.h"

/* Answers that go out together. It is freed with the last of them. */
struct mcp_batch {
    size_t open; /* messages of it that are not answered yet */
    struct strbuf answers;
};

struct mcp_session {
    struct mcp_host host;
    const char *own_version; /* of the program */
    bool read_only;
    const struct mcp_version *version; /* of the handshake; NULL: there was none */
    struct mcp_call call[MCP_CALLS_MAX];
};

/* A request or a notification on its way. */
struct mcp_request {
    struct mcp_session *s;
    const struct mcp_message *m;
    struct mcp_batch *batch;
    const struct mcp_version *version; /* NULL: before the handshake */
};

/* --- what goes out --- */

/* The next answer or notification, alone in a line. */
void mcp_send(struct mcp_session *s, struct strbuf *text);
/* One of a batch less, whether it has an answer or not; NULL is fine. */
void mcp_leave_batch(struct mcp_session *s, struct mcp_batch *b);
void mcp_refuse(const struct mcp_request *r, int code, const char *text);
/* A result begins with what all of this version have; it ends where it is sent. */
void mcp_begin(struct json_writer *w, struct strbuf *out, const struct mcp_session *s,
               const char *id, const struct mcp_version *v);
void mcp_end(struct mcp_session *s, struct mcp_batch *b, struct json_writer *w);
/* The next value: who this server is. */
void mcp_put_server(struct json_writer *w, const struct mcp_session *s,
                    const struct mcp_version *v);

/* --- methods --- */

void mcp_initialize(const struct mcp_request *r);
void mcp_discover(const struct mcp_request *r);
void mcp_ping(const struct mcp_request *r);
void mcp_list_tools(const struct mcp_request *r);
void mcp_call_tool(const struct mcp_request *r);
void mcp_cancel(const struct mcp_request *r);

#endif
