#include "replay/whatif.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "base/stats.h"

#include <math.h>

/* Leading steps that are longer than the median by this much are warm-up or compilation:
 * docs/whatif.md */
static const double WARM_UP_FRAC = 0.5;

static double step_ns(const struct run *run, int32_t step)
{
    return (double)run->steps.end_ns[step] - (double)run->steps.begin_ns[step];
}

/* Of all steps of the rank, kept or not. */
static double median_step_ns(const struct run *run, int32_t rank)
{
    double *ns = mem_alloc((run->steps.table.n + 1) * sizeof *ns);
    size_t n = 0;
    for (size_t i = 0; i < run->steps.table.n; i++)
        if (run->steps.rank[i] == rank)
            ns[n++] = step_ns(run, (int32_t)i);
    double median_ns = n ? stats_median(ns, n) : 0;
    mem_free(ns);
    return median_ns;
}

static bool is_usable(const struct replay *r, size_t i, int32_t rank)
{
    const struct replay_step *x = &r->steps[i];
    return r->run->steps.rank[x->step] == rank && x->begin_node != GRAPH_NONE &&
           x->end_node != GRAPH_NONE;
}

/* The series of kept steps around the most typical one: first, and one behind the
 * last, of r->steps. */
static void find_series(const struct replay *r, int32_t rank, size_t *first, size_t *end)
{
    double median_ns = median_step_ns(r->run, rank);
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
        if (!is_usable(r, *first - 1, rank) ||
            r->steps[*first - 1].step != r->steps[*first].step - 1)
            break;
    for (*end = best + 1; *end < r->n_steps; (*end)++)
        if (!is_usable(r, *end, rank) ||
            r->steps[*end].step != r->steps[*end - 1].step + 1)
            break;
    while (*first < best &&
           step_ns(r->run, r->steps[*first].step) > (1 + WARM_UP_FRAC) * median_ns)
        (*first)++;
}

static void add_end(struct whatif_window *w, size_t *cap, uint32_t node)
{
    vec_grow(w->end_node, *cap, w->n_end + 1);
    w->end_node[w->n_end++] = node;
}

/* Device work that was launched in the window, and of work without a launch what ended in
 * it. */
static void add_work(struct whatif_window *w, size_t *cap, const struct replay *r)
{
    const struct spans *s = &r->run->spans;
    for (size_t i = 0; i < s->table.n; i++) {
        if (r->begin_node[i] == GRAPH_NONE || r->run->lanes.rank[s->lane[i]] != w->rank ||
            r->run->lanes.kind[s->lane[i]] != LANE_KIND_DEVICE)
            continue;
        int64_t call = r->launch[i];
        int64_t at_ns = call >= 0 ? s->begin_ns[call] : s->begin_ns[i] + s->dur_ns[i];
        if (at_ns >= w->begin_ns && at_ns < w->end_ns)
            add_end(w, cap, r->end_node[i]);
    }
}

void whatif_window_init(struct whatif_window *w, const struct replay *r, int32_t rank)
{
    size_t first, end, cap = 0;
    *w = (struct whatif_window){.rank = rank, .begin_node = r->ranks[rank].root};
    find_series(r, rank, &first, &end);
    w->begin_ns = r->run->ranks.first_ns[rank];
    w->end_ns = add_saturated(r->run->ranks.last_ns[rank], 1);
    w->steps = end - first;
    if (w->steps) {
        w->begin_node = r->steps[first].begin_node;
        w->begin_ns = r->run->steps.begin_ns[r->steps[first].step];
        w->end_ns = r->run->steps.end_ns[r->steps[end - 1].step];
        add_end(w, &cap, r->steps[end - 1].end_node);
    } else {
        for (size_t t = 0; t < r->n_threads; t++) {
            const struct replay_thread *x = &r->threads[t];
            if (x->n && r->run->lanes.rank[x->lane] == rank)
                add_end(w, &cap, x->anchor[x->n - 1].end_node);
        }
    }
    add_work(w, &cap, r);
}

void whatif_window_release(struct whatif_window *w)
{
    mem_free(w->end_node);
    *w = (struct whatif_window){0};
}

int64_t whatif_window_ns(const struct whatif_window *w, const struct replay *r,
                         const int64_t *at_ns)
{
    const int64_t *t = at_ns ? at_ns : r->graph.measured_ns;
    int64_t end_ns = INT64_MIN;
    int64_t begin_ns = t[w->begin_node];
    for (size_t i = 0; i < w->n_end; i++)
        end_ns = t[w->end_node[i]] > end_ns ? t[w->end_node[i]] : end_ns;
    return w->n_end ? subtract_saturated(end_ns, begin_ns) : 0;
}

void whatif_init(struct whatif *w, const struct replay *r, int32_t rank)
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
