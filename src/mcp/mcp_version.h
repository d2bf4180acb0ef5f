/*
 * Versions of the Model Context Protocol, and what differs between them for a server of
 * tools. Those before 2026-07-28 begin with a handshake, `initialize`, which settles the
 * version; from then on each request names its own in its `_meta`, and nothing is kept.
 */
#ifndef GAIT_MCP_MCP_VERSION_H
#define GAIT_MCP_MCP_VERSION_H

#include <stdbool.h>
#include <stddef.h>

struct mcp_version {
    const char *name;
    bool annotations; /* hints about tools */
    bool structured;  /* results as JSON beside text, with a schema; titles */
    bool batches;     /* several messages in an array */
    bool stateless;   /* no handshake; results say what kind they are */
};

extern const struct mcp_version mcp_versions[]; /* (mcp_version_count) oldest first */
extern const size_t mcp_version_count;

/* NULL: it is not known. */
const struct mcp_version *mcp_version_named(const char *name);
/* What a handshake offers to a client whose version is not known. */
const struct mcp_version *mcp_version_offered(void);

#endif
