/*
 * A price is what a step loses when the run is replayed with the finding's edits. Where
 * the step was timed without the tracer too, the tracer's own cost is taken out: of what
 * is gained and of the step each loses its events' cost, and the share that is left is
 * taken of the untraced step.
 */
#include "price/price.h"

#include "base/mem.h"
#include "evidence/extent.h"

#include <math.h>

/* How far a prediction of each kind was off, as a part of its gain and as a part of the
 * step, so that 9 of 10 of the truths lie within: from the table of docs/truth.md, whose
 * cases are the calibration and whose own noise is in it. docs/findings.md */
struct price_error {
    double of_gain, of_step;
};
static const struct price_error errors[PRICE_COUNT] = {
    [PRICE_REPLAYED] = {0.50, 0.10}, [PRICE_MEASURED] = {0.25, 0.13},
    [PRICE_RUN] = {0.25, 0.05},      [PRICE_INTERVAL] = {0.30, 0.09},
    [PRICE_MODELLED] = {0.50, 0.10}, [PRICE_WAITS] = {0.50, 0.18},
    [PRICE_SAMPLED] = {0.50, 0.10},
};

/* From a gain of the traced window to one of the step that is told. */
static double gain_of_step_ns(const struct evidence *e, double gain_ns,
                              const struct edit_list *l)
{
    double cost_ns =
        e->event_cost_ns > 0 ? e->event_cost_ns * extent_of(e, l).events_gone : 0;
    double traced_ns = e->traced_step_ns - e->event_cost_ns * e->events;
    /* what is on the critical path loses its events' cost; what is hidden gains nothing
     */
    double without_ns = gain_ns > cost_ns ? gain_ns - cost_ns : 0;
    if (gain_ns < 0)
        without_ns = gain_ns;
    return traced_ns > 0 ? without_ns * e->step_ns / traced_ns : 0;
}

double price_traced_gain_ns(const struct evidence *e, const struct edit_list *l)
{
    if (e->edits_only) /* a replay of all ranks, for each of them */
        return e->traced_step_ns;
    struct whatif w = e->whatif; /* with room of its own for the answer */
    struct edits edits;
    w.weight_ns = mem_alloc((e->replay->graph.edges + 1) * sizeof *w.weight_ns);
    w.at_ns = mem_alloc((e->replay->graph.nodes + 1) * sizeof *w.at_ns);
    edits_init(&edits, e->replay);
    edit_list_apply(l, &edits);
    double gain_ns = whatif_gain_ns(&w, &edits);
    edits_release(&edits);
    mem_free(w.weight_ns);
    mem_free(w.at_ns);
    return gain_ns;
}

static double replay_ns(struct evidence *e, const struct edit_list *l)
{
    return gain_of_step_ns(e, price_traced_gain_ns(e, l), l);
}

double price_untraced_ns(const struct evidence *e, const struct edit_list *l)
{
    struct extent x = extent_of(e, l);
    double c = e->event_cost_ns, traced_ns = e->traced_step_ns - c * e->events;
    double host_ns =
        traced_ns > 0 ? (x.host_ns + x.blocked_ns - c * x.events) * e->step_ns / traced_ns
                      : 0;
    /* the tracer does not slow the device */
    double device_ns = e->untraced ? x.device_ns : evidence_of_step_ns(e, x.device_ns);
    return fmax(host_ns, device_ns); /* launching can take longer than the work */
}

double price_share(const struct evidence *e, const struct edit_list *l)
{
    return e->step_ns > 0 ? price_untraced_ns(e, l) / e->step_ns : 0;
}

/* What the edits gain of what was timed without the tracer: the part that the replay
 * gains of what was traced. Without such a timing, as replayed. */
static double timed_gain_ns(struct evidence *e, const struct finding *f,
                            const struct edit_list *l)
{
    struct extent x = extent_of(e, l);
    double traced_ns = x.host_ns + x.blocked_ns;
    if (f->timed_ns <= 0 || traced_ns <= 0)
        return replay_ns(e, l);
    return f->timed_ns * price_traced_gain_ns(e, l) / traced_ns;
}

