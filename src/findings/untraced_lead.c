#include "findings/untraced_lead.h"

#include "base/mem.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_STEPS = 5 };
/* so many of the collectives are asked for there: else ranks wait elsewhere too */
static const double IN_BACKWARD_FRAC = 0.8;

struct backward {
    int64_t number; /* of the step */
    int32_t rank;
    double ns;
};

static int compare_backward(const void *a, const void *b)
{
    const struct backward *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Timed backward passes of all ranks, step by step. The caller frees them. */
static struct backward *timed_backwards(const struct evidence *e, size_t *n)
{
    const struct timings *t = &e->run->timings;
    struct backward *b = mem_alloc((t->table.n + 1) * sizeof *b);
    *n = 0;
    for (size_t i = 0; i < t->table.n; i++)
        if (!strcmp(run_name(e->run, t->what[i]), "backward"))
            b[(*n)++] = (struct backward){t->number[i], t->rank[i], (double)t->dur_ns[i]};
    if (*n)
        qsort(b, *n, sizeof *b, compare_backward);
    return b;
}

/* Of one step's passes; NAN where ranks are missing. */
static double lead_in(const struct backward *b, size_t n, size_t ranks, int32_t rank)
{
    double own_ns = NAN, next_ns = INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (b[i].rank == rank)
            own_ns = b[i].ns;
        else if (b[i].ns < next_ns)
            next_ns = b[i].ns;
    }
    return n == ranks ? next_ns - own_ns : NAN;
}

/* Are collectives asked for in the backward pass, as DistributedDataParallel does? Its
 * end then waits for them. */
static bool reduces_in_backward(const struct evidence *e)
{
    static const char asks[] = "c10d::";
    double all = 0, inside = 0;
    for (size_t k = 0; k < e->n_threads; k++)
        for (size_t i = 0; i < e->threads[k].n; i++) {
            const struct host_op *op = &e->threads[k].op[i];
            if (strncmp(evidence_name(e, op), asks, sizeof asks - 1))
                continue;
            all++;
            inside += op->backward;
        }
    return all > 0 && inside >= IN_BACKWARD_FRAC * all;
}

/* Leads of a rank, of the steps that all timed; returns how many. */
static size_t leads_of(const struct backward *b, size_t n, size_t ranks, int32_t rank,
                       double *lead_ns)
{
    size_t steps = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && b[end].number == b[i].number; end++)
            ;
        double ns = lead_in(b + i, end - i, ranks, rank);
        if (!isnan(ns))
            lead_ns[steps++] = ns;
    }
    return steps;
}

struct untraced_lead untraced_lead(const struct evidence *e)
{
    struct untraced_lead best = {.row = -1};
    size_t n, ranks = e->run->ranks.table.n;
    struct backward *b = timed_backwards(e, &n);
    double *lead_ns = mem_alloc((n + 1) * sizeof *lead_ns);
    bool known = n && reduces_in_backward(e);
    for (size_t r = 0; known && r < ranks; r++) {
        size_t steps = leads_of(b, n, ranks, (int32_t)r, lead_ns);
        double ns = steps >= LEAST_STEPS ? stats_median(lead_ns, steps) : NAN;
        if (!isnan(ns) && (best.row < 0 || ns > best.ns))
            best = (struct untraced_lead){(int32_t)r, ns,
                                          stats_quantile(lead_ns, steps, 0.25), steps};
    }
    mem_free(lead_ns);
    mem_free(b);
    return best;
}
