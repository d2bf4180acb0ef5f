/* What a tool printed, as the members of a result. */
#ifndef GAIT_MCP_MCP_RESULT_H
#define GAIT_MCP_MCP_RESULT_H

#include "mcp/mcp_session.h"

void mcp_result_put(struct json_writer *w, const struct mcp_call *call,
                    const struct mcp_outcome *o);
/* One that says that it went wrong, and what to do. */
void mcp_result_put_error(struct json_writer *w, const char *text);

#endif
