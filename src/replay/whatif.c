#include "replay/whatif.h"

#include "base/mem.h"
#include "base/saturate.h"

#include <math.h>

static double step_ns(const struct run *run, int32_t step)
{
    return (double)run->steps.end_ns[step] - (double)run->steps.begin_ns[step];
}

static bool is_usable(const struct replay *r, size_t i, int32_t rank)
{
    const struct replay_step *x = &r->steps[i];
    return r->run->steps.rank[x->step] == rank && x->begin_node != GRAPH_NONE &&
           x->end_node != GRAPH_NONE;
}

/* Is it of another kind than the step that is told? Where the median of recorded steps is
 * told, that is a step far from it: what it holds would be shared out to steps without
 * it. A mean, or steps without the tracer, have their share of what comes now and then.
 */
static bool is_foreign(const struct replay *r, const struct analysis_rank *of, size_t i)
{
    return !of->recorded.mark_mean && of->step.basis != STEP_BASIS_UNTRACED &&
           !step_time_is_typical(&of->recorded, step_ns(r->run, r->steps[i].step));
}

/* The series of kept steps around the most typical one: first, and one behind the
 * last, of r->steps. */
static void find_series(const struct replay *r, const struct analysis_rank *of,
                        size_t *first, size_t *end)
{
    double median_ns = of->recorded.mark_ns;
    int32_t rank = of->row;
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < r->n_steps; i++)
        if (is_usable(r, i, rank) &&
            (best == SIZE_MAX ||
             fabs(step_ns(r->run, r->steps[i].step) - median_ns) <
                 fabs(step_ns(r->run, r->steps[best].step) - median_ns)))
            best = i;
    *first = *end = 0;
    if (best == SIZE_MAX)
        return;
    for (*first = best; *first > 0; (*first)--)
        if (!is_usable(r, *first - 1, rank) || is_foreign(r, of, *first - 1) ||
            r->steps[*first - 1].step != r->steps[*first].step - 1)
            break;
    for (*end = best + 1; *end < r->n_steps; (*end)++)
        if (!is_usable(r, *end, rank) || is_foreign(r, of, *end) ||
            r->steps[*end].step != r->steps[*end - 1].step + 1)
            break;
    while (*first < best &&
           step_ns(r->run, r->steps[*first].step) > (1 + STEP_LONG_FRAC) * median_ns)
        (*first)++;
}

/* Nodes on their way into a window. */
struct node_list {
    uint32_t *node;
    size_t n, cap;
};

static void add_node(struct node_list *l, uint32_t node)
{
    vec_grow(l->node, l->cap, l->n + 1);
    l->node[l->n++] = node;
}

static bool is_device_span(const struct replay *r, int64_t span)
{
    return r->run->lanes.kind[r->run->spans.lane[span]] == LANE_KIND_DEVICE;
}

/* When the host asked for it; of work without a launch, when it ended. */
static int64_t asked_ns(const struct replay *r, int64_t span)
{
    const struct spans *s = &r->run->spans;
    int64_t call = r->launch[span];
    if (!is_device_span(r, span))
        return s->begin_ns[span];
    return call >= 0 ? s->begin_ns[call] : s->begin_ns[span] + s->dur_ns[span];
}

bool whatif_window_asked(const struct whatif_window *w, const struct replay *r,
                         int64_t span)
{
    int64_t at_ns = asked_ns(r, span);
    return at_ns >= w->begin_ns && at_ns < w->end_ns;
}

static bool is_kernel(const struct spans *s, size_t span)
{
    return s->kind[span] == SPAN_KIND_KERNEL || s->kind[span] == SPAN_KIND_COLLECTIVE;
}

/* Ends of device work of the rank that was asked for from begin to end. */
static void add_work(struct node_list *l, const struct replay *r, int32_t rank,
                     int64_t begin_ns, int64_t end_ns, bool kernels_alone)
{
    const struct spans *s = &r->run->spans;
    for (size_t i = 0; i < s->table.n; i++) {
        if (r->begin_node[i] == GRAPH_NONE || r->run->lanes.rank[s->lane[i]] != rank ||
            !is_device_span(r, (int64_t)i) || (kernels_alone && !is_kernel(s, i)))
            continue;
        int64_t at_ns = asked_ns(r, (int64_t)i);
        if (at_ns >= begin_ns && at_ns < end_ns)
            add_node(l, r->end_node[i]);
    }
}

/* No steps are kept: all that is. */
static void add_threads(struct node_list *l, const struct replay *r, int32_t rank)
{
    for (size_t t = 0; t < r->n_threads; t++) {
        const struct replay_thread *x = &r->threads[t];
        if (x->n && r->run->lanes.rank[x->lane] == rank)
            add_node(l, x->anchor[x->n - 1].end_node);
    }
}

static void stretch_set(struct whatif_stretch *s, const struct node_list *begins,
                        const struct node_list *ends)
{
    *s = (struct whatif_stretch){begins->node, ends->node, begins->n, ends->n};
}

static int64_t step_begin_ns(const struct replay *r, size_t i)
{
    return r->run->steps.begin_ns[r->steps[i].step];
}

