#include "mcp/mcp_version.h"

#include <string.h>

const struct mcp_version mcp_versions[] = {
    {"2024-11-05", false, false, false, false}, {"2025-03-26", true, false, true, false},
    {"2025-06-18", true, true, false, false},   {"2025-11-25", true, true, false, false},
    {"2026-07-28", true, true, false, true},
};
const size_t mcp_version_count = sizeof mcp_versions / sizeof *mcp_versions;

const struct mcp_version *mcp_version_named(const char *name)
{
    for (size_t i = 0; i < mcp_version_count; i++)
        if (!strcmp(mcp_versions[i].name, name))
            return &mcp_versions[i];
    return NULL;
}

const struct mcp_version *mcp_version_offered(void)
{
    size_t i = mcp_version_count - 1;
    while (mcp_versions[i].stateless)
        i--;
    return &mcp_versions[i];
}
