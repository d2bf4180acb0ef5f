/*
 * The operators that take the most time, host and device apart: self time of the one
 * cannot be added to the other's. Work that was counted from shapes stands in a table of
 * its own, with headers that say so.
 */
#include "base/units.h"
#include "report/view_parts.h"

#include <math.h>

/* Operators shown where the user did not say how many. */
enum {
    OPS_ON_SCREEN = 8,
    OPS_KEPT_WHEN_SHORT = 2,
    OPS_IN_MARKDOWN = 25,
    OPS_IN_HTML = 1000,
    COUNTED_IN_DOCUMENT = 25,
    COUNTED_ON_SCREEN = 2,
};

static const double LEAST_SHOWN_GFLOP = 0.001; /* three decimals */

static const char *const place_title[LANE_KIND_COUNT] = {
    [LANE_KIND_CPU] = "Host operators",
    [LANE_KIND_DEVICE] = "GPU operators",
    [LANE_KIND_NETWORK] = "Network operators",
    [LANE_KIND_OTHER] = "Other operators",
};

static size_t ops_wanted(const struct view *v)
{
    if (v->options.top > 0)
        return (size_t)v->options.top;
    return view_is_screen(v)              ? OPS_ON_SCREEN
           : v->format == REPORT_MARKDOWN ? OPS_IN_MARKDOWN
                                          : OPS_IN_HTML;
}

static size_t ops_in_place(const struct view *v, const struct analysis_rank *r,
                           enum lane_kind place, int64_t *largest_total_ns)
{
    const struct ops *ops = &v->a->run->ops;
    size_t n = 0;
    *largest_total_ns = 0;
    for (size_t i = 0; i < r->n_ops; i++) {
        size_t row = r->ops[i].row;
        if (ops->place[row] != place)
            continue;
        n++;
        if (ops->total_ns[row] > *largest_total_ns)
            *largest_total_ns = ops->total_ns[row];
    }
    return n;
}

static void op_row(struct view *v, struct cell *c, const struct analysis_op *op,
                   int decimals)
{
    const struct ops *ops = &v->a->run->ops;
    size_t row = op->row;
    c[0] = cell_op(v, analysis_label(v->a, ops->place[row], ops->name[row]),
                   run_name(v->a->run, ops->name[row]));
    c[1] = cell_text(span_kind_text[ops->kind[row]]);
    c[2] = cell_number(v, (double)ops->count[row], 0);
    c[3] = cell_number(v, ns_to_ms(ops->self_ns[row]), decimals);
    c[4] = cell_percent(v, op->self_frac);
    c[5] = cell_number(v, ns_to_ms(ops->total_ns[row]), decimals);
}

static void op_columns(struct block *b)
{
    grid_column(b, 0, "name", ALIGN_LEFT, true);
    grid_column(b, 1, "kind", ALIGN_LEFT, false);
    grid_column(b, 2, "calls", ALIGN_RIGHT, false);
    grid_column(b, 3, "self ms", ALIGN_RIGHT, false);
    grid_column(b, 4, "self %", ALIGN_RIGHT, false);
    grid_column(b, 5, "total ms", ALIGN_RIGHT, false);
}

static void add_operators_in(struct view *v, enum lane_kind place)
{
    const struct analysis_rank *r = view_rank(v);
    int64_t largest_ns;
    size_t n = ops_in_place(v, r, place, &largest_ns), wanted = ops_wanted(v);
    size_t shown = n < wanted ? n : wanted, done = 0;
    if (!n)
        return;
    struct block *b = view_block(
        v, BLOCK_TABLE,
        view_printf(v, "%s%s, whole recording", place_title[place], view_of_rank(v)));
    grid_open(v, b, 6, shown);
    op_columns(b);
    for (size_t i = 0; i < r->n_ops && done < shown; i++) {
        if (v->a->run->ops.place[r->ops[i].row] != place)
            continue;
        op_row(v, grid_row(b), &r->ops[i], decimals_for(ns_to_ms(largest_ns)));
        done++;
    }
    b->grid.total_rows = n;
    b->spare = place == LANE_KIND_DEVICE ? SPARE_DEVICE_OPS : SPARE_HOST_OPS;
    if (v->options.top <= 0)
        b->grid.min_rows = OPS_KEPT_WHEN_SHORT;
    b->grid.searchable = true;
    if (!view_is_screen(v))
        b->note = "Self time excludes what an operator calls, "
                  "total time includes it.";
}

