/* Any bytes as an execution trace: an error that says why, or rows that
 * make a sound run, whose calls all get a class. */
#include "execution/execution_trace.h"
#include "flow/flow_classes.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(const struct run *run)
{
    struct flow_graph g;
    if (!flow_graph_init(&g, run, 0))
        return;
    struct flow_classes c = flow_classes_of(&g);
    for (size_t i = 0; i < g.n; i++)
        if (c.of[i] >= FLOW_CLASS_COUNT || !(c.keep[i] >= 0 && c.keep[i] <= 1) ||
            c.cause[i] < 0 || (size_t)c.cause[i] >= g.n)
            abort();
    flow_classes_release(&c);
    flow_graph_release(&g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run run;
    struct err err = ERR_INIT;
    run_init(&run);
    ranks_add(&run.ranks, (struct rank){0});
    if (execution_trace_parse(&run, data, size, "fuzz", &err)) {
        if (!*err.text || run.watched_ops.table.n || run.op_tensors.table.n)
            abort();
    } else if (run_check(&run, &err)) {
        abort();
    } else {
        judge(&run);
    }
    run_release(&run);
    return 0;
}