static double ceiling_ns(struct evidence *e, const struct finding *f)
{
    struct edit_list none = {0};
    edit_list_append(&none, &f->edits);
    edit_list_set_keep(&none, 0);
    double ns = timed_gain_ns(e, f, &none);
    edit_list_release(&none);
    return ns;
}

/* A step cannot lose more than it takes; what lies beside it can. */
static double within_step_ns(const struct evidence *e, const struct finding *f, double ns)
{
    return !f->apart && ns > e->step_ns ? e->step_ns : ns;
}

void price_finding(struct evidence *e, struct finding *f)
{
    if (f->holds_ns == 0)
        f->holds_ns = price_untraced_ns(e, &f->edits);
    f->holds_ns = within_step_ns(e, f, f->holds_ns); /* streams side by side hold more */
    f->gain_ns = f->ceiling_ns = f->direct_gain_ns;
    if (f->edits.n) {
        double timed_ns = timed_gain_ns(e, f, &f->edits);
        f->timed_more_ns = timed_ns - replay_ns(e, &f->edits);
        f->gain_ns += timed_ns;
        f->ceiling_ns += ceiling_ns(e, f);
    }
    /* what was waited for at more than one place is gained there by other causes */
    if (f->edits.n && !f->apart && f->holds_ns > 0) {
        f->gain_ns = fmin(f->gain_ns, f->holds_ns);
        f->ceiling_ns = fmin(f->ceiling_ns, f->holds_ns);
    }
    f->gain_ns = within_step_ns(e, f, f->gain_ns);
    f->ceiling_ns = within_step_ns(e, f, fmax(f->ceiling_ns, f->gain_ns));
    if (!f->edits.n && !f->apart) /* nothing to be replayed: all that it holds */
        f->ceiling_ns = fmax(f->ceiling_ns, fmin(f->holds_ns, e->step_ns));
    /* a rule that states a range has said what is not known of the other way */
    /* or it was run, and the range is what was measured */
    bool ranged = (f->low_frac != 1 || f->high_frac != 1) && f->price != PRICE_RUN;
    const struct price_error *error = &errors[ranged ? PRICE_REPLAYED : f->price];
    double low_ns = f->low_frac * f->gain_ns, high_ns = f->high_frac * f->gain_ns;
    double step_ns = error->of_step * e->step_ns;
    f->gain_low_ns = low_ns - hypot(error->of_gain * low_ns, step_ns);
    f->gain_high_ns = fmin(high_ns + hypot(error->of_gain * high_ns, step_ns),
                           fmax(e->step_ns, f->gain_ns));
    if (ranged && f->high_frac > 1 && f->ceiling_ns > f->gain_ns)
        f->gain_high_ns = fmin(f->gain_high_ns, f->ceiling_ns);
    /* one base: of what was timed on the host, the trace's share of it does not count */
    if (f->holds_timed && !f->apart && !e->has_device)
        f->ceiling_ns = fmax(f->gain_ns, fmin(f->holds_ns, e->step_ns));
}

double price_together(struct evidence *e, const struct finding *finding, size_t n,
                      const bool *use)
{
    struct edits edits;
    struct edit_list all = {0};
    double direct_ns = 0;
    edits_init(&edits, e->replay);
    for (size_t i = 0; i < n; i++) {
        if (!use[i] || finding[i].apart || finding[i].unpriced)
            continue;
        edit_list_apply(&finding[i].edits, &edits);
        edit_list_append(&all, &finding[i].edits);
        direct_ns += finding[i].direct_gain_ns + finding[i].timed_more_ns;
    }
    double gain_ns =
        direct_ns + gain_of_step_ns(e, whatif_gain_ns(&e->whatif, &edits), &all);
    edits_release(&edits);
    edit_list_release(&all);
    return fmin(gain_ns, e->step_ns);
}
