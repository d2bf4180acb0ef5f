/*
 * A price is what a step loses when the run is replayed with the finding's edits. Where
 * the step was timed without the tracer too, the tracer's own cost is taken out: of what
 * is gained and of the step each loses its events' cost, and the share that is left is
 * taken of the untraced step.
 */
#include "findings/price.h"

#include "base/mem.h"

#include <math.h>

/* How far a prediction of each kind was off, as a part of its gain and as a part of the
 * step, so that 90 % of the truths lie within: docs/truth.md, the calibration cases. */
struct price_error {
    double of_gain, of_step;
};
static const struct price_error errors[PRICE_COUNT] = {
    [PRICE_REPLAYED] = {0.20, 0.015},
    [PRICE_WAITS] = {0.20, 0.015}, /* as what is replayed */
    [PRICE_MEASURED] = {0.25, 0.020},
    [PRICE_INTERVAL] = {0.15, 0.015},
    [PRICE_MODELLED] = {0.50, 0.030},
};

/* Host events that begin in [begin, end) of a lane. */
static size_t events_in(const struct evidence *e, int32_t lane, int64_t begin_ns,
                        int64_t end_ns)
{
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        if (t->lane != lane)
            continue;
        size_t bound[2];
        for (int i = 0; i < 2; i++) {
            size_t low = 0, high = t->n;
            while (low < high) {
                size_t mid = low + (high - low) / 2;
                if (t->op[mid].begin_ns < (i ? end_ns : begin_ns))
                    low = mid + 1;
                else
                    high = mid;
            }
            bound[i] = low;
        }
        return bound[1] - bound[0];
    }
    return 0;
}

/* Of the tracer's own cost, what goes with the edits, a step. */
static double tracer_cost_ns(const struct evidence *e, const struct edit_list *l)
{
    double events = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->edit[i].kind == EDIT_HOST || l->edit[i].kind == EDIT_DISPATCH)
            events += (1 - l->edit[i].keep) * (double)events_in(e, l->edit[i].lane,
                                                                l->edit[i].begin_ns,
                                                                l->edit[i].end_ns);
    return e->event_cost_ns * events / (double)e->steps;
}

/* From a gain of the traced window to one of the step that is told. */
static double gain_of_step_ns(const struct evidence *e, double gain_ns, double cost_ns)
{
    double traced_ns = e->traced_step_ns - e->event_cost_ns * e->events;
    /* what is on the critical path loses its events' cost; what is hidden gains nothing
     */
    double without_ns = gain_ns > cost_ns ? gain_ns - cost_ns : 0;
    if (gain_ns < 0)
        without_ns = gain_ns;
    return traced_ns > 0 ? without_ns * e->step_ns / traced_ns : 0;
}

static double traced_gain_ns(struct evidence *e, const struct edit_list *l)
{
    struct edits edits;
    edits_init(&edits, e->replay);
    edit_list_apply(l, &edits);
    double gain_ns = whatif_gain_ns(&e->whatif, &edits);
    edits_release(&edits);
    return gain_ns;
}

static double replay_ns(struct evidence *e, const struct edit_list *l)
{
    return gain_of_step_ns(e, traced_gain_ns(e, l), tracer_cost_ns(e, l));
}

double price_untraced_ns(const struct evidence *e, const struct edit_list *l)
{
    double host_ns = 0, device_ns = 0, events = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct edit *x = &l->edit[i];
        if (x->kind == EDIT_WORK)
            device_ns += (double)e->run->spans.dur_ns[x->span];
        if (x->kind != EDIT_HOST)
            continue;
        host_ns += (double)(x->end_ns - x->begin_ns);
        events += (double)events_in(e, x->lane, x->begin_ns, x->end_ns);
    }
    double steps = (double)e->steps, c = e->event_cost_ns;
    double traced_ns = e->traced_step_ns - c * e->events;
    if (device_ns > 0) /* the tracer does not slow the device */
        return device_ns / steps;
    return traced_ns > 0 ? (host_ns - c * events) / steps * e->step_ns / traced_ns : 0;
}

