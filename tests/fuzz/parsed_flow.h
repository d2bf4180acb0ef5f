/* What must hold of the data flow that any bytes were taken for. */
#ifndef GAIT_FUZZ_PARSED_FLOW_H
#define GAIT_FUZZ_PARSED_FLOW_H

#include "flow/flow_classes.h"

#include <stdlib.h>

static inline void judge_flow(const struct run *run)
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

/* An error that says why and leaves no rows, or rows that make a sound run, whose calls
 * all get a class. */
static inline void check_parsed_flow(const struct run *run, enum status parsed,
                                     struct err *err)
{
    if (parsed) {
        if (!*err->text || run->watched_ops.table.n || run->op_tensors.table.n)
            abort();
    } else if (run_check(run, err)) {
        abort();
    } else {
        judge_flow(run);
    }
}

#endif
