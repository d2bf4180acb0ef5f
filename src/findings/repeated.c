#include "findings/repeated.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct row {
    int64_t number, ns;
};

static int compare_row(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Timings of that name, by number of the step; a duration of 0 is none. */
static struct row *rows_of(const struct evidence *e, const char *what, size_t *n)
{
    const struct timings *t = &e->run->timings;
    struct row *row = mem_alloc((t->table.n + 1) * sizeof *row);
    *n = 0;
    for (size_t i = 0; i < t->table.n; i++)
        if (t->rank[i] == e->rank_row && t->dur_ns[i] > 0 &&
            !strcmp(run_name(e->run, t->what[i]), what))
            row[(*n)++] = (struct row){t->number[i], t->dur_ns[i]};
    if (*n)
        qsort(row, *n, sizeof *row, compare_row);
    return row;
}

/* Steps with it against steps without it. */
static double more_ns(const struct row *step, size_t n_steps, const struct row *hit,
                      size_t n_hits)
{
    double with_ns = 0, without_ns = 0;
    size_t with = 0;
    for (size_t i = 0; i < n_steps; i++) {
        if (n_hits && bsearch(&step[i], hit, n_hits, sizeof *hit, compare_row)) {
            with_ns += (double)step[i].ns;
            with++;
        } else {
            without_ns += (double)step[i].ns;
        }
    }
    if (!with || with == n_steps)
        return NAN;
    return with_ns / (double)with - without_ns / (double)(n_steps - with);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The series has holes where steps were traced, so that some are not seen: how many of
 * the steps had it tells about how often it comes, and what divides all distances says it
 * exactly, unless too few were seen. */
static double interval_of(const struct row *hit, size_t n, size_t steps)
{
    static const double AGREE_RATIO = 1.5;
    int64_t divisor = 0;
    if (n < 2)
        return NAN;
    for (size_t i = 1; i < n; i++)
        divisor =
            common_divisor(divisor, subtract_saturated(hit[i].number, hit[0].number));
    double rough = fmax(1, (double)steps / (double)n), exact = (double)divisor;
    bool agree =
        exact >= 1 && exact <= AGREE_RATIO * rough && rough <= AGREE_RATIO * exact;
    return agree ? exact : rough;
}

struct repeated repeated_in_series(const struct evidence *e, const char *what)
{
    struct repeated r = {0};
    struct row *hit = rows_of(e, what, &r.hits), *step = rows_of(e, "step", &r.steps);
    for (size_t i = 0; i < r.hits; i++)
        r.cost_ns += (double)hit[i].ns / (double)r.hits;
    r.more_ns = more_ns(step, r.steps, hit, r.hits);
    r.interval = interval_of(hit, r.hits, r.steps);
    mem_free(hit);
    mem_free(step);
    return r;
}

static bool is_named(const struct evidence *e, const struct host_op *op,
                     repeated_name_fn *is_it)
{
    return (op->kind == SPAN_KIND_ANNOTATION || op->kind == SPAN_KIND_PYTHON ||
            op->kind == SPAN_KIND_PHASE) &&
           is_it(evidence_name(e, op));
}

struct repeated repeated_in_window(const struct evidence *e, repeated_name_fn *is_it,
                                   struct edit_list *edits, const char **where)
{
    struct repeated r = {.steps = e->steps, .more_ns = NAN, .interval = NAN};
    double ns = 0;
    int64_t until_ns = INT64_MIN;
    int32_t step = -1;
    if (e->main_thread == SIZE_MAX)
        return r;
    const struct host_thread *t = &e->threads[e->main_thread];
    for (size_t i = 0; i < t->n; i++) {
        const struct host_op *op = &t->op[i];
        if (op->begin_ns < until_ns || !is_named(e, op, is_it))
            continue;
        until_ns = op->end_ns;
        ns += (double)host_op_ns(op);
        r.hits += e->run->spans.step[op->span] != step || step < 0;
        step = e->run->spans.step[op->span];
        *where = evidence_name(e, op);
        evidence_edit_range(e, edits, t->lane, op->begin_ns, op->end_ns, 1);
    }
    if (!r.hits)
        return r;
    r.cost_ns = ns / (double)r.hits;
    /* seen in each step, it comes each step; else how often in so few steps is known only
     * where it came twice */
    if (r.hits >= r.steps)
        r.interval = 1;
    else if (r.hits > 1)
        r.interval = (double)r.steps / (double)r.hits;
    return r;
}
