/*
 * What a guide to profiling has its reader write down, answered from the run: the top
 * operators with what to do about each, how much of the time is in products, how well the
 * machine was used.
 */
#include "base/units.h"
#include "report/view_parts.h"
#include "run/op_family.h"

#include <math.h>

enum { SUMMARY_OPS = 10 };

/* --- the top operators --- */

static bool edits_name(const struct run *run, const struct edit_list *l, name_id name)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct edit *e = &l->edit[i];
        bool of_span = e->kind != EDIT_HOST && e->kind != EDIT_DISPATCH;
        if (of_span && e->span >= 0 && run->spans.name[e->span] == name)
            return true;
    }
    return false;
}

/* "fix 2: title", or how far it is from its bound, or "". */
static const char *target_text(struct view *v, const struct efficiency *e, size_t row)
{
    const struct findings *f = v->options.findings;
    const struct run *run = v->a->run;
    for (size_t i = 0; f && i < f->n; i++)
        if (edits_name(run, &f->finding[i].edits, run->ops.name[row]))
            return view_printf(v, "fix %zu: %s", i + 1,
                               view_told(v, f->finding[i].rule->title));
    for (size_t i = 0; i < e->dots; i++) {
        const struct roofline_dot *d = &e->dot[i];
        double roof =
            fmin(e->ceiling.flop_per_s, d->flop_per_byte * e->ceiling.bytes_per_s);
        if (d->row == row && d->bound != ROOFLINE_UNKNOWN)
            return view_printf(v, "%.1f times its bound (%s)", roof / d->flop_per_s,
                               d->bound == ROOFLINE_MEMORY ? "memory" : "arithmetic");
    }
    return "";
}

static int64_t total_device_ns(const struct view *v)
{
    const struct analysis_rank *r = view_rank(v);
    int64_t sum = 0;
    for (size_t i = 0; i < r->n_ops; i++)
        if (v->a->run->ops.place[r->ops[i].row] == LANE_KIND_DEVICE)
            sum += v->a->run->ops.self_ns[r->ops[i].row];
    return sum;
}

static void top_row(struct view *v, struct cell *c, size_t number,
                    const struct analysis_op *op, double device_ns,
                    const struct efficiency *e)
{
    const struct ops *ops = &v->a->run->ops;
    double of_device = (double)ops->device_ns[op->row] / device_ns;
    c[0] = cell_number(v, (double)number, 0);
    c[1] = cell_op(v, analysis_label(v->a, ops->place[op->row], ops->name[op->row]),
                   run_name(v->a->run, ops->name[op->row]));
    c[2] = cell_percent(v, device_ns > 0 ? of_device : NAN);
    c[3] = cell_percent(v, op->self_frac);
    c[4] = cell_number(v, (double)ops->count[op->row], 0);
    c[5] = cell_text(target_text(v, e, op->row));
}

static void add_top(struct view *v, const struct efficiency *e)
{
    const struct analysis_rank *r = view_rank(v);
    double device_ns = (double)total_device_ns(v);
    size_t wanted = v->options.top > 0 ? (size_t)v->options.top : SUMMARY_OPS, done = 0;
    struct block *b =
        view_block(v, BLOCK_TABLE, view_printf(v, "Top operators%s", view_of_rank(v)));
    grid_open(v, b, 6, wanted);
    grid_column(b, 0, "rank", ALIGN_RIGHT, false);
    grid_column(b, 1, "operator", ALIGN_LEFT, true);
    grid_column(b, 2, "device time", ALIGN_RIGHT, false);
    grid_column(b, 3, "CPU time", ALIGN_RIGHT, false);
    grid_column(b, 4, "count", ALIGN_RIGHT, false);
    grid_column(b, 5, "target", ALIGN_LEFT, false);
    for (size_t i = 0; i < r->n_ops && done < wanted; i++) {
        const struct ops *ops = &v->a->run->ops;
        size_t row = r->ops[i].row;
        if (ops->place[row] == LANE_KIND_CPU && ops->kind[row] == SPAN_KIND_OP)
            top_row(v, grid_row(b), ++done, &r->ops[i], device_ns, e);
    }
    b->note = view_printf(
        v, "By the CPU's own time in each. Device time is that of what it launched%s.",
        device_ns > 0 ? "" : "; this run used no device");
}

/* --- how well the machine was used --- */

/* Of all operators' own time: in products, and how many of them a step calls. */
struct product_share {
    double frac, calls;
};

static struct product_share products_of(const struct view *v)
{
    const struct analysis_rank *r = view_rank(v);
    const struct run *run = v->a->run;
    bool trainer = run->ranks.source[r->row] == RUN_SOURCE_TRAINER;
    double all = 0, products = 0, calls = 0;
    for (size_t i = 0; i < r->n_ops; i++) {
        size_t row = r->ops[i].row;
        const char *name = run_name(run, run->ops.name[row]);
        if (run->ops.place[row] != LANE_KIND_CPU || run->ops.kind[row] != SPAN_KIND_OP)
            continue;
        double ns =
            (double)(r->has_device ? run->ops.device_ns[row] : run->ops.self_ns[row]);
        all += ns;
        enum op_family f = trainer ? trainer_op_family(name) : op_family_of(name);
        if (f != OP_FAMILY_MATMUL)
            continue;
        products += ns;
        calls += (double)run->ops.count[row];
    }
    return (struct product_share){all > 0 ? products / all : NAN,
                                  r->steps.count ? calls / (double)r->steps.count : NAN};
}

/* The classes that guides tell; what bounds a run is told by its evidence. */
static const char *mfu_class(double frac)
{
    return !isfinite(frac) ? "N/A"
           : frac < 0.2    ? "below 20 %"
           : frac < 0.4    ? "20 to 40 %"
           : frac < 0.6    ? "40 to 60 %"
                           : "above 60 %";
}

static void add_use(struct view *v, const struct efficiency *e)
{
    struct block *b = view_block(v, BLOCK_LIST, "How well the machine was used");
    struct product_share p = products_of(v);
    double step_s = view_rank(v)->step.ns / 1e9;
    double mfu = efficiency_mfu(e);
    view_line(v, b,
              view_printf(v,
                          "Matrix products, attention's left out: %s of the operators' "
                          "time, %s calls a "
                          "step.",
                          view_percent(v, p.frac), view_number(v, p.calls, 0)),
              "");
    view_line(v, b,
              view_printf(v, "MFU: %s%s%s; class: %s.", view_percent(v, mfu),
                          isfinite(mfu) ? "" : ": ",
                          isfinite(mfu) ? "" : e->no_hardware_frac, mfu_class(mfu)),
              "");
    if (isfinite(e->job_samples))
        view_line(v, b,
                  view_printf(v, "Throughput: %s samples/s, %s tokens/s.",
                              unit_count(e->job_samples / step_s).s,
                              unit_count(e->job_tokens / step_s).s),
                  "");
    if (isfinite(e->parameters))
        view_line(v, b,
                  view_printf(v, "FLOPs a parameter: %s a step.",
                              view_number(v, e->step_flop / e->parameters, 2)),
                  "");
}

void view_add_summary(struct view *v)
{
    struct efficiency e;
    if (!view_rank(v))
        return;
    efficiency_of(&e, v->a, v->shown, &v->options.peak);
    add_top(v, &e);
    add_use(v, &e);
}
