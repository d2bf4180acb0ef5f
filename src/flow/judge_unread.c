/* Work on which nothing that lasts depends. */
#include "flow/judging.h"

#include "base/mem.h"

#include <stdlib.h>

/* What was there before and what the job keeps lasts, where it is more than sums and
 * counts for a log. Gradients do not: they are there to be read. */
static bool lasts(const struct flow_graph *g, int32_t tensor)
{
    const struct tensors *t = &g->run->tensors;
    switch (t->source[tensor]) {
    case VALUE_SOURCE_PARAMETER:
    case VALUE_SOURCE_FROZEN:
    case VALUE_SOURCE_STATE:
    case VALUE_SOURCE_BUFFER:
        return true;
    case VALUE_SOURCE_GRADIENT:
        return false;
    case VALUE_SOURCE_BEFORE:
        return t->bytes[tensor] > FLOW_LASTING_BYTES;
    default:
        return t->kept[tensor] && t->bytes[tensor] > FLOW_LASTING_BYTES;
    }
}

/* What writes to something that lasts, what others get, and what cannot be followed. */
static bool is_end(const struct flow_graph *g, size_t op)
{
    const struct op_tensors *u = &g->run->op_tensors;
    if (flow_has(g, op, OP_TRAIT_COLLECTIVE))
        return true;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++)
        if (u->tensor[i] < 0 ||
            (u->role[i] != TENSOR_ROLE_READ && u->role[i] != TENSOR_ROLE_VIEW &&
             lasts(g, u->tensor[i])))
            return true;
    return false;
}

/* --- numbers that come back from the host --- */

/* A call by where it is made, and as which of those there. */
struct placed {
    int32_t line;
    name_id name;
    int32_t step, op;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

/* Arithmetic of the job's own: an optimizer's numbers change by themselves. */
static bool may_take_numbers(const struct flow_graph *g, size_t op)
{
    return flow_has(g, op, OP_TRAIT_POINTWISE) &&
           !flow_has(g, op, OP_TRAIT_OPTIMIZER | OP_TRAIT_VIEW | OP_TRAIT_FACTORY);
}

/* Calls of one place and name, n of them: as many in each step, and the k-th of one was
 * given other numbers than the k-th of the next? */
static void mark_varying(const struct flow_graph *g, const struct placed *p, size_t n,
                         uint8_t *varying)
{
    const int64_t *scalars = g->run->watched_ops.scalars + g->first_op;
    size_t each = n / (size_t)g->steps;
    if (!each || n % (size_t)g->steps)
        return;
    for (size_t i = 0; i < n; i++)
        if (p[i].step != (int32_t)(i / each))
            return;
    for (size_t i = each; i < n; i++)
        if (scalars[p[i].op] != scalars[p[i - each].op])
            varying[p[i].op] = varying[p[i - each].op] = 1;
}

/* (g->n) Calls that were given other numbers in each step. The caller frees it. */
static uint8_t *find_varying(const struct flow_graph *g)
{
    uint8_t *varying = mem_zalloc(g->n + 1, 1);
    struct placed *all = mem_alloc((g->n + 1) * sizeof *all);
    size_t n = 0;
    for (size_t op = 0; op < g->n; op++)
        if (may_take_numbers(g, op))
            all[n++] = (struct placed){g->run->watched_ops.line[flow_row(g, op)],
                                       g->run->watched_ops.name[flow_row(g, op)],
                                       flow_step(g, op), (int32_t)op};
    if (n)
        qsort(all, n, sizeof *all, compare_placed);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1;
             end < n && all[end].line == all[i].line && all[end].name == all[i].name;)
            end++;
        mark_varying(g, all + i, end - i, varying);
    }
    mem_free(all);
    return varying;
}

/* --- the whole --- */

/* From the ends back to all that they depend on: operators only depend on earlier ones. A
 * number that the host has read may come back in what is given to a later call of the
 * step. */
static uint8_t *find_needed(const struct flow_graph *g)
{
    uint8_t *needed = mem_zalloc(g->n + 1, 1), *varying = find_varying(g);
    int32_t takes_numbers = FLOW_NONE; /* step of a needed call that does, further on */
    for (size_t op = g->n; op-- > 0;) {
        needed[op] |= is_end(g, op) || (flow_has(g, op, OP_TRAIT_HOST_READ) &&
                                        takes_numbers == flow_step(g, op));
        for (size_t i = g->first_from[op]; needed[op] && i < g->first_from[op + 1]; i++)
            needed[g->from[i]] = 1;
        if (needed[op] && varying[op])
            takes_numbers = flow_step(g, op);
    }
    mem_free(varying);
    return needed;
}

void judge_unread(struct judging *x)
{
    const struct flow_graph *g = x->g;
    uint8_t *needed = find_needed(g);
    for (size_t op = 0; op < g->n; op++)
        if (!needed[op] && is_work(g, op) && flow_step(g, op) < g->steps - 1)
            judge(x, op,
                  flow_in_backward(g, op) ? FLOW_CLASS_THROWN_AWAY : FLOW_CLASS_UNREAD);
    mem_free(needed);
}
