#include "evidence/untraced_lead.h"

#include "analyze/timed_waits.h"
#include "base/mem.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_STEPS = 5, ANY_KIND = -1 };
/* so many of the collectives are asked for where waits are timed: else ranks wait
 * elsewhere too */
static const double TIMED_FRAC = 0.8;

/* Timed waits of a rank in a step. */
struct waited {
    int64_t number; /* of the step */
    int32_t rank;
    double ns;
};

static int compare_waited(const void *a, const void *b)
{
    const struct waited *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static bool is_wait(enum timing_kind what, bool in_backward)
{
    return timed_waits_has(what) || (in_backward && what == TIMING_KIND_BACKWARD);
}

/* One row a rank and step; returns how many. */
static size_t sum_waits(struct waited *w, size_t n)
{
    size_t sums = 0;
    if (n)
        qsort(w, n, sizeof *w, compare_waited);
    for (size_t i = 0; i < n; i++) {
        if (sums && !compare_waited(&w[sums - 1], &w[i]))
            w[sums - 1].ns += w[i].ns;
        else
            w[sums++] = w[i];
    }
    return sums;
}

/* Timed waits of all ranks, step by step; of one kind, or of all. The caller frees them.
 */
static struct waited *timed_waits(const struct evidence *e, int kind, bool in_backward,
                                  size_t *n)
{
    const struct timings *t = &e->run->timings;
    struct waited *w = mem_alloc((t->table.n + 1) * sizeof *w);
    *n = 0;
    for (size_t i = 0; i < t->table.n; i++) {
        bool asked_for =
            kind == ANY_KIND ? is_wait(t->what[i], in_backward) : (int)t->what[i] == kind;
        if (asked_for)
            w[(*n)++] = (struct waited){t->number[i], t->rank[i], (double)t->dur_ns[i]};
    }
    *n = sum_waits(w, *n);
    return w;
}

/* Of one step's waits; NAN where ranks are missing. */
static double lead_in(const struct waited *w, size_t n, size_t ranks, int32_t rank)
{
    double own_ns = NAN, next_ns = INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (w[i].rank == rank)
            own_ns = w[i].ns;
        else if (w[i].ns < next_ns)
            next_ns = w[i].ns;
    }
    return n == ranks ? next_ns - own_ns : NAN;
}

/* Collectives that are asked for, and how many of them in the backward pass, as
 * DistributedDataParallel does: its end then waits for them. */
struct asked {
    double all, in_backward;
};

static struct asked asked_for(const struct evidence *e)
{
    static const char asks[] = "c10d::";
    struct asked asked = {0};
    for (size_t k = 0; k < e->n_threads; k++)
        for (size_t i = 0; i < e->threads[k].n; i++) {
            const struct host_op *op = &e->threads[k].op[i];
            if (strncmp(evidence_name(e, op), asks, sizeof asks - 1))
                continue;
            asked.all++;
            asked.in_backward += op->backward;
        }
    return asked;
}

bool collectives_in_backward(const struct evidence *e)
{
    struct asked asked = asked_for(e);
    return asked.all > 0 && asked.in_backward >= TIMED_FRAC * asked.all;
}

/* Leads of a rank, of the steps that all timed; returns how many. */
static size_t leads_of(const struct waited *w, size_t n, size_t ranks, int32_t rank,
                       double *lead_ns)
{
    size_t steps = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && w[end].number == w[i].number; end++)
            ;
        double ns = lead_in(w + i, end - i, ranks, rank);
        if (!isnan(ns))
            lead_ns[steps++] = ns;
    }
    return steps;
}

struct untraced_lead untraced_lead(const struct evidence *e)
{
    struct untraced_lead best = {.row = -1};
    size_t n, ranks = e->run->ranks.table.n;
    struct asked asked = asked_for(e);
    struct waited *w = timed_waits(e, ANY_KIND, asked.in_backward > 0, &n);
    double *lead_ns = mem_alloc((n + 1) * sizeof *lead_ns);
    /* beside a device, waits are the device's: the host only asks for them */
    bool known =
        n && ranks > 1 && !e->has_device &&
        (!isnan(timed_waits_ns(e->run, e->rank_row)) || collectives_in_backward(e));
    for (size_t r = 0; known && r < ranks; r++) {
        size_t steps = leads_of(w, n, ranks, (int32_t)r, lead_ns);
        double ns = steps >= LEAST_STEPS ? stats_median(lead_ns, steps) : NAN;
        if (!isnan(ns) && (best.row < 0 || ns > best.ns))
            best = (struct untraced_lead){(int32_t)r, ns,
                                          stats_quantile(lead_ns, steps, 0.25), steps};
    }
    mem_free(lead_ns);
    mem_free(w);
    return best;
}

/* The median of a rank's timings of a kind, and how many there are. */
static double median_of(const struct evidence *e, int32_t rank, enum timing_kind what,
                        size_t *n)
{
    const struct timings *t = &e->run->timings;
    double *ns = mem_alloc((t->table.n + 1) * sizeof *ns), median_ns = 0;
    *n = 0;
    for (size_t i = 0; i < t->table.n; i++)
        if (t->rank[i] == rank && t->what[i] == what)
            ns[(*n)++] = (double)t->dur_ns[i];
    if (*n)
        median_ns = stats_median(ns, *n);
    mem_free(ns);
    return median_ns;
}

/* Do most of a rank's steps have it? Steps after the rounds are timed without their
 * parts. */
static bool most_steps_have(const struct evidence *e, int32_t rank, size_t n)
{
    size_t steps;
    (void)median_of(e, rank, TIMING_KIND_OPTIMIZER, &steps);
    return 2 * n > steps;
}

/* What the rank that waits least waits, median over the steps that all ranks timed. */
static double least_of(const struct evidence *e, enum timing_kind what)
{
    size_t n, steps = 0, ranks = e->run->ranks.table.n;
    struct waited *w = timed_waits(e, (int)what, false, &n);
    double *least_ns = mem_alloc((n + 1) * sizeof *least_ns);
    for (size_t i = 0, end; i < n; i = end) {
        double ns = w[i].ns;
        for (end = i; end < n && w[end].number == w[i].number; end++)
            ns = fmin(ns, w[end].ns);
        if (end - i == ranks)
            least_ns[steps++] = ns;
    }
    double median_ns = steps ? stats_median(least_ns, steps) : 0;
    mem_free(least_ns);
    mem_free(w);
    return median_ns;
}

struct untraced_wait untraced_wait(const struct evidence *e, enum timing_kind what)
{
    struct untraced_wait wait = {0};
    size_t n, ranks = e->run->ranks.table.n;
    /* beside a device, waits are the device's */
    if (e->has_device)
        return wait;
    for (size_t r = 0; r < ranks; r++) {
        double ns = median_of(e, (int32_t)r, what, &n);
        if (!most_steps_have(e, (int32_t)r, n))
            return (struct untraced_wait){0};
        wait.mean_ns += ns / (double)ranks;
        wait.longest_ns = fmax(wait.longest_ns, ns);
    }
    wait.least_ns = least_of(e, what);
    return wait;
}
