#include "reduce/sweep_device.h"

#include "reduce/sweep.h"
#include "spans/span_facts.h"

#include <stdlib.h>

/* Some warm-up before the first mark is ordinary; a third of all work is not. */
#define OF_NO_STEP_NOTED_FRAC (1.0 / 3)

static void view_init(struct device_view *v, int32_t device)
{
    *v = (struct device_view){
        .device = device,
        .compute = COVER_SUM_INIT,
        .communication = COVER_SUM_INIT,
        .copies = COVER_SUM_INIT,
        .compute_or_communication = COVER_SUM_INIT,
        .any = COVER_SUM_INIT,
    };
}

void sweep_device_init(struct sweep *sw)
{
    struct sweep_device *d = &sw->device;
    int32_t one = -1;
    view_init(&d->all, -1);
    d->n = 0;
    d->several = false;
    for (size_t i = 0; i < sw->merged->n_lanes; i++) {
        const struct lane *l = &sw->merged->lane[i].lane;
        if (l->kind != LANE_KIND_DEVICE || l->device < 0)
            continue;
        d->several = d->several || (one >= 0 && l->device != one);
        one = l->device;
    }
}

static void view_add(struct device_view *v, const struct span *s)
{
    int64_t b = s->begin_ns, e = span_end_ns(s);
    if (!v->worked) {
        v->worked = true;
        v->first_ns = b;
        v->last_ns = e;
    }
    if (e > v->last_ns)
        v->last_ns = e;
    cover_sum_add(&v->any, b, e);
    if (s->kind == SPAN_KIND_KERNEL) {
        cover_sum_add(&v->compute, b, e);
        cover_sum_add(&v->compute_or_communication, b, e);
    } else if (s->kind == SPAN_KIND_COLLECTIVE) {
        cover_sum_add(&v->communication, b, e);
        cover_sum_add(&v->compute_or_communication, b, e);
    } else {
        cover_sum_add(&v->copies, b, e);
    }
}

/* The view of one device, or NULL where it has no number or there are too many. */
static struct device_view *view_of(struct sweep_device *d, int32_t device)
{
    if (device < 0)
        return NULL;
    for (int i = 0; i < d->n; i++)
        if (d->each[i].device == device)
            return &d->each[i];
    if (d->n == DEVICES_MAX)
        return NULL;
    view_init(&d->each[d->n], device);
    return &d->each[d->n++];
}

void sweep_device_add(struct sweep *sw, struct sweep_lane *l, const struct span *s)
{
    struct sweep_device *d = &sw->device;
    view_add(&d->all, s);
    cover_sum_add(&l->busy, s->begin_ns, span_end_ns(s));
    if (!d->several)
        return;
    if (!l->alone)
        l->alone = view_of(d, l->device);
    if (l->alone)
        view_add(l->alone, s);
}

void sweep_device_cut(const struct sweep_device *d, struct step_cuts *cut, int64_t t_ns)
{
    const struct device_view *v = &d->all;
    cut->ns[STEP_CUT_COMPUTE] = cover_sum_before_ns(&v->compute, t_ns);
    cut->ns[STEP_CUT_COMMUNICATION] = cover_sum_before_ns(&v->communication, t_ns);
    cut->ns[STEP_CUT_COPIES] = cover_sum_before_ns(&v->copies, t_ns);
    cut->ns[STEP_CUT_COMPUTE_OR_COMMUNICATION] =
        cover_sum_before_ns(&v->compute_or_communication, t_ns);
    cut->ns[STEP_CUT_DEVICE] = cover_sum_before_ns(&v->any, t_ns);
}

/* --- rows --- */

static void add_device_times(struct sweep *sw, const struct time_window *w,
                             const struct step_cuts *c)
{
    int64_t span = w->end_ns - w->begin_ns;
    int64_t compute = c->ns[STEP_CUT_COMPUTE];
    int64_t either = c->ns[STEP_CUT_COMPUTE_OR_COMMUNICATION];
    int64_t any = c->ns[STEP_CUT_DEVICE];
    sweep_add_time(sw, w, TIME_CLASS_SPAN, span);
    sweep_add_time(sw, w, TIME_CLASS_COMPUTE, compute);
    sweep_add_time(sw, w, TIME_CLASS_COMMUNICATION, either - compute);
    sweep_add_time(sw, w, TIME_CLASS_COPIES, any - either);
    sweep_add_time(sw, w, TIME_CLASS_IDLE, span - any);
    sweep_add_time(sw, w, TIME_CLASS_COMMUNICATION_TOTAL, c->ns[STEP_CUT_COMMUNICATION]);
    sweep_add_time(sw, w, TIME_CLASS_COPIES_TOTAL, c->ns[STEP_CUT_COPIES]);
}

