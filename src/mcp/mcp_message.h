/*
 * Messages of JSON-RPC 2.0: which of them a JSON value is, and the ones that answer.
 * Ids and progress tokens are kept as JSON text, so that they go back as they came.
 */
#ifndef GAIT_MCP_MCP_MESSAGE_H
#define GAIT_MCP_MCP_MESSAGE_H

#include "base/json_read.h"
#include "base/json_writer.h"

enum mcp_kind {
    MCP_REQUEST,
    MCP_NOTIFICATION,
    MCP_ANSWER, /* to a request of ours: we send none */
    MCP_INVALID,
};

/* Of errors. */
enum {
    MCP_PARSE_ERROR = -32700,
    MCP_INVALID_REQUEST = -32600,
    MCP_METHOD_NOT_FOUND = -32601,
    MCP_INVALID_PARAMS = -32602,
    MCP_UNSUPPORTED_VERSION = -32022,
};

enum { MCP_KEY_LETTERS = 128, MCP_KEY_BYTES = 6 * MCP_KEY_LETTERS + 3 };

/* An id or a token as JSON text. */
struct mcp_key {
    char s[MCP_KEY_BYTES];
};

struct mcp_message {
    enum mcp_kind kind;
    struct mcp_key id; /* "null" where there is none, or it cannot be told */
    const char *method;
    const struct json *params; /* NULL: none */
    const struct json *meta;   /* `_meta` of these; NULL: none */
    const char *problem;       /* of an invalid one */
};

void mcp_message_read(struct mcp_message *out, const struct json *j);

/* False, and "null": j is neither a short string nor a number. NULL may be given. */
bool mcp_key_read(struct mcp_key *out, const struct json *j);

/* The value of a member of that name as text, or NULL: also where it holds a NUL byte. */
const char *mcp_text(const struct json *object, const char *name);

/* An answer of one line: mcp_begin_result, the members of the result,
 * mcp_end_result. The strbuf
 * must be empty. */
void mcp_begin_result(struct json_writer *w, struct strbuf *out, const char *id);
void mcp_end_result(struct json_writer *w);
/* A whole one. data: JSON text, or NULL. */
void mcp_error(struct strbuf *out, const char *id, int code, const char *text,
               const char *data);

#endif
