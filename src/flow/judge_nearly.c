/* Copies of nearly all of a tensor, to leave out a few of its rows or to put a few in the
 * place of others: with the rest marked, or written in place, nothing would be copied. */
#include "flow/judging.h"

#define NEARLY 0.9

static bool all_readers_go_by_rows(const struct flow_graph *g, int32_t tensor)
{
    size_t n = 0;
    for (size_t i = g->first_read[tensor]; i < g->first_read[tensor + 1]; i++) {
        size_t op = (size_t)g->read[i];
        if (!is_work(g, op) || flow_in_backward(g, op))
            continue;
        if (!flow_is_rowwise(g, op, g->read_use[i]))
            return false;
        n++;
    }
    return n > 0;
}

/* Some rows of what this step has made are left out, and nothing else is changed? */
static bool leaves_rows_out(const struct judging *x, size_t op)
{
    const struct flow_graph *g = x->g;
    const struct op_tensors *u = &g->run->op_tensors;
    size_t from = g->first_use[op];
    int64_t made = flow_made(g, op);
    if (!flow_has(g, op, OP_TRAIT_COPY) || made != (int64_t)from + 1 ||
        u->role[from] != TENSOR_ROLE_READ || u->tensor[from] < 0 ||
        u->dtype[from] != u->dtype[made] || x->rewritten[u->tensor[made]] ||
        g->run->tensors.kept[u->tensor[made]] || g->maker[u->tensor[from]] == FLOW_NONE ||
        flow_is_whole(g, from))
        return false;
    int64_t all = flow_made(g, (size_t)g->maker[u->tensor[from]]);
    int32_t last = g->last_read[u->tensor[made]];
    double bytes = (double)g->run->tensors.bytes[u->tensor[from]];
    return all != FLOW_NONE && last != FLOW_NONE &&
           flow_last(g, u->shape[from]) == flow_last(g, u->shape[all]) &&
           flow_last(g, u->strides[from]) == 1 && flow_bytes(g, from) >= NEARLY * bytes &&
           !flow_is_written_between(g, u->tensor[from], op, (size_t)last) &&
           all_readers_go_by_rows(g, u->tensor[made]);
}

/* Is it what its operands are, one behind the other, nearly all of it one that is as old
 * as the last step, for the next one? */
static bool puts_rows_in(const struct flow_graph *g, size_t op)
{
    const struct op_tensors *u = &g->run->op_tensors;
    int64_t made = flow_made(g, op);
    double read = 0, old = 0;
    enum op_family family = flow_family(g, op);
    if (made == FLOW_NONE || flow_has(g, op, OP_TRAIT_POINTWISE | OP_TRAIT_SELECTS) ||
        (family != OP_FAMILY_NONE && family != OP_FAMILY_COPY))
        return false;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
        if (u->role[i] != TENSOR_ROLE_READ || u->tensor[i] < 0)
            continue;
        int32_t writer = flow_writer(g, u->tensor[i], op);
        double elements = flow_elements(g, i);
        read += elements;
        if ((writer == FLOW_NONE || flow_step(g, (size_t)writer) < flow_step(g, op)) &&
            elements > old)
            old = elements;
    }
    int32_t tensor = u->tensor[made], last = g->last_read[tensor];
    bool is_for_later =
        g->run->tensors.kept[tensor] ||
        (last != FLOW_NONE && flow_step(g, (size_t)last) > flow_step(g, op));
    return read == flow_elements(g, (size_t)made) && old < read && old >= NEARLY * read &&
           is_for_later;
}

void judge_nearly(struct judging *x)
{
    const struct flow_graph *g = x->g;
    for (size_t op = 0; op < g->n; op++)
        if (!flow_in_backward(g, op) && is_work(g, op) &&
            (leaves_rows_out(x, op) || puts_rows_in(g, op)))
            judge(x, op, FLOW_CLASS_COPIED);
}
