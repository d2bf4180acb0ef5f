/* Many calls of one operator at one place that do not wait for one another, or are so
 * small that each costs no more than being called. */
#include "flow/judging.h"

#include "base/mem.h"

#include <stdlib.h>

/* Calls at one place in a step: fewer are gates, heads and branches. */
enum { LEAST_PIECES = 12 };
/* Of these, the longest chain of calls that wait for one another: layers, time steps and
 * iterations all do. */
static const double CHAIN_MOST_FRAC = 0.25;
/* Elements: what is smaller takes as long as one element does. */
static const double SMALL_ELEMENTS = 64;
/* Dependencies that are walked, for all places together. */
#define WALKED_MOST ((size_t)256 << 20)

static bool is_piece(const struct judging *x, size_t op)
{
    return is_work(x->g, op) && !flow_in_backward(x->g, op) &&
           !flow_has(x->g, op, OP_TRAIT_OPTIMIZER | OP_TRAIT_COLLECTIVE) &&
           x->c.of[op] == FLOW_CLASS_NONE;
}

/* The longest chain of calls among p[0..n) that depend on one another. depth: (g->n),
 * room. */
static size_t longest_chain(const struct flow_graph *g, const struct placed *p, size_t n,
                            int32_t *depth, size_t *walked)
{
    size_t first = (size_t)p[0].op, last = (size_t)p[n - 1].op, at = 0;
    int32_t longest = 0;
    *walked += last - first;
    for (size_t op = first; op <= last; op++) {
        int32_t before = 0;
        for (size_t i = g->first_from[op]; i < g->first_from[op + 1]; i++) {
            size_t from = (size_t)g->from[i];
            before = from >= first && depth[from] > before ? depth[from] : before;
            ++*walked;
        }
        bool is_one = at < n && (size_t)p[at].op == op;
        at += is_one;
        depth[op] = before + is_one;
        longest = depth[op] > longest ? depth[op] : longest;
    }
    return (size_t)longest;
}

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The largest tensor that each reads or makes: the median of them. */
static double median_elements(const struct flow_graph *g, const struct placed *p,
                              size_t n)
{
    double *size = mem_zalloc(n + 1, sizeof *size);
    for (size_t i = 0; i < n; i++)
        size[i] = flow_most_elements(g, (size_t)p[i].op);
    qsort(size, n, sizeof *size, compare_numbers);
    double median = size[n / 2];
    mem_free(size);
    return median;
}

void judge_pieces(struct judging *x)
{
    const struct flow_graph *g = x->g;
    struct placed *all = mem_alloc((g->n + 1) * sizeof *all);
    int32_t *depth = mem_zalloc(g->n + 1, sizeof *depth);
    size_t n = 0, walked = 0;
    int32_t pass = 0; /* forward passes before it: each has a backward pass behind */
    for (size_t op = 0; op < g->n; op++) {
        pass += op && (flow_step(g, op) != flow_step(g, op - 1) ||
                       (flow_in_backward(g, op - 1) && !flow_in_backward(g, op)));
        if (is_piece(x, op))
            all[n++] = placed_of(g, op, pass);
    }
    placed_sort(all, n);
    for (size_t i = 0, end; i < n && walked < WALKED_MOST; i = end) {
        end = placed_end(all, n, i);
        size_t pieces = end - i;
        if (all[i].line < 0 || pieces < LEAST_PIECES ||
            ((double)longest_chain(g, all + i, pieces, depth, &walked) >
                 CHAIN_MOST_FRAC * (double)pieces &&
             median_elements(g, all + i, pieces) > SMALL_ELEMENTS))
            continue;
        for (size_t k = i; k < end; k++)
            judge(x, (size_t)all[k].op, FLOW_CLASS_PIECES);
    }
    mem_free(all);
    mem_free(depth);
}
