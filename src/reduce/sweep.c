#include "reduce/sweep.h"

#include "base/mem.h"
#include "spans/span_facts.h"

/* Of a recording that begins or ends between two steps, as far as it is wished. */
static void choose_window(struct sweep *sw, const struct found_steps *steps,
                          bool only_steps)
{
    sw->from_ns = INT64_MIN;
    sw->until_ns = INT64_MAX;
    if (!only_steps || !steps->n)
        return;
    sw->from_ns = steps->step[0].begin_ns;
    sw->until_ns = steps->step[0].end_ns;
    for (size_t i = 1; i < steps->n; i++)
        if (steps->step[i].end_ns > sw->until_ns)
            sw->until_ns = steps->step[i].end_ns;
}

void sweep_init(struct sweep *sw, struct run *run, int32_t rank, size_t first_lane,
                const struct merged *merged, const struct found_steps *steps,
                const struct reduce_options *options)
{
    *sw = (struct sweep){
        .run = run, .rank = rank, .first_lane = first_lane, .merged = merged};
    sw->main_lane = steps->lane;
    sw->run_name = mem_zalloc(merged->names->n, sizeof *sw->run_name);
    sw->name_sort = mem_zalloc(merged->names->n, sizeof *sw->name_sort);
    sw->lane = mem_zalloc(merged->n_lanes, sizeof *sw->lane);
    for (size_t i = 0; i < merged->n_lanes; i++) {
        sw->lane[i].kind = merged->lane[i].lane.kind;
        sw->lane[i].device = merged->lane[i].lane.device;
        sw->lane[i].busy = sw->lane[i].waiting = COVER_SUM_INIT;
    }
    step_clock_init(&sw->clock, steps);
    sweep_ops_init(&sw->ops, merged->names->n);
    sweep_sites_init(&sw->sites, merged->counts.python_frames > 0);
    sweep_device_init(sw);
    sweep_host_init(sw);
    sweep_phases_init(sw);
    sweep_launch_init(sw);
    sweep_idle_init(sw);
    sweep_collectives_init(sw);
    sweep_memory_init(sw);
    sweep_keep_init(sw, options);
    sw->next_event_ns = INT64_MIN;
    choose_window(sw, steps, options->only_steps);
}

void sweep_release(struct sweep *sw)
{
    for (size_t i = 0; i < sw->merged->n_lanes; i++)
        mem_free(sw->lane[i].stack.open);
    mem_free(sw->lane);
    mem_free(sw->run_name);
    mem_free(sw->name_sort);
    sweep_ops_release(&sw->ops);
    sweep_sites_release(&sw->sites);
    sweep_launch_release(&sw->launch);
    sweep_idle_release(&sw->idle);
    sweep_phases_release(&sw->phases);
    sweep_collectives_release(&sw->collectives);
    sweep_memory_release(sw);
    sweep_keep_release(&sw->keep);
    step_clock_release(&sw->clock);
}

name_id sweep_name(struct sweep *sw, name_id local)
{
    const struct names *names = sw->merged->names;
    if (local && !sw->run_name[local])
        sw->run_name[local] =
            names_add(&sw->run->names, names->str[local], names->len[local]);
    return sw->run_name[local];
}

enum name_sort sweep_name_sort_new(struct sweep *sw, name_id local)
{
    const struct names *names = sw->merged->names;
    enum name_sort sort = name_sort(names->str[local], names->len[local]);
    sw->name_sort[local] = (uint8_t)sort;
    return sort;
}

void sweep_add_time(struct sweep *sw, const struct time_window *w, enum time_class what,
                    int64_t ns)
{
    times_add(&sw->run->times,
              (struct class_time){.rank = sw->rank,
                                  .step = w->step,
                                  .device = w->device,
                                  .lane = w->lane,
                                  .what = what,
                                  .ns = ns < RUN_TIME_MAX_NS ? ns : RUN_TIME_MAX_NS,
                                  .origin = ORIGIN_MEASURED});
}

struct time_window sweep_step_window(const struct sweep *sw, size_t step)
{
    size_t first = sw->run->steps.table.n - sw->clock.n;
    return (struct time_window){sw->clock.step[step].begin_ns,
                                sw->clock.step[step].end_ns, (int32_t)(first + step), -1,
                                -1};
}

/* --- the pass --- */

/* Write down what was covered before each border up to now. */
static void pass_borders(struct sweep *sw, int64_t now_ns)
{
    struct step_clock *c = &sw->clock;
    for (; c->passed < c->borders && c->border_ns[c->passed] <= now_ns; c->passed++) {
        struct step_cuts *cut = &c->cut[c->passed];
        sweep_device_cut(&sw->device, cut, c->border_ns[c->passed]);
        sweep_host_cut(sw, cut, c->border_ns[c->passed]);
    }
}

