/*
 * --graph, of the commands that tell findings: an execution trace beside the profiler's
 * trace. A command puts GRAPH_OPTION into its table and calls graph_option_add() behind
 * load_runs().
 */
#ifndef GAIT_CLI_GRAPH_OPTION_H
#define GAIT_CLI_GRAPH_OPTION_H

#include "cli/args.h"
#include "run/run.h"

#define GRAPH_OPTION                                                                     \
    {                                                                                    \
        "graph", 0, "FILE", "execution trace of the same steps: what work is needless"   \
    }

/* The path, or NULL. */
const char *graph_option(const struct args *args);
/* What it tells, as the data flow of the one rank of *run; without the option nothing. */
enum status graph_option_add(struct run *run, const struct args *args, struct err *err);

#endif
