/* Operators that did the same work on the same values. Private to flow, but for where the
 * first of them stands. */
#ifndef GAIT_FLOW_FLOW_SAME_H
#define GAIT_FLOW_FLOW_SAME_H

#include "flow/flow_graph.h"

struct flow_same {
    uint64_t number;
    int32_t op;
};

/* All that counts, those of one number together, in time. The caller frees it. */
typedef bool flow_counts_fn(const struct flow_graph *g, size_t op);
struct flow_same *flow_same_of(const struct flow_graph *g, flow_counts_fn *counts,
                               size_t *n);

/* (g->n) The first that did the same in its step: itself, if there is none before it. The
 * caller frees it with mem_free(). */
int32_t *flow_first_of(const struct flow_graph *g);

#endif
