#include "flow/judging.h"

#include "base/mem.h"

#include <stdlib.h>

#define FLOW_CLASS_NAME(v, name) name,
const char *const flow_class_name[FLOW_CLASS_COUNT] = {FLOW_CLASS_LIST(FLOW_CLASS_NAME)};

static void find_rewritten(struct judging *x)
{
    const struct flow_graph *g = x->g;
    const struct op_tensors *u = &g->run->op_tensors;
    for (size_t i = g->first_use[0]; i < g->first_use[g->n]; i++)
        if (u->tensor[i] >= 0 && flow_writes(u->role[i]) &&
            u->role[i] != TENSOR_ROLE_MADE)
            x->rewritten[u->tensor[i]] = 1;
}

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

void placed_sort(struct placed *p, size_t n)
{
    if (n)
        qsort(p, n, sizeof *p, compare_placed);
}

size_t placed_end(const struct placed *p, size_t n, size_t first)
{
    size_t end = first + 1;
    while (end < n && p[end].group == p[first].group && p[end].line == p[first].line &&
           p[end].name == p[first].name)
        end++;
    return end;
}

/* What the backward pass does for needless work is needless in the same way; what nobody
 * reads is told of each by itself. */
static void inherit(struct judging *x)
{
    const struct flow_graph *g = x->g;
    for (size_t op = 0; op < g->n; op++) {
        int32_t forward = g->run->watched_ops.forward[flow_row(g, op)];
        if (forward < (int32_t)g->first_op || !flow_in_backward(g, op) || !is_work(g, op))
            continue;
        enum flow_class class = x->of[(size_t)forward - g->first_op];
        if (class != FLOW_CLASS_UNREAD && class != FLOW_CLASS_THROWN_AWAY)
            judge(x, op, class);
    }
}

enum flow_class *flow_classes_of(const struct flow_graph *g)
{
    struct judging x = {.g = g, .of = mem_zalloc(g->n + 1, sizeof *x.of)};
    x.rewritten = mem_zalloc(g->run->tensors.table.n + 1, 1);
    find_rewritten(&x);
    judge_same(&x);
    judge_cleared(&x);
    judge_unread(&x);
    judge_copies(&x);
    inherit(&x);
    judge_wider(&x);
    judge_even(&x);
    judge_pieces(&x);
    inherit(&x);
    mem_free(x.rewritten);
    return x.of;
}
