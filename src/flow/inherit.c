/* What the backward pass does for needless work is needless in the same way. */
#include "flow/judging.h"

#include "base/mem.h"

#include <stdlib.h>

enum { PASSES_MAX = 256 }; /* more are no training step */

void find_differentiated(struct judging *x)
{
    const struct flow_graph *g = x->g;
    int32_t passes = 0;
    for (size_t op = 0; op < g->n; op++)
        passes = flow_pass(g, op) > passes ? flow_pass(g, op) : passes;
    uint8_t *pass = mem_zalloc((size_t)passes + 1, 1);
    x->passes = (size_t)passes + 1;
    x->by_pass = x->passes <= PASSES_MAX ? mem_zalloc(x->passes * x->passes, 1) : NULL;
    for (size_t op = 0; op < g->n; op++) {
        int32_t forward = flow_forward(g, op);
        /* what a checkpoint computes again is of the pass itself */
        if (forward == FLOW_NONE || flow_pass(g, (size_t)forward) == flow_pass(g, op))
            continue;
        size_t of = (size_t)flow_pass(g, (size_t)forward);
        pass[of] = 1;
        if (x->by_pass)
            x->by_pass[(size_t)flow_pass(g, op) * x->passes + of] = 1;
    }
    for (size_t op = 0; op < g->n; op++)
        x->differentiated[op] = flow_in_backward(g, op) && pass[flow_pass(g, op)];
    mem_free(pass);
}

bool flow_differentiates(const struct judging *x, size_t later, size_t op)
{
    size_t by = (size_t)flow_pass(x->g, later), of = (size_t)flow_pass(x->g, op);
    return x->by_pass ? x->by_pass[by * x->passes + of] : x->differentiated[op];
}

/* A call of a backward pass, by the forward call that it is of. */
struct backward {
    int32_t forward, pass;
    name_id name;
};

static int compare(const void *a, const void *b)
{
    const struct backward *x = a, *y = b;
    if (x->forward != y->forward)
        return x->forward < y->forward ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return (x->pass > y->pass) - (x->pass < y->pass);
}

/* All of them, n, sorted. The caller frees it. */
static struct backward *list_backward(const struct flow_graph *g, size_t *n)
{
    const struct watched_ops *w = &g->run->watched_ops;
    struct backward *all = mem_alloc((g->n + 1) * sizeof *all);
    *n = 0;
    for (size_t op = 0; op < g->n; op++)
        if (flow_forward(g, op) != FLOW_NONE)
            all[(*n)++] = (struct backward){flow_forward(g, op), flow_pass(g, op),
                                            w->name[flow_row(g, op)]};
    if (*n)
        qsort(all, *n, sizeof *all, compare);
    return all;
}

/* Of work that was done before: would its backward call go with it? Where that of the
 * first does the same, in the same pass or in one that could be the same. Otherwise it
 * would be asked for there. */
static bool goes_too(const struct judging *x, size_t op, int32_t first,
                     const struct backward *all, size_t n)
{
    const struct flow_graph *g = x->g;
    struct backward key = {first, flow_pass(g, op),
                           g->run->watched_ops.name[flow_row(g, op)]};
    if (bsearch(&key, all, n, sizeof *all, compare))
        return true;
    size_t low = 0, high = n;
    for (key.pass = 0; low < high && !x->differentiated[op];) {
        size_t mid = low + (high - low) / 2;
        if (compare(&all[mid], &key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return !x->differentiated[op] && low < n && all[low].forward == key.forward &&
           all[low].name == key.name;
}

void inherit(struct judging *x)
{
    const struct flow_graph *g = x->g;
    size_t n;
    struct backward *all = list_backward(g, &n);
    for (size_t op = 0; op < g->n; op++) {
        int32_t forward = flow_forward(g, op);
        if (forward == FLOW_NONE || !is_work(g, op))
            continue;
        enum flow_class class = x->c.of[forward];
        /* what nobody reads is told of each by itself */
        if (class != FLOW_CLASS_UNREAD && class != FLOW_CLASS_THROWN_AWAY &&
            !x->alone[forward] &&
            (class != FLOW_CLASS_REPEATED || goes_too(x, op, x->first[forward], all, n)))
            judge_part(x, op, class, x->c.keep[forward]);
    }
    mem_free(all);
}
