#include "cli/args.h"
#include "source/source_facts.h"

#include <stdio.h>

static enum status cmd_version(const struct args *args, struct err *err)
{
    (void)args, (void)err;
#ifdef GAIT_TRAIN
    const char *trainer = "yes";
#else
    const char *trainer = "no (built with -DGAIT_TRAIN=OFF)";
#endif
    printf("gait %s\n", GAIT_VERSION);
    printf("trainer: %s\n", trainer);
    printf("lint: %s\n", source_available() ? "yes" : "no (scripts/fetch-tree-sitter)");
    return STATUS_OK;
}

const struct command command_version = {
    .name = "version",
    .run = cmd_version,
    .summary = "the version, and what this build can do",
    .operands = "",
    .example = "version",
};
