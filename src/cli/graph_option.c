#include "cli/graph_option.h"

#include "execution/execution_trace.h"

const char *graph_option(const struct args *args)
{
    return args_value(args, "graph");
}

enum status graph_option_add(struct run *run, const struct args *args, struct err *err)
{
    const char *path = graph_option(args);
    if (!path)
        return STATUS_OK;
    if (run->ranks.table.n != 1)
        return err_set(err, STATUS_USAGE,
                       "--graph belongs to one trace, and %zu ranks were read; give the "
                       "trace of the rank that wrote it",
                       run->ranks.table.n);
    if (run->watched_ops.table.n)
        return err_set(err, STATUS_USAGE,
                       "the run has the data flow of its steps already; leave out "
                       "--graph");
    return execution_trace_add(run, path, err);
}
