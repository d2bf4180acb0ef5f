#include "flow/flow_same.h"

#include "base/mem.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const struct flow_same *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

struct flow_same *flow_same_of(const struct flow_graph *g, flow_counts_fn *counts,
                               size_t *n)
{
    struct flow_same *all = mem_alloc((g->n + 1) * sizeof *all);
    *n = 0;
    for (size_t op = 0; op < g->n; op++)
        if (counts(g, op))
            all[(*n)++] = (struct flow_same){g->number[op], (int32_t)op};
    if (*n)
        qsort(all, *n, sizeof *all, compare);
    return all;
}

static bool is_any(const struct flow_graph *g, size_t op)
{
    (void)g;
    (void)op;
    return true;
}

int32_t *flow_first_of(const struct flow_graph *g)
{
    int32_t *first = mem_alloc((g->n + 1) * sizeof *first);
    size_t n;
    struct flow_same *same = flow_same_of(g, is_any, &n);
    for (size_t i = 0, begin = 0; i < n; i++) {
        size_t op = (size_t)same[i].op, before = (size_t)same[begin].op;
        if (same[i].number != same[begin].number ||
            flow_step(g, op) != flow_step(g, before))
            begin = i;
        first[op] = same[begin].op;
    }
    mem_free(same);
    return first;
}
