/* The host stops until the device has caught up: .item(), .cpu(), nonzero, printing. */
#include "findings/finding.h"

#include <stdio.h>
#include <string.h>

/* Did the call wait for device work, as the graph has it? */
static bool waits(const struct evidence *e, int64_t call)
{
    const struct graph *g = &e->replay->graph;
    uint32_t end = e->replay->end_node[call];
    if (end == GRAPH_NONE)
        return false;
    for (uint32_t k = g->first_in[end]; k < g->first_in[end + 1]; k++)
        if (g->kind[g->in[k]] == GRAPH_EDGE_WAIT)
            return true;
    return false;
}

void rule_host_wait(const struct rule *rule, const struct evidence *e, struct findings *f)
{
    enum { WAITING_FRAC };
    struct edit_list edits = {0};
    const struct host_thread *where = NULL;
    const struct host_op *longest = NULL;
    double waited_ns = 0;
    size_t count = 0;
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            const struct host_op *op = &t->op[i];
            if ((op->kind != SPAN_KIND_RUNTIME && op->kind != SPAN_KIND_SYNC) ||
                !waits(e, op->span))
                continue;
            edit_list_unblock(&edits, op->span);
            waited_ns += (double)host_op_ns(op) / (double)e->steps;
            count++;
            if (!longest || host_op_ns(op) > host_op_ns(longest)) {
                longest = op;
                where = t;
            }
        }
    }
    if (!longest || waited_ns < rule->limit[WAITING_FRAC] * e->traced_step_ns) {
        edit_list_release(&edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    const char *line = evidence_line(e, where, longest);
    x->edits = edits;
    x->holds_ns = waited_ns;
    x->price = PRICE_REPLAYED;
    snprintf(x->where, sizeof x->where, "%s%s%s",
             longest->op_parent >= 0 ? evidence_name(e, &where->op[longest->op_parent])
                                     : evidence_name(e, longest),
             *line ? ", " : "", line);
    snprintf(x->evidence, sizeof x->evidence, "%.1f blocking calls a step",
             (double)count / (double)e->steps);
}
