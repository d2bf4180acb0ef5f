#include "reduce/sweep_phases.h"

#include "base/mem.h"
#include "reduce/sweep.h"
#include "spans/span_facts.h"

#include <string.h>

static const struct phase_stretch nowhere = {INT64_MIN, INT64_MIN, -1};

void sweep_phases_init(struct sweep *sw)
{
    sw->phases = (struct sweep_phases){.last = PHASE_UNATTRIBUTED,
                                       .end = nowhere,
                                       .inside_until_ns = INT64_MIN,
                                       .optimizer = nowhere,
                                       .op = nowhere,
                                       .candidate = nowhere};
}

void sweep_phases_release(struct sweep_phases *p)
{
    mem_free(p->ns);
    *p = (struct sweep_phases){0};
}

static void add_ns(struct sweep *sw, int64_t step, enum phase phase, int64_t ns)
{
    struct sweep_phases *p = &sw->phases;
    if (!p->ns)
        p->ns = mem_zalloc(sw->clock.n, sizeof *p->ns);
    p->ns[step][phase] = sum_saturated(p->ns[step][phase], ns);
}

/* --- marked --- */

static enum phase phase_named(const char *name)
{
    for (int p = 0; p < PHASE_COUNT; p++)
        if (!strcmp(name, phase_text[p]))
            return (enum phase)p;
    return PHASE_OTHER;
}

static void add_marked(struct sweep *sw, const struct span *s, int64_t step)
{
    struct sweep_phases *p = &sw->phases;
    if (!p->marked && p->ns)
        memset(p->ns, 0, sw->clock.n * sizeof *p->ns);
    p->marked = true;
    add_ns(sw, step, phase_named(names_str(sw->merged->names, s->name)), s->dur_ns);
}

/* --- found --- */

static int64_t end_in_step(const struct sweep *sw, const struct phase_stretch *s)
{
    int64_t last_ns = sw->clock.step[s->step].end_ns;
    return s->end_ns < last_ns ? s->end_ns : last_ns;
}

/* What a phase takes of the optimizer's step that it lies in. */
static void take_from_optimizer(struct sweep *sw, int64_t begin_ns, int64_t end_ns)
{
    const struct phase_stretch *o = &sw->phases.optimizer;
    if (o->step < 0)
        return;
    int64_t b = begin_ns > o->begin_ns ? begin_ns : o->begin_ns;
    int64_t e = end_ns < o->end_ns ? end_ns : o->end_ns;
    int64_t *sum = &sw->phases.ns[o->step][PHASE_OPTIMIZER];
    if (e > b)
        *sum = *sum > e - b ? *sum - (e - b) : 0;
}

/* What lies between two operators of the forward pass, or two nodes of the backward pass,
 * is the phase's own. Phases do not overlap, and end with their step. */
static void extend(struct sweep *sw, enum phase phase, const struct phase_stretch *s)
{
    struct sweep_phases *p = &sw->phases;
    bool goes_on = phase == p->last && s->step == p->end.step &&
                   (phase == PHASE_FORWARD || phase == PHASE_BACKWARD);
    int64_t end_ns = end_in_step(sw, s);
    int64_t begin_ns =
        goes_on || s->begin_ns < p->end.end_ns ? p->end.end_ns : s->begin_ns;
    p->last = phase;
    if (end_ns <= begin_ns)
        return;
    take_from_optimizer(sw, begin_ns, end_ns);
    add_ns(sw, s->step, phase, end_ns - begin_ns);
    p->end = (struct phase_stretch){begin_ns, end_ns, s->step};
}

static void add_forward(struct sweep *sw)
{
    struct sweep_phases *p = &sw->phases;
    if (p->candidate.step >= 0)
        extend(sw, PHASE_FORWARD, &p->candidate);
    p->candidate = nowhere;
}