static void add_view(struct sweep *sw, const struct device_view *v)
{
    struct time_window w = {v->first_ns, v->last_ns, -1, v->device, -1};
    struct step_cuts c = {{
        [STEP_CUT_COMPUTE] = v->compute.ns,
        [STEP_CUT_COMMUNICATION] = v->communication.ns,
        [STEP_CUT_COPIES] = v->copies.ns,
        [STEP_CUT_COMPUTE_OR_COMMUNICATION] = v->compute_or_communication.ns,
        [STEP_CUT_DEVICE] = v->any.ns,
    }};
    add_device_times(sw, &w, &c);
}

/* Device work launched in the rank's steps, added up. */
static double launched_in_steps_ns(const struct sweep *sw)
{
    double ns = 0;
    for (size_t i = 0; i < sw->clock.n; i++)
        ns += (double)sw->run->steps.device_ns[sweep_step_window(sw, i).step];
    return ns;
}

/* Work of no step is in no step's split: where it is much, the steps tell less than the
 * whole, and the reader must know whose it is. */
static void note_work_of_no_step(struct sweep *sw, double inside_ns)
{
    double covered_ns = (double)sw->device.all.any.ns;
    double all_ns = (double)sw->launch.work_ns;
    double unlaunched_ns = (double)sw->run->ranks.unlaunched_ns[sw->rank];
    double other_ns = all_ns - launched_in_steps_ns(sw);
    if (!sw->clock.n || covered_ns - inside_ns <= OF_NO_STEP_NOTED_FRAC * covered_ns ||
        other_ns <= OF_NO_STEP_NOTED_FRAC * all_ns)
        return;
    run_add_note(
        sw->run, sw->rank, -1,
        "of %.1f ms of device work %.1f are of no step: %.1f were launched outside "
        "of the marks, and of %.1f the launch is not recorded",
        all_ns / 1e6, other_ns / 1e6, (other_ns - unlaunched_ns) / 1e6,
        unlaunched_ns / 1e6);
}

static int compare_view(const void *a, const void *b)
{
    const struct device_view *x = a, *y = b;
    return (x->device > y->device) - (x->device < y->device);
}

void sweep_device_finish(struct sweep *sw)
{
    struct sweep_device *d = &sw->device;
    double inside_ns = 0; /* hostile steps may overlap beyond what an int64_t holds */
    if (!d->all.worked)
        return;
    add_view(sw, &d->all);
    for (size_t i = 0; i < sw->clock.n; i++) {
        struct time_window w = sweep_step_window(sw, i);
        struct step_cuts c = step_clock_cuts(&sw->clock, i);
        inside_ns += (double)c.ns[STEP_CUT_DEVICE];
        add_device_times(sw, &w, &c);
    }
    note_work_of_no_step(sw, inside_ns);
    qsort(d->each, (size_t)d->n, sizeof *d->each, compare_view);
    for (int i = 0; d->n > 1 && i < d->n; i++)
        add_view(sw, &d->each[i]);
    /* A device without a number is one device. */
    sw->run->ranks.devices[sw->rank] = d->n ? d->n : 1;
}

void sweep_stream_finish(struct sweep *sw, size_t lane)
{
    const struct sweep_lane *l = &sw->lane[lane];
    const struct device_view *all = &sw->device.all;
    struct time_window w = {all->first_ns, all->last_ns, -1, l->device,
                            (int32_t)(sw->first_lane + lane)};
    int64_t span = w.end_ns - w.begin_ns;
    if (!all->worked)
        return;
    sweep_add_time(sw, &w, TIME_CLASS_SPAN, span);
    sweep_add_time(sw, &w, TIME_CLASS_BUSY, l->busy.ns);
    sweep_add_time(sw, &w, TIME_CLASS_IDLE, span - l->busy.ns);
}
