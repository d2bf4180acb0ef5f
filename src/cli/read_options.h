/*
 * The options of every command that reads runs and traces: how to read them. A command
 * puts READ_OPTIONS into its table and calls read_options(); one that keeps spans puts
 * READ_STEPS_OPTION there too and calls read_steps().
 */
#ifndef GAIT_CLI_READ_OPTIONS_H
#define GAIT_CLI_READ_OPTIONS_H

#include "cli/args.h"
#include "load/load_runs.h"

#define READ_OPTIONS                                                                     \
    {"threads", 0, "N", "threads to read with (default: one a CPU, at most 16)"},        \
    {                                                                                    \
        "memory", 0, "SIZE",                                                             \
            "hold spans of a trace in so much memory, like 512M; what\n"                 \
            "                          does not fit goes to a temporary file"            \
    }

#define READ_STEPS_OPTION                                                                \
    {                                                                                    \
        "steps", 0, "LIST", "keep spans of these steps first, like 5,7-9"                \
    }

/* Set the members of *out that these options are about; the others stay. */
enum status read_options(struct load_options *out, const struct args *args,
                         struct err *err);
enum status read_steps(struct load_options *out, const struct args *args,
                       struct err *err);

#endif
