/*
 * Ranks against the collectives of one step: how long each rank waited in each. A row
 * that stays pale is a rank that the others wait for. The waits are those that the
 * analysis adds up (analyze/rank_waits.h), one by one.
 */
#include "base/mem.h"
#include "base/units.h"
#include "report/view_parts.h"

#include <math.h>
#include <stdlib.h>

enum { HEAT_RANKS = 64, HEAT_COLLECTIVES = 48 };

struct heat_columns {
    uint32_t *row; /* (n) of run->collectives: the shown rank's, in order */
    size_t n;
};

static int by_begin(const void *a, const void *b, void *collectives)
{
    const struct collectives *c = collectives;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (c->begin_ns[x] != c->begin_ns[y])
        return c->begin_ns[x] < c->begin_ns[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* The collectives of the typical step in which the shown rank met others; of the
 * recording where there are no steps. */
static void columns_init(struct heat_columns *x, const struct view *v, int32_t step)
{
    const struct collectives *c = &v->a->run->collectives;
    const struct collective_wait *wait = v->a->job.waits.collective;
    *x = (struct heat_columns){.row = mem_zalloc(c->table.n + 1, sizeof *x->row)};
    for (size_t i = 0; i < c->table.n; i++)
        if (c->rank[i] == view_rank(v)->row && wait[i].meeting != SIZE_MAX &&
            (step < 0 || c->step[i] == step))
            x->row[x->n++] = (uint32_t)i;
    qsort_r(x->row, x->n, sizeof *x->row, by_begin, (void *)(uintptr_t)c);
}

/* Which column a meeting has, by its number; the caller frees it. */
static size_t *columns_of_meetings(const struct view *v, const struct heat_columns *x)
{
    const struct job_waits *w = &v->a->job.waits;
    size_t *column = mem_zalloc(w->meetings + 1, sizeof *column);
    for (size_t i = 0; i < x->n && i < HEAT_COLLECTIVES; i++)
        column[w->collective[x->row[i]].meeting] = i + 1;
    return column;
}

static void fill_cells(struct view *v, struct heat *h, const struct heat_columns *x)
{
    const struct job_waits *w = &v->a->job.waits;
    const struct collectives *c = &v->a->run->collectives;
    size_t *column = columns_of_meetings(v, x);
    int64_t longest_ns = 1;
    for (size_t i = 0; i < c->table.n; i++) {
        size_t met = w->collective[i].meeting;
        if (met != SIZE_MAX && column[met] && w->collective[i].wait_ns > longest_ns)
            longest_ns = w->collective[i].wait_ns;
    }
    h->longest = view_printf(v, "%s", unit_ns(longest_ns).s);
    for (size_t i = 0; i < c->table.n; i++) {
        size_t met = w->collective[i].meeting;
        size_t rank = v->a->index_of_row[c->rank[i]];
        if (met == SIZE_MAX || !column[met] || rank >= h->n_rows)
            continue;
        int64_t ns = w->collective[i].wait_ns > 0 ? w->collective[i].wait_ns : 0;
        h->cells[rank * h->n_columns + column[met] - 1] = (struct heat_cell){
            (double)ns / (double)longest_ns, view_printf(v, "%s", unit_ns(ns).s)};
    }
    mem_free(column);
}

static void heat_open(struct view *v, struct heat *h, const struct heat_columns *x)
{
    h->n_rows = v->a->n_ranks < HEAT_RANKS ? v->a->n_ranks : HEAT_RANKS;
    h->n_columns = x->n < HEAT_COLLECTIVES ? x->n : HEAT_COLLECTIVES;
    h->rows = arena_alloc(&v->arena, h->n_rows * sizeof *h->rows);
    h->columns = arena_alloc(&v->arena, h->n_columns * sizeof *h->columns);
    h->cells = arena_alloc(&v->arena, h->n_rows * h->n_columns * sizeof *h->cells);
    for (size_t i = 0; i < h->n_rows; i++)
        h->rows[i] = view_printf(v, "rank %d", rank_number(v->a, i));
    for (size_t i = 0; i < h->n_columns; i++)
        h->columns[i] = view_name(v, v->a->run->collectives.name[x->row[i]]);
    for (size_t i = 0; i < h->n_rows * h->n_columns; i++)
        h->cells[i] = (struct heat_cell){NAN, ""};
}

static const char *heat_note(struct view *v, const struct heat *h, size_t collectives)
{
    const char *left = "";
    if (h->n_columns < collectives)
        left = view_printf(v, " The first %zu of %zu collectives are drawn.",
                           h->n_columns, collectives);
    if (h->n_rows < v->a->n_ranks)
        left = view_printf(v, "%s The first %zu of %zu ranks are drawn.", left, h->n_rows,
                           v->a->n_ranks);
    return view_printf(
        v,
        "The stronger the colour, the longer a rank waited for the last one "
        "to come; the longest wait is %s.%s",
        h->longest, left);
}

void view_add_heat(struct view *v)
{
    struct heat_columns x;
    if (v->format != REPORT_HTML || v->a->job.state != JOB_ALIGNED || !view_rank(v))
        return;
    int32_t step = analysis_typical_step(v->a, v->shown);
    columns_init(&x, v, step);
    if (x.n) {
        const char *of = step < 0 ? ""
                                  : view_printf(v, " of step %lld",
                                                (long long)v->a->run->steps.number[step]);
        struct block *b =
            view_block(v, BLOCK_HEAT, view_printf(v, "Waits in the collectives%s", of));
        b->detail = true;
        heat_open(v, &b->heat, &x);
        fill_cells(v, &b->heat, &x);
        b->note = heat_note(v, &b->heat, x.n);
    }
    mem_free(x.row);
}
