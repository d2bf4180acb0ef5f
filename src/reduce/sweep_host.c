#include "reduce/sweep_host.h"

#include "reduce/sweep.h"
#include "spans/span_facts.h"

void sweep_host_init(struct sweep *sw)
{
    const struct step_clock *c = &sw->clock;
    sw->host = (struct sweep_host){.by_steps = c->n > 0, .any = c->n > 0};
    if (!c->n)
        return;
    sw->host.begin_ns = c->border_ns[0];
    sw->host.end_ns = c->border_ns[c->borders - 1];
}

/* Without steps the window is what host work turns out to cover. */
static void widen_window(struct sweep_host *h, const struct span *s)
{
    if (!h->any)
        h->begin_ns = s->begin_ns;
    if (!h->any || span_end_ns(s) > h->end_ns)
        h->end_ns = span_end_ns(s);
    h->any = true;
}

void sweep_host_add(struct sweep *sw, struct sweep_lane *l, const struct span *s)
{
    struct sweep_host *h = &sw->host;
    int64_t b = s->begin_ns, e = span_end_ns(s);
    if (!span_is_host_work(s))
        return;
    if (!h->by_steps)
        widen_window(h, s);
    b = b > h->begin_ns ? b : h->begin_ns;
    e = e < h->end_ns ? e : h->end_ns;
    if (e <= b)
        return;
    cover_sum_add(&l->busy, b, e);
    if (span_is_blocking(s))
        cover_sum_add(&l->waiting, b, e);
}

void sweep_host_cut(const struct sweep *sw, struct step_cuts *cut, int64_t t_ns)
{
    if (sw->main_lane < 0)
        return;
    const struct sweep_lane *l = &sw->lane[sw->main_lane];
    cut->ns[STEP_CUT_HOST] = cover_sum_before_ns(&l->busy, t_ns);
    cut->ns[STEP_CUT_WAITING] = cover_sum_before_ns(&l->waiting, t_ns);
}

static void add_host_times(struct sweep *sw, const struct time_window *w, int64_t any,
                           int64_t waiting)
{
    int64_t span = w->end_ns - w->begin_ns;
    sweep_add_time(sw, w, TIME_CLASS_SPAN, span);
    sweep_add_time(sw, w, TIME_CLASS_BUSY, any - waiting);
    sweep_add_time(sw, w, TIME_CLASS_WAITING, waiting);
    sweep_add_time(sw, w, TIME_CLASS_UNATTRIBUTED, span - any);
}

void sweep_host_lane_finish(struct sweep *sw, size_t lane)
{
    const struct sweep_lane *l = &sw->lane[lane];
    struct time_window w = {sw->host.begin_ns, sw->host.end_ns, -1, -1,
                            (int32_t)(sw->first_lane + lane)};
    if (!sw->host.any)
        return;
    add_host_times(sw, &w, l->busy.ns, l->waiting.ns);
    for (size_t i = 0; (int32_t)lane == sw->main_lane && i < sw->clock.n; i++) {
        struct time_window step = sweep_step_window(sw, i);
        struct step_cuts c = step_clock_cuts(&sw->clock, i);
        step.lane = w.lane;
        add_host_times(sw, &step, c.ns[STEP_CUT_HOST], c.ns[STEP_CUT_WAITING]);
    }
}
