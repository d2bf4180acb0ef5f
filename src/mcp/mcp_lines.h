/* Lines of a stream that comes in parts. A line longer than the bound is passed over, and
 * told as one that is too long; memory stays within the bound. */
#ifndef GAIT_MCP_MCP_LINES_H
#define GAIT_MCP_MCP_LINES_H

#include "base/strbuf.h"

#include <stdbool.h>

enum { MCP_LINE_BYTES_MAX = 1 << 20 };

/* line[0..len) has no end of line and lives until it returns; NULL: it was too long. */
typedef void mcp_line_fn(void *context, const char *line, size_t len);

struct mcp_lines {
    struct strbuf begun;
    bool too_long;
    mcp_line_fn *take;
    void *context;
};

void mcp_lines_init(struct mcp_lines *l, mcp_line_fn *take, void *context);
void mcp_lines_release(struct mcp_lines *l);
void mcp_lines_add(struct mcp_lines *l, const char *bytes, size_t n);
/* The stream has ended: what stands behind its last end of line is a line too. */
void mcp_lines_end(struct mcp_lines *l);

#endif
