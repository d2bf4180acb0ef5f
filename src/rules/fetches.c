#include "rules/fetches.h"

#include "evidence/host_cores.h"
#include "run/name_sort.h"
#include "run/record_facts.h"

#include <math.h>
#include <string.h>

/* Least part of a stall that is gained where cores are idle: workers compete for the
 * host. docs/rules/input-bound.md */
static const double IDLE_LOW_FRAC = 0.75;

/* By the job's own collate_fn, or PyTorch's in its place. */
static double stacking_frac(const struct evidence *e, double fetch_ns)
{
    double own_ns = evidence_timing_median(e, TIMING_KIND_COLLATE);
    double ns = isnan(own_ns) ? evidence_timing_median(e, TIMING_KIND_STACK) : own_ns;
    return isnan(ns) || fetch_ns <= 0 ? NAN : fmin(1, ns / fetch_ns); /* fmin drops NAN */
}

static void add_timings(const struct evidence *e, struct fetches *f)
{
    double cpu_ns = evidence_timing_median(e, TIMING_KIND_LOADER_CPU);
    f->timed_ns = evidence_timing_median(e, TIMING_KIND_LOADER);
    f->share_frac = f->traced_ns / e->traced_step_ns;
    f->computing_frac = f->stacking_frac = NAN;
    if (isnan(f->timed_ns))
        return;
    f->share_frac = f->timed_ns / e->step_ns;
    if (!isnan(cpu_ns) && f->timed_ns > 0)
        f->computing_frac = fmin(1, cpu_ns / f->timed_ns);
    f->stacking_frac = stacking_frac(e, f->timed_ns);
}

struct fetches fetches_find(const struct evidence *e)
{
    struct fetches f = {0};
    if (e->main_thread == SIZE_MAX)
        return f;
    const struct host_thread *t = &e->threads[e->main_thread];
    for (size_t i = 0; i < t->n; i++) {
        const struct host_op *op = &t->op[i];
        if (!op->fetch || (op->parent >= 0 && t->op[op->parent].fetch))
            continue; /* the outermost ones */
        evidence_edit_range(e, &f.edits, t->lane, op->begin_ns, op->end_ns, 0);
        f.count++;
        f.traced_ns += (double)host_op_ns(op) / (double)e->steps;
        f.workers = f.workers || strstr(evidence_name(e, op), "MultiProcessing");
        if (!f.longest || host_op_ns(op) > host_op_ns(f.longest))
            f.longest = op;
    }
    add_timings(e, &f);
    return f;
}

/* What is left of a fetch when another process does it, with the least and the most.
 * Where cores are idle, nothing. Where all are busy, its waiting goes; its computing goes
 * from one core, while the others stood still, to all of them at best (1 / cores is
 * left), or takes as much from the operators as it took alone (all is left). */
struct moved {
    double keep;
    double low_frac, high_frac; /* of the gain */
};

static struct moved move_to_workers(const struct evidence *e, const struct fetches *f)
{
    struct host_cores c = host_cores(e);
    if (!host_cores_busy(e, &c))
        return (struct moved){0, IDLE_LOW_FRAC, 1};
    /* where workers load already the main process only waits: what computes are they */
    bool known = !isnan(f->computing_frac) && !f->workers;
    double computing_low = known ? f->computing_frac : 0;
    double computing_high = known ? f->computing_frac : 1;
    double share = host_cores_or_cpus(&c);
    double least_left = isnan(share) ? 0 : 1 / fmax(1, share);
    double gain_low = 1 - computing_high;
    double gain_high = 1 - computing_low * least_left;
    double gain = (gain_low + gain_high) / 2;
    if (gain <= 0) /* all of it computes, and there is one core */
        return (struct moved){1, 1, 1};
    return (struct moved){1 - gain, gain_low / gain, gain_high / gain};
}

double fetches_price(struct finding *x, const struct evidence *e, const struct fetches *f)
{
    struct moved m = move_to_workers(e, f);
    x->edits = f->edits;
    edit_list_set_keep(&x->edits, m.keep);
    x->price = m.keep > 0 ? PRICE_MODELLED : PRICE_REPLAYED;
    x->low_frac = m.low_frac;
    x->high_frac = m.high_frac;
    x->timed_ns = isnan(f->timed_ns) ? 0 : f->timed_ns;
    x->holds_timed = !isnan(f->timed_ns);
    x->holds_ns = x->holds_timed ? f->timed_ns : evidence_of_step_ns(e, f->traced_ns);
    return m.keep;
}

struct items fetches_items(const struct evidence *e)
{
    struct items i = {
        .count = record_fact(e->run, e->rank_row, RECORD_FACT_LOADER_ITEMS),
        .bytes = record_fact(e->run, e->rank_row, RECORD_FACT_LOADER_ITEM_BYTES),
        .free_bytes = record_fact(e->run, e->rank_row, RECORD_FACT_FREE_BYTES)};
    i.same = record_fact(e->run, e->rank_row, RECORD_FACT_LOADER_DRAWS) == 0 &&
             i.count >= 1 && i.bytes > 0 && i.free_bytes > 0;
    return i;
}

void fetches_price_prepared(struct finding *x, const struct fetches *f)
{
    edit_list_set_keep(&x->edits, f->stacking_frac);
    x->price = PRICE_REPLAYED;
    x->low_frac = x->high_frac = 1;
}