/* What must be known of the moments before now. */
static void pass_events(struct sweep *sw, int64_t now_ns)
{
    const struct step_clock *c = &sw->clock;
    pass_borders(sw, now_ns);
    sweep_collectives_pass(sw, now_ns);
    int64_t border_ns = c->passed < c->borders ? c->border_ns[c->passed] : INT64_MAX;
    int64_t end_ns = sw->collectives.next_end_ns;
    sw->next_event_ns = border_ns < end_ns ? border_ns : end_ns;
}

static void add_collective(struct sweep *sw, const struct sweep_lane *l,
                           const struct span *s, int64_t step)
{
    sweep_collectives_add(sw, l, s, step);
    if (sw->collectives.next_end_ns < sw->next_event_ns)
        sw->next_event_ns = sw->collectives.next_end_ns;
}

static void add_device_span(struct sweep *sw, struct sweep_lane *l, const struct span *s,
                            int64_t step)
{
    sweep_ops_add_device(&sw->ops, s);
    if (!span_is_device_work(s))
        return;
    int64_t idle_from_ns = sweep_idle_since(sw, s);
    sweep_device_add(sw, l, s);
    sweep_launch_answer(sw, s, step, idle_from_ns);
    if (s->kind == SPAN_KIND_COLLECTIVE)
        add_collective(sw, l, s, step);
}

static void add_host_span(struct sweep *sw, struct sweep_lane *l, const struct span *s,
                          int64_t step)
{
    struct op_context around;
    uint32_t op = sweep_ops_add_host(sw, l, s, &around);
    sweep_host_add(sw, l, s);
    if (step >= 0)
        sweep_phases_add(sw, s, step);
    if (s->kind == SPAN_KIND_COLLECTIVE)
        add_collective(sw, l, s, step);
    if (l->past)
        sweep_idle_host(sw, l, s);
    if (span_is_launch(s, l->kind))
        sweep_launch_add(sw, s, step, op, &around);
}

static void add_span(struct sweep *sw, const struct span *s)
{
    struct sweep_lane *l = &sw->lane[s->lane];
    int64_t step = step_clock_at(&sw->clock, s->begin_ns);
    if (!sw->spans++) {
        sw->first_ns = s->begin_ns;
        sw->last_end_ns = span_end_ns(s);
    }
    if (span_end_ns(s) > sw->last_end_ns)
        sw->last_end_ns = span_end_ns(s);
    if (l->kind == LANE_KIND_DEVICE)
        add_device_span(sw, l, s, step);
    else
        add_host_span(sw, l, s, step);
    if (step >= 0 && s->flop) {
        int64_t *flop = &sw->run->steps.flop[sweep_step_window(sw, (size_t)step).step];
        *flop = sum_saturated(*flop, s->flop);
    }
    sweep_keep_add(&sw->keep, s, step);
}

/* What a step asked for is a part of it, however late the device does it. */
static bool lies_outside(const struct sweep *sw, const struct span *s)
{
    if (s->begin_ns >= sw->until_ns)
        return sw->lane[s->lane].kind != LANE_KIND_DEVICE || !sweep_launch_knows(sw, s);
    return s->begin_ns < sw->from_ns && span_end_ns(s) <= sw->from_ns;
}

void sweep_read(struct sweep *sw, struct span_stream *stream)
{
    const struct span *row;
    for (size_t n; (n = stream->next(stream, &row)) > 0;)
        for (size_t i = 0; i < n; i++) {
            if (row[i].begin_ns >= sw->next_event_ns)
                pass_events(sw, row[i].begin_ns);
            if ((size_t)row[i].lane >= sw->merged->n_lanes)
                sweep_memory_add(sw, &row[i]);
            else if (!lies_outside(sw, &row[i]))
                add_span(sw, &row[i]);
        }
    pass_events(sw, INT64_MAX);
}

static void fill_rank(struct sweep *sw)
{
    struct ranks *ranks = &sw->run->ranks;
    ranks->spans_seen[sw->rank] = sw->spans;
    if (sw->spans) {
        ranks->first_ns[sw->rank] = sw->first_ns;
        ranks->last_ns[sw->rank] = sw->last_end_ns;
    }
}

void sweep_finish(struct sweep *sw)
{
    sweep_ops_end(sw);
    sweep_launch_end(sw);
    sweep_idle_end(sw);
    sweep_phases_finish(sw);
    sweep_ops_finish(sw);
    sweep_sites_finish(sw);
    sweep_launch_finish(sw);
    sweep_device_finish(sw);
    sweep_idle_finish(sw);
    for (size_t i = 0; i < sw->merged->n_lanes; i++)
        if (sw->lane[i].kind == LANE_KIND_DEVICE)
            sweep_stream_finish(sw, i);
        else
            sweep_host_lane_finish(sw, i);
    sweep_collectives_finish(sw);
    sweep_memory_finish(sw);
    sweep_keep_finish(sw);
    fill_rank(sw);
}
