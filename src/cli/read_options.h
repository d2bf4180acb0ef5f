/*
 * The options of every command that reads runs and traces: how to read them. A command
 * puts READ_OPTIONS into its table and calls read_options().
 */
#ifndef GAIT_CLI_READ_OPTIONS_H
#define GAIT_CLI_READ_OPTIONS_H

#include "cli/args.h"
#include "cli/load_runs.h"

#define READ_OPTIONS                                                                     \
    {                                                                                    \
        "threads", 0, "N", "threads to read with (default: one a CPU, at most 16)"       \
    }

/* Sets the members of *out that these options are about; the others stay. */
enum status read_options(struct load_options *out, const struct args *args,
                         struct err *err);

#endif