static int64_t step_end_ns(const struct replay *r, size_t i)
{
    return r->run->steps.end_ns[r->steps[i].step];
}

/* From the end of the kernels of the step `before` to that of those in the window. */
static void set_device(struct whatif_window *w, const struct replay *r, size_t before)
{
    struct node_list begins = {0}, ends = {0};
    add_work(&begins, r, w->rank, step_begin_ns(r, before), step_end_ns(r, before), true);
    add_work(&ends, r, w->rank, w->begin_ns, w->end_ns, true);
    if (begins.n)
        stretch_set(&w->device, &begins, &ends);
    else
        mem_free(ends.node);
}

void whatif_window_init(struct whatif_window *w, const struct replay *r,
                        const struct analysis_rank *rank)
{
    size_t first, end;
    struct node_list begins = {0}, ends = {0};
    find_series(r, rank, &first, &end);
    bool lags = rank->recorded.lags && end - first > 1;
    first += lags; /* the first one tells when the device begins with the others */
    *w = (struct whatif_window){.rank = rank->row,
                                .steps = end - first,
                                .begin_ns = r->run->ranks.first_ns[rank->row],
                                .end_ns =
                                    add_saturated(r->run->ranks.last_ns[rank->row], 1)};
    if (w->steps) {
        w->begin_ns = step_begin_ns(r, first);
        w->end_ns = step_end_ns(r, end - 1);
        add_node(&begins, r->steps[first].begin_node);
        add_node(&ends, r->steps[end - 1].end_node);
    } else {
        add_node(&begins, r->ranks[rank->row].root);
        add_threads(&ends, r, rank->row);
    }
    if (lags)
        set_device(w, r, first - 1);
    if (!w->device.n_end)
        add_work(&ends, r, rank->row, w->begin_ns, w->end_ns, false);
    stretch_set(&w->host, &begins, &ends);
}

void whatif_window_release(struct whatif_window *w)
{
    mem_free(w->host.begin_node);
    mem_free(w->host.end_node);
    mem_free(w->device.begin_node);
    mem_free(w->device.end_node);
    *w = (struct whatif_window){0};
}

static uint32_t latest_of(const uint32_t *node, size_t n, const int64_t *at_ns)
{
    uint32_t latest = GRAPH_NONE;
    for (size_t i = 0; i < n; i++)
        if (latest == GRAPH_NONE || at_ns[node[i]] > at_ns[latest])
            latest = node[i];
    return latest;
}

static int64_t stretch_ns(const struct whatif_stretch *s, const int64_t *at_ns)
{
    if (!s->n_end)
        return INT64_MIN;
    return subtract_saturated(at_ns[latest_of(s->end_node, s->n_end, at_ns)],
                              at_ns[latest_of(s->begin_node, s->n_begin, at_ns)]);
}

/* The longer one holds the other up. */
static const struct whatif_stretch *longer(const struct whatif_window *w,
                                           const int64_t *at_ns)
{
    return stretch_ns(&w->device, at_ns) > stretch_ns(&w->host, at_ns) ? &w->device
                                                                       : &w->host;
}

uint32_t whatif_window_begin(const struct whatif_window *w, const int64_t *at_ns)
{
    const struct whatif_stretch *s = longer(w, at_ns);
    return latest_of(s->begin_node, s->n_begin, at_ns);
}

uint32_t whatif_window_end(const struct whatif_window *w, const int64_t *at_ns)
{
    const struct whatif_stretch *s = longer(w, at_ns);
    return latest_of(s->end_node, s->n_end, at_ns);
}

int64_t whatif_window_ns(const struct whatif_window *w, const struct replay *r,
                         const int64_t *at_ns)
{
    const int64_t *t = at_ns ? at_ns : r->graph.measured_ns;
    const struct whatif_stretch *s = longer(w, t);
    return s->n_end ? stretch_ns(s, t) : 0;
}

void whatif_init(struct whatif *w, const struct replay *r,
                 const struct analysis_rank *rank)
{
    *w = (struct whatif){.r = r};
    whatif_window_init(&w->window, r, rank);
    w->base_at_ns = mem_alloc((r->graph.nodes + 1) * sizeof *w->base_at_ns);
    w->at_ns = mem_alloc((r->graph.nodes + 1) * sizeof *w->at_ns);
    w->weight_ns = mem_alloc((r->graph.edges + 1) * sizeof *w->weight_ns);
    graph_replay(&r->graph, NULL, w->base_at_ns);
    w->base_ns = whatif_window_ns(&w->window, r, w->base_at_ns);
    w->measured_ns = whatif_window_ns(&w->window, r, NULL);
}

void whatif_release(struct whatif *w)
{
    whatif_window_release(&w->window);
    mem_free(w->base_at_ns);
    mem_free(w->at_ns);
    mem_free(w->weight_ns);
    *w = (struct whatif){0};
}

double whatif_gain_ns(struct whatif *w, struct edits *e)
{
    edits_weights(e, w->weight_ns);
    graph_replay(&w->r->graph, w->weight_ns, w->at_ns);
    int64_t gain_ns = w->base_ns - whatif_window_ns(&w->window, w->r, w->at_ns);
    return (double)gain_ns / (double)(w->window.steps ? w->window.steps : 1);
}