/* The operators in it are not looked at one by one. */
static void begin_phase(struct sweep *sw, enum phase phase, const struct span *s,
                        int64_t step)
{
    struct sweep_phases *p = &sw->phases;
    struct phase_stretch all = {s->begin_ns, span_end_ns(s), step};
    if (s->begin_ns < p->inside_until_ns)
        return;
    if (phase == PHASE_BACKWARD) {
        p->nodes += s->correlation != 0;
        if (s->correlation == p->number)
            add_forward(sw);
    }
    p->candidate = nowhere;
    extend(sw, phase, &all);
    p->inside_until_ns = all.end_ns;
}

static void begin_optimizer(struct sweep *sw, const struct span *s, int64_t step)
{
    struct sweep_phases *p = &sw->phases;
    struct phase_stretch all = {s->begin_ns, span_end_ns(s), step};
    if (s->begin_ns < p->inside_until_ns || s->begin_ns < p->optimizer.end_ns)
        return;
    all.end_ns = end_in_step(sw, &all);
    if (all.begin_ns < p->end.end_ns)
        all.begin_ns = p->end.end_ns;
    p->candidate = nowhere;
    p->last = PHASE_OPTIMIZER;
    if (all.end_ns <= all.begin_ns)
        return;
    add_ns(sw, step, PHASE_OPTIMIZER, all.end_ns - all.begin_ns);
    p->optimizer = all;
}

static void add_operator(struct sweep *sw, const struct span *s, int64_t step)
{
    struct sweep_phases *p = &sw->phases;
    if (s->begin_ns >= p->op.end_ns)
        p->op = (struct phase_stretch){s->begin_ns, span_end_ns(s), step};
    if (!s->correlation || s->begin_ns < p->inside_until_ns)
        return;
    if (s->correlation > p->number)
        add_forward(sw);
    p->number = s->correlation;
    p->candidate = p->op;
}

void sweep_phases_add(struct sweep *sw, const struct span *s, int64_t step)
{
    if (s->lane != sw->main_lane) {
        sw->phases.nodes_elsewhere +=
            s->correlation && sweep_name_sort(sw, s->name) == NAME_SORT_BACKWARD;
        return;
    }
    if (s->kind == SPAN_KIND_PHASE) {
        add_marked(sw, s, step);
        return;
    }
    if (sw->phases.marked)
        return;
    switch (sweep_name_sort(sw, s->name)) {
    case NAME_SORT_INPUT:
        begin_phase(sw, PHASE_DATA, s, step);
        break;
    case NAME_SORT_BACKWARD:
        begin_phase(sw, PHASE_BACKWARD, s, step);
        break;
    case NAME_SORT_OPTIMIZER:
        begin_optimizer(sw, s, step);
        break;
    default:
        if (s->kind == SPAN_KIND_OP)
            add_operator(sw, s, step);
    }
}

/* --- rows --- */

/* Of a device's work the host's phases tell only when it was asked for. Its backward pass
 * has a thread of its own, also where the device was not recorded. */
static bool are_told(const struct sweep *sw)
{
    const struct sweep_phases *p = &sw->phases;
    return p->ns &&
           (p->marked || (p->nodes > p->nodes_elsewhere && !sw->device.all.worked));
}

/* One row a phase of each step, and what no phase holds as unattributed. */
void sweep_phases_finish(struct sweep *sw)
{
    for (size_t i = 0; are_told(sw) && i < sw->clock.n; i++) {
        int64_t *ns = sw->phases.ns[i];
        struct time_window w = sweep_step_window(sw, i);
        int64_t rest = w.end_ns - w.begin_ns;
        for (int p = 0; p < PHASE_UNATTRIBUTED; p++)
            rest -= ns[p] < RUN_TIME_MAX_NS / PHASE_COUNT ? ns[p] : 0;
        ns[PHASE_UNATTRIBUTED] = rest;
        for (int p = 0; p < PHASE_COUNT; p++)
            phases_add(&sw->run->phases, (struct phase_time){.rank = sw->rank,
                                                             .step = w.step,
                                                             .phase = p,
                                                             .ns = ns[p],
                                                             .origin = ORIGIN_MEASURED});
    }
}