void view_add_operators(struct view *v)
{
    if (!view_rank(v))
        return;
    add_operators_in(v, LANE_KIND_DEVICE);
    add_operators_in(v, LANE_KIND_CPU);
    if (view_is_screen(v))
        return;
    add_operators_in(v, LANE_KIND_NETWORK);
    add_operators_in(v, LANE_KIND_OTHER);
}

/* GFLOP/s of an op whose work was counted; NAN for the others. The count is that of whole
 * calls, so it is divided by total time. Of ranks that used no device: with one, the host
 * only asks for the work. */
static double counted_gflop_per_s(const struct ops *ops, size_t row)
{
    if (ops->flop[row] <= 0 || ops->total_ns[row] <= 0)
        return NAN;
    return (double)ops->flop[row] / (double)ops->total_ns[row];
}

/* The ops with the most counted work, largest first; equal ones in the order of self
 * time. */
static size_t most_counted(const struct view *v, size_t row[COUNTED_ON_SCREEN])
{
    const struct analysis_rank *r = view_rank(v);
    const struct ops *ops = &v->a->run->ops;
    size_t n = 0;
    for (size_t i = 0; i < r->n_ops; i++) {
        size_t candidate = r->ops[i].row, at = n;
        if (!isfinite(counted_gflop_per_s(ops, candidate)))
            continue;
        while (at && ops->flop[row[at - 1]] < ops->flop[candidate])
            at--;
        if (at == COUNTED_ON_SCREEN)
            continue;
        n += n < COUNTED_ON_SCREEN;
        for (size_t k = n - 1; k > at; k--)
            row[k] = row[k - 1];
        row[at] = candidate;
    }
    return n;
}

const char *view_counted_text(struct view *v)
{
    const struct ops *ops = &v->a->run->ops;
    const char *text = "";
    if (view_rank(v)->used_device) /* the section on work has it, where it is known */
        return "";
    size_t row[COUNTED_ON_SCREEN], n = most_counted(v, row);
    for (size_t i = 0; i < n; i++) {
        double rate = counted_gflop_per_s(ops, row[i]);
        text = view_printf(v, "%s%s%s %s", text, i ? ", " : "",
                           view_name(v, ops->name[row[i]]),
                           view_number(v, rate, decimals_for(rate)));
    }
    return *text ? view_printf(v, "%s GFLOP/s (counted / measured)", text) : "";
}

static void counted_row(struct view *v, struct cell *c, size_t row, double rate)
{
    const struct ops *ops = &v->a->run->ops;
    double ms = ns_to_ms(ops->total_ns[row]), gflop = (double)ops->flop[row] / 1e9;
    c[0] = cell_text(view_name(v, ops->name[row]));
    c[1] = cell_number(v, (double)ops->count[row], 0);
    c[2] = cell_number(v, ms, 3);
    c[3] = cell_number(v, gflop, 3);
    if (gflop < LEAST_SHOWN_GFLOP)
        c[3].text = "<0.001";
    c[4] = cell_number(v, rate, decimals_for(rate));
}

static void counted_columns(struct block *b)
{
    grid_column(b, 0, "name", ALIGN_LEFT, true);
    grid_column(b, 1, "calls", ALIGN_RIGHT, false);
    grid_column(b, 2, "total ms (measured)", ALIGN_RIGHT, false);
    grid_column(b, 3, "GFLOP (counted)", ALIGN_RIGHT, false);
    grid_column(b, 4, "GFLOP/s (counted / measured)", ALIGN_RIGHT, false);
}

void view_add_counted_work(struct view *v)
{
    const struct analysis_rank *r = view_rank(v);
    struct efficiency e;
    if (!r || view_is_screen(v) || r->used_device) /* a line of speeds, or the roofline */
        return;
    if (view_has_host_work(v, &e))
        return; /* the roofline's table */
    struct block *b = NULL;
    for (size_t i = 0; i < r->n_ops; i++) {
        double rate = counted_gflop_per_s(&v->a->run->ops, r->ops[i].row);
        if (!isfinite(rate))
            continue;
        if (!b) {
            b = view_block(v, BLOCK_TABLE,
                           view_printf(v, "Work and speed%s", view_of_rank(v)));
            grid_open(v, b, 5, COUNTED_IN_DOCUMENT);
            counted_columns(b);
            b->note =
                "Floating-point work is counted from shapes, not measured; the speed "
                "is that count over the measured time.";
        }
        struct cell *c = grid_row(b);
        if (c)
            counted_row(v, c, r->ops[i].row, rate);
    }
}