double price_share(const struct evidence *e, const struct edit_list *l)
{
    return e->step_ns > 0 ? price_untraced_ns(e, l) / e->step_ns : 0;
}

/* Of a step under the tracer. */
static double held_traced_ns(const struct evidence *e, const struct edit_list *l)
{
    double ns = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct edit *x = &l->edit[i];
        if (x->kind == EDIT_HOST || x->kind == EDIT_DISPATCH)
            ns += (double)(x->end_ns - x->begin_ns);
        else
            ns += (double)e->run->spans.dur_ns[x->span];
    }
    return ns / (double)e->steps;
}

static double held_ns(const struct evidence *e, const struct edit_list *l)
{
    bool untraced = e->untraced && e->traced_step_ns > 0;
    return held_traced_ns(e, l) * (untraced ? e->step_ns / e->traced_step_ns : 1);
}

/* What direct timing says beyond the replay: of the time that was measured, the part that
 * the replay gains of the time that was traced. */
static double timed_more_ns(struct evidence *e, const struct finding *f)
{
    double held = held_traced_ns(e, &f->edits);
    if (f->timed_ns <= 0 || held <= 0)
        return 0;
    double gained_frac = traced_gain_ns(e, &f->edits) / held;
    return f->timed_ns * gained_frac - replay_ns(e, &f->edits);
}

static double ceiling_ns(struct evidence *e, const struct edit_list *l)
{
    struct edit_list none = {0};
    for (size_t i = 0; i < l->n; i++) {
        vec_grow(none.edit, none.cap, none.n + 1);
        none.edit[none.n++] = l->edit[i];
    }
    edit_list_set_keep(&none, 0);
    double ns = replay_ns(e, &none);
    edit_list_release(&none);
    return ns;
}

void price_finding(struct evidence *e, struct finding *f)
{
    if (f->holds_ns == 0)
        f->holds_ns = held_ns(e, &f->edits);
    f->gain_ns = f->direct_gain_ns;
    if (f->edits.n)
        f->gain_ns += replay_ns(e, &f->edits);
    f->timed_more_ns = timed_more_ns(e, f);
    f->gain_ns += f->timed_more_ns;
    f->ceiling_ns = f->direct_gain_ns;
    if (f->edits.n)
        f->ceiling_ns += ceiling_ns(e, &f->edits);
    f->ceiling_ns = f->ceiling_ns > f->gain_ns ? f->ceiling_ns : f->gain_ns;
    /* a rule that states a range has said what is not known of the other way */
    bool ranged = f->low_frac != 1 || f->high_frac != 1;
    const struct price_error *error = &errors[ranged ? PRICE_REPLAYED : f->price];
    double off_ns = hypot(error->of_gain * f->gain_ns, error->of_step * e->step_ns);
    f->gain_low_ns = f->low_frac * f->gain_ns - off_ns;
    f->gain_high_ns = fmin(f->high_frac * f->gain_ns + off_ns, e->step_ns);
    if (f->high_frac > 1 && f->ceiling_ns > f->gain_ns)
        f->gain_high_ns = fmin(f->gain_high_ns, f->ceiling_ns);
}

double price_together(struct evidence *e, const struct finding *finding, size_t n,
                      const bool *use)
{
    struct edits edits;
    double direct_ns = 0, cost_ns = 0;
    edits_init(&edits, e->replay);
    for (size_t i = 0; i < n; i++) {
        if (!use[i] || finding[i].apart)
            continue;
        edit_list_apply(&finding[i].edits, &edits);
        direct_ns += finding[i].direct_gain_ns + finding[i].timed_more_ns;
        cost_ns += tracer_cost_ns(e, &finding[i].edits);
    }
    double gain_ns = whatif_gain_ns(&e->whatif, &edits);
    edits_release(&edits);
    return direct_ns + gain_of_step_ns(e, gain_ns, cost_ns);
}
