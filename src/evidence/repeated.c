#include "evidence/repeated.h"

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

static bool is_kind(enum timing_kind kind, enum timing_kind what)
{
    return kind == what;
}

static bool is_other_interval(enum timing_kind kind, enum timing_kind what)
{
    return kind != what && step_time_is_interval(kind);
}

/* Timings whose kind passes, by number of the step; a duration of 0 is none. */
static struct row *rows_of(const struct evidence *e,
                           bool (*passes)(enum timing_kind kind, enum timing_kind what),
                           enum timing_kind what, size_t *n)
{
    const struct timings *t = &e->run->timings;
    struct row *row = mem_alloc((t->table.n + 1) * sizeof *row);
    *n = 0;
    for (size_t i = 0; i < t->table.n; i++)
        if (t->rank[i] == e->rank_row && t->dur_ns[i] > 0 && passes(t->what[i], what))
            row[(*n)++] = (struct row){t->number[i], t->dur_ns[i]};
    if (*n)
        qsort(row, *n, sizeof *row, compare_row);
    return row;
}

static double ns_at(const struct row *row, size_t n, int64_t number)
{
    const struct row key = {.number = number};
    const struct row *r = n ? bsearch(&key, row, n, sizeof *row, compare_row) : NULL;
    return r ? (double)r->ns : 0;
}

/* What a step takes more that has it and nothing else of the kind: median. */
static double more_ns(const struct evidence *e, const struct row *step, size_t n_steps,
                      const struct row *hit, size_t n_hits, const struct row *other,
                      size_t n_others)
{
    double *ns = mem_alloc((n_hits + 1) * sizeof *ns), result = NAN;
    size_t n = 0;
    for (size_t i = 0; i < n_hits; i++) {
        double whole_ns = ns_at(step, n_steps, hit[i].number);
        if (whole_ns > 0 && ns_at(other, n_others, hit[i].number) <= 0)
            ns[n++] = whole_ns - e->rank->step.plain_ns;
    }
    if (n)
        result = stats_median(ns, n);
    mem_free(ns);
    return result; /* NAN also without plain steps */
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

struct repeated repeated_in_series(const struct evidence *e, enum timing_kind what)
{
    struct repeated r = {0};
    size_t others;
    struct row *hit = rows_of(e, is_kind, what, &r.hits);
    struct row *step = rows_of(e, is_kind, TIMING_KIND_STEP, &r.steps);
    struct row *other = rows_of(e, is_other_interval, what, &others);
    for (size_t i = 0; i < r.hits; i++)
        r.cost_ns += (double)hit[i].ns / (double)r.hits;
    r.more_ns = more_ns(e, step, r.steps, hit, r.hits, other, others);
    r.one_ns = isnan(r.more_ns) ? r.cost_ns : fmax(r.cost_ns, r.more_ns);
    r.interval = interval_of(hit, r.hits, r.steps);
    mem_free(hit);
    mem_free(step);
    mem_free(other);
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
    r.cost_ns = r.one_ns = ns / (double)r.hits;
    /* seen in each step, it comes each step; else how often in so few steps is known only
     * where it came twice */
    if (r.hits >= r.steps)
        r.interval = 1;
    else if (r.hits > 1)
        r.interval = (double)r.steps / (double)r.hits;
    return r;
}
