#include "reduce/sweep_idle.h"

#include "base/mem.h"
#include "reduce/sweep.h"
#include "spans/span_facts.h"

#include <stdlib.h>
#include <string.h>

static int reason(enum time_class what)
{
    return (int)what - TIME_CLASS_IDLE_INPUT;
}

struct lane_launches {
    int64_t launches;
    size_t lane;
};

static int compare_launches(const void *a, const void *b)
{
    const struct lane_launches *x = a, *y = b;
    if (x->launches != y->launches)
        return x->launches > y->launches ? -1 : 1;
    return (x->lane > y->lane) - (x->lane < y->lane);
}

void sweep_idle_init(struct sweep *sw)
{
    const struct merged *m = sw->merged;
    struct lane_launches *lanes = mem_alloc((m->n_lanes + 1) * sizeof *lanes);
    sw->idle = (struct sweep_idle){.begun_ns = IDLE_NO};
    sw->idle.stretch_ns = mem_zalloc(sw->clock.borders + 1, sizeof *sw->idle.stretch_ns);
    for (size_t i = 0; i < m->n_lanes; i++)
        lanes[i] = (struct lane_launches){m->lane[i].launches, i};
    if (m->n_lanes)
        qsort(lanes, m->n_lanes, sizeof *lanes, compare_launches);
    for (size_t i = 0; i < m->n_lanes && i < LAUNCHING_LANES_MAX; i++)
        if (lanes[i].launches)
            sw->lane[lanes[i].lane].past = &sw->idle.past[i];
    mem_free(lanes);
}

void sweep_idle_release(struct sweep_idle *idle)
{
    for (int i = 0; i < LAUNCHING_LANES_MAX; i++) {
        cover_history_release(&idle->past[i].input);
        cover_history_release(&idle->past[i].input_or_blocked);
    }
    mem_free(idle->stretch_ns);
    *idle = (struct sweep_idle){0};
}

static bool is_input(struct sweep *sw, const struct span *s)
{
    if (s->kind == SPAN_KIND_PHASE)
        return !strcmp(names_str(sw->merged->names, s->name), phase_text[PHASE_DATA]);
    return sweep_name_sort(sw, s->name) == NAME_SORT_INPUT;
}

void sweep_idle_host(struct sweep *sw, struct sweep_lane *l, const struct span *s)
{
    bool input = is_input(sw, s);
    if (input)
        cover_history_add(&l->past->input, s->begin_ns, span_end_ns(s));
    if (input || span_is_blocking(s))
        cover_history_add(&l->past->input_or_blocked, s->begin_ns, span_end_ns(s));
}

int64_t sweep_idle_since(struct sweep *sw, const struct span *s)
{
    const struct device_view *all = &sw->device.all;
    const struct step_clock *c = &sw->clock;
    if (all->worked)
        return all->any.until_ns < s->begin_ns ? all->any.until_ns : IDLE_NO;
    /* Before the first work only steps can have been idle. */
    sw->idle.begun_ns = s->begin_ns;
    return c->borders && c->border_ns[0] < s->begin_ns ? c->border_ns[0] : IDLE_NO;
}

/* --- reasons --- */

static void reason_add(struct sweep *sw, size_t stretch, bool counts,
                       enum time_class what, int64_t ns)
{
    sw->idle.stretch_ns[stretch][reason(what)] += ns;
    if (counts) /* time before the first work is no part of the recording's window */
        sw->idle.whole_ns[reason(what)] += ns;
}

/* One piece between two borders: what the lane did, or one reason for all of it. */
static void add_piece(struct sweep *sw, size_t stretch, int64_t begin_ns, int64_t end_ns,
                      const struct lane_past *past, enum time_class what)
{
    bool counts = begin_ns >= sw->idle.begun_ns;
    int64_t ns = end_ns - begin_ns;
    if (past) {
        int64_t input = cover_history_within_ns(&past->input, begin_ns, end_ns);
        int64_t either =
            cover_history_within_ns(&past->input_or_blocked, begin_ns, end_ns);
        if (either < input) /* pieces of one were forgotten earlier than of the other */
            either = input;
        reason_add(sw, stretch, counts, TIME_CLASS_IDLE_INPUT, input);
        reason_add(sw, stretch, counts, TIME_CLASS_IDLE_SYNC, either - input);
        ns -= either;
    }
    reason_add(sw, stretch, counts, what, ns);
}

/* past: of the lane whose doings are the reason, NULL: `what` is the whole reason. */
static void add_cut(struct sweep *sw, int64_t begin_ns, int64_t end_ns,
                    const struct lane_past *past, enum time_class what)
{
    const struct step_clock *c = &sw->clock;
    if (end_ns <= begin_ns)
        return;
    size_t stretch = step_clock_stretch(c, begin_ns);
    while (stretch < c->borders && c->border_ns[stretch] < end_ns) {
        add_piece(sw, stretch, begin_ns, c->border_ns[stretch], past, what);
        begin_ns = c->border_ns[stretch++];
    }
    add_piece(sw, stretch, begin_ns, end_ns, past, what);
}

void sweep_idle_add(struct sweep *sw, int64_t begin_ns, int64_t end_ns,
                    const struct launch *launch, bool collective)
{
    if (!launch) {
        add_cut(sw, begin_ns, end_ns, NULL, TIME_CLASS_IDLE_UNKNOWN);
        return;
    }
    int64_t called_ns = launch->end_ns < end_ns ? launch->end_ns : end_ns;
    called_ns = called_ns > begin_ns ? called_ns : begin_ns;
    add_cut(sw, begin_ns, called_ns, sw->lane[launch->lane].past, TIME_CLASS_IDLE_HOST);
    add_cut(sw, called_ns, end_ns, NULL,
            collective ? TIME_CLASS_IDLE_COMMUNICATION : TIME_CLASS_IDLE_BETWEEN);
}

void sweep_idle_end(struct sweep *sw)
{
    const struct device_view *all = &sw->device.all;
    const struct step_clock *c = &sw->clock;
    sw->idle.begun_ns = INT64_MAX; /* nor is time after the last */
    if (all->worked && c->borders)
        add_cut(sw, all->any.until_ns, c->border_ns[c->borders - 1], NULL,
                TIME_CLASS_IDLE_UNKNOWN);
}

/* --- rows --- */

static void add_reasons(struct sweep *sw, const struct time_window *w, const int64_t *ns)
{
    for (int i = 0; i < IDLE_REASONS; i++)
        sweep_add_time(sw, w, (enum time_class)(TIME_CLASS_IDLE_INPUT + i), ns[i]);
}

void sweep_idle_finish(struct sweep *sw)
{
    const struct step_clock *c = &sw->clock;
    const struct device_view *all = &sw->device.all;
    struct time_window whole = {all->first_ns, all->last_ns, -1, -1, -1};
    int64_t(*sum)[IDLE_REASONS] = sw->idle.stretch_ns;
    if (!all->worked)
        return;
    add_reasons(sw, &whole, sw->idle.whole_ns);
    for (size_t i = 1; i < c->borders; i++) /* from now on: before border i */
        for (int k = 0; k < IDLE_REASONS; k++)
            sum[i][k] += sum[i - 1][k];
    for (size_t i = 0; i < c->n; i++) {
        struct time_window w = sweep_step_window(sw, i);
        const int64_t *begin = sum[step_clock_border(c, w.begin_ns)];
        const int64_t *end = sum[step_clock_border(c, w.end_ns)];
        int64_t ns[IDLE_REASONS];
        for (int k = 0; k < IDLE_REASONS; k++)
            ns[k] = end[k] - begin[k];
        add_reasons(sw, &w, ns);
    }
}
