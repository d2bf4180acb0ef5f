/* Gradients that are set to a constant and then added to. */
#include "flow/judging.h"

#include "base/mem.h"

static bool reads_anything(const struct flow_graph *g, size_t op)
{
    const struct op_tensors *u = &g->run->op_tensors;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++)
        if (u->role[i] == TENSOR_ROLE_READ)
            return true;
    return false;
}

/* Is the storage older than the step of this operator? */
static bool is_older(const struct flow_graph *g, int32_t tensor, size_t op)
{
    int32_t maker = g->maker[tensor];
    return maker == FLOW_NONE || flow_step(g, (size_t)maker) < flow_step(g, op);
}

void judge_cleared(struct judging *x)
{
    const struct flow_graph *g = x->g;
    const struct op_tensors *u = &g->run->op_tensors;
    int32_t *cleared_by = mem_alloc((g->run->tensors.table.n + 1) * sizeof *cleared_by);
    for (size_t t = 0; t < g->run->tensors.table.n; t++)
        cleared_by[t] = FLOW_NONE;
    for (size_t op = 0; op < g->n; op++)
        for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
            int32_t tensor = u->tensor[i];
            if (tensor < 0 || !flow_writes(u->role[i]))
                continue;
            if (u->role[i] == TENSOR_ROLE_UPDATED && cleared_by[tensor] != FLOW_NONE &&
                flow_in_backward(g, op) && flow_is_whole(g, i)) {
                judge(x, (size_t)cleared_by[tensor], FLOW_CLASS_CLEARED);
                judge(x, op, FLOW_CLASS_CLEARED);
            }
            bool clears = u->role[i] == TENSOR_ROLE_WRITTEN && !reads_anything(g, op) &&
                          flow_has(g, op, OP_TRAIT_WRITES_ONLY) &&
                          !flow_has(g, op, OP_TRAIT_RANDOM) && is_older(g, tensor, op) &&
                          flow_is_whole(g, i) &&
                          g->run->tensors.source[tensor] == VALUE_SOURCE_GRADIENT;
            cleared_by[tensor] = clears ? (int32_t)op : FLOW_NONE;
        }
    mem_free(cleared_by);
}
