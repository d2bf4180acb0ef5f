#include "reduce/sweep_keep.h"

#include "base/mem.h"
#include "base/stats.h"
#include "reduce/sweep.h"
#include "reduce/sync_edges.h"
#include "spans/span_facts.h"

#include <math.h>
#include <stdlib.h>

/* --- which steps --- */

static void want_step(struct sweep_keep *k, size_t step)
{
    for (int i = 0; i < k->n_wanted; i++)
        if (k->wanted[i].step == step)
            return;
    if (k->n_wanted < KEEP_WANTED_MAX)
        k->wanted[k->n_wanted++] = (struct wanted_step){.step = step};
}

static void want_numbered(struct sweep *sw, const struct reduce_options *options)
{
    size_t n = options->n_keep_steps;
    n = n < REDUCE_KEEP_STEPS_MAX ? n : REDUCE_KEEP_STEPS_MAX;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < sw->clock.n; i++)
            if (sw->clock.step[i].number == options->keep_steps[k]) {
                want_step(&sw->keep, i);
                break;
            }
}

/* The step of median length (the nearest), the one behind it (what a step leaves undone
 * on a device shows in the next), the longest, the first. */
static void want_notable(struct sweep *sw)
{
    size_t n = sw->clock.n, typical = 0, slowest = 0;
    double *dur_ns = mem_alloc(n * sizeof *dur_ns);
    for (size_t i = 0; i < n; i++)
        dur_ns[i] = (double)(sw->clock.step[i].end_ns - sw->clock.step[i].begin_ns);
    double median_ns = stats_median(dur_ns, n);
    for (size_t i = 1; i < n; i++) {
        if (fabs(dur_ns[i] - median_ns) < fabs(dur_ns[typical] - median_ns))
            typical = i;
        if (dur_ns[i] > dur_ns[slowest])
            slowest = i;
    }
    mem_free(dur_ns);
    want_step(&sw->keep, typical);
    if (typical + 1 < n)
        want_step(&sw->keep, typical + 1);
    want_step(&sw->keep, slowest);
    want_step(&sw->keep, 0);
}

void sweep_keep_init(struct sweep *sw, const struct reduce_options *options)
{
    struct sweep_keep *k = &sw->keep;
    bool one = sw->run->ranks.step_method[sw->rank] == STEP_METHOD_RECORDING;
    *k = (struct sweep_keep){.budget = options->keep_spans,
                             .steps = one ? 0 : sw->clock.n,
                             .recent_step = -1,
                             .recent_wanted = -1};
    k->mode = (uint64_t)sw->merged->spans <= k->budget ? KEEP_ALL
              : k->steps                               ? KEEP_STEPS
                                                       : KEEP_FIRST;
    if (k->mode != KEEP_STEPS)
        return;
    want_numbered(sw, options);
    want_notable(sw);
}

void sweep_keep_release(struct sweep_keep *k)
{
    mem_free(k->kept.span);
    for (int i = 0; i < k->n_wanted; i++)
        mem_free(k->wanted[i].kept.span);
    *k = (struct sweep_keep){0};
}

/* --- while sweeping --- */

static void kept_add(struct kept_spans *k, const struct span *s, int64_t step)
{
    vec_grow(k->span, k->cap, k->n + 1);
    k->span[k->n] = *s;
    k->span[k->n++].step = (int32_t)step;
}

/* Only the longest `budget` of them; of equal ones those that began first. */
static void keep_longest(struct wanted_step *w, size_t budget)
{
    struct kept_spans *k = &w->kept;
    int64_t *dur_ns = mem_alloc(k->n * sizeof *dur_ns);
    size_t longer = 0, n = 0;
    for (size_t i = 0; i < k->n; i++)
        dur_ns[i] = k->span[i].dur_ns;
    w->floor_ns = stats_select_int64(dur_ns, k->n, k->n - budget);
    mem_free(dur_ns);
    for (size_t i = 0; i < k->n; i++)
        longer += k->span[i].dur_ns > w->floor_ns;
    size_t equal = budget - longer;
    for (size_t i = 0; i < k->n; i++) {
        int64_t d = k->span[i].dur_ns;
        if (d < w->floor_ns || (d == w->floor_ns && !equal))
            continue;
        equal -= d == w->floor_ns;
        k->span[n++] = k->span[i];
    }
    k->n = n;
}

static void wanted_add(struct sweep_keep *k, struct wanted_step *w, const struct span *s,
                       int64_t step)
{
    bool first_choice = w == k->wanted;
    if (w->too_large && (!first_choice || s->dur_ns <= w->floor_ns))
        return;
    kept_add(&w->kept, s, step);
    if (w->kept.n <= (first_choice ? KEEP_ALONE : 1) * k->budget)
        return;
    w->too_large = true;
    if (first_choice && w->kept.n >= (KEEP_ALONE + 1) * k->budget) {
        keep_longest(w, k->budget);
    } else if (!first_choice) {
        mem_free(w->kept.span);
        w->kept = (struct kept_spans){0};
    }
}

/* What began at the same time as the first that is left out goes too. */
static void first_add(struct sweep_keep *k, const struct span *s, int64_t step)
{
    if (k->full)
        return;
    if (k->kept.n < k->budget) {
        kept_add(&k->kept, s, step);
        return;
    }
    k->full = true;
    while (k->kept.n && k->kept.span[k->kept.n - 1].begin_ns >= s->begin_ns)
        k->kept.n--;
}

static void steps_add_span(struct sweep_keep *k, const struct span *s, int64_t step)
{
    if (step != k->recent_step) {
        k->recent_step = step;
        k->recent_wanted = -1;
        for (int i = 0; i < k->n_wanted; i++)
            if ((int64_t)k->wanted[i].step == step)
                k->recent_wanted = i;
    }
    if (k->recent_wanted >= 0)
        wanted_add(k, &k->wanted[k->recent_wanted], s, step);
}

void sweep_keep_maybe(struct sweep_keep *k, const struct span *s, int64_t step)
{
    if (k->mode == KEEP_STEPS)
        steps_add_span(k, s, step);
    else if (k->mode == KEEP_FIRST)
        first_add(k, s, step);
    else
        kept_add(&k->kept, s, step);
}

/* --- what stays --- */

static int compare_wanted(const void *a, const void *b)
{
    const struct wanted_step *x = a, *y = b;
    return (x->step > y->step) - (x->step < y->step);
}

/* Spans of the wanted steps that fit, the most telling first, in the order of time. */
static void choose_among_wanted(struct sweep *sw, size_t first_step)
{
    struct sweep_keep *k = &sw->keep;
    int32_t *kept = sw->run->steps.kept + first_step;
    size_t left = k->budget;
    bool alone = k->wanted[0].too_large;
    if (alone && k->wanted[0].kept.n > k->budget)
        keep_longest(&k->wanted[0], k->budget);
    for (int i = 0; i < k->n_wanted; i++) {
        struct wanted_step *w = &k->wanted[i];
        bool fits = i == 0 || (!alone && !w->too_large && w->kept.n <= left);
        if (!fits)
            w->kept.n = 0;
        left -= w->kept.n < left ? w->kept.n : left;
        kept[w->step] = !fits ? 0 : alone ? STEP_KEPT_LONGEST : STEP_KEPT_ALL;
    }
    qsort(k->wanted, (size_t)k->n_wanted, sizeof *k->wanted, compare_wanted);
    for (int i = 0; i < k->n_wanted; i++)
        for (size_t s = 0; s < k->wanted[i].kept.n; s++)
            kept_add(&k->kept, &k->wanted[i].kept.span[s],
                     k->wanted[i].kept.span[s].step);
}

/* By lane; on a lane the order stays, which is that of time. */
static void sort_by_lane(struct kept_spans *k, size_t lanes)
{
    size_t *at = mem_zalloc(lanes + 1, sizeof *at);
    struct span *sorted = mem_alloc((k->n + 1) * sizeof *sorted);
    for (size_t i = 0; i < k->n; i++)
        at[k->span[i].lane + 1]++;
    for (size_t i = 0; i < lanes; i++)
        at[i + 1] += at[i];
    for (size_t i = 0; i < k->n; i++)
        sorted[at[k->span[i].lane]++] = k->span[i];
    mem_free(k->span);
    mem_free(at);
    k->span = sorted;
    k->cap = k->n + 1;
}

struct launch_key {
    int64_t correlation;
    size_t row; /* of run->spans */
};

static int compare_launch(const void *a, const void *b)
{
    const struct launch_key *x = a, *y = b;
    if (x->correlation != y->correlation)
        return x->correlation < y->correlation ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static const struct launch_key *launch_find(const struct launch_key *key, size_t n,
                                            int64_t correlation)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (key[mid].correlation < correlation)
            low = mid + 1;
        else
            high = mid;
    }
    return low < n && key[low].correlation == correlation ? &key[low] : NULL;
}

/* Edges from launches to the device work they started, among what is kept. first: row of
 * kept span 0. */
static void add_edges(struct sweep *sw, size_t first)
{
    const struct kept_spans *k = &sw->keep.kept;
    struct launch_key *key = mem_alloc((k->n + 1) * sizeof *key);
    size_t keys = 0;
    for (size_t i = 0; i < k->n; i++)
        if (span_is_launch(&k->span[i], sw->lane[k->span[i].lane].kind))
            key[keys++] = (struct launch_key){k->span[i].correlation, first + i};
    if (keys)
        qsort(key, keys, sizeof *key, compare_launch);
    for (size_t i = 0; i < k->n; i++) {
        const struct span *s = &k->span[i];
        if (!s->correlation || sw->lane[s->lane].kind != LANE_KIND_DEVICE ||
            !span_is_device_work(s))
            continue;
        const struct launch_key *launch = launch_find(key, keys, s->correlation);
        if (launch)
            edges_add(&sw->run->edges, (struct edge){.kind = EDGE_KIND_LAUNCH,
                                                     .src = (int64_t)launch->row,
                                                     .dst = (int64_t)(first + i)});
    }
    mem_free(key);
}

static void add_spans(struct sweep *sw, size_t first_step)
{
    const struct kept_spans *k = &sw->keep.kept;
    for (size_t i = 0; i < k->n; i++) {
        struct span s = k->span[i];
        s.lane += (int32_t)sw->first_lane;
        s.step = s.step < 0 ? -1 : (int32_t)(first_step + (size_t)s.step);
        s.name = sweep_name(sw, s.name);
        s.shapes = sweep_name(sw, s.shapes);
        s.line = 0;
        spans_add(&sw->run->spans, s);
    }
}

void sweep_keep_finish(struct sweep *sw)
{
    struct sweep_keep *k = &sw->keep;
    struct run *run = sw->run;
    size_t first = run->spans.table.n, first_step = run->steps.table.n - sw->clock.n;
    if (k->mode == KEEP_STEPS)
        choose_among_wanted(sw, first_step);
    for (size_t i = 0; k->mode == KEEP_ALL && i < k->steps; i++)
        run->steps.kept[first_step + i] = STEP_KEPT_ALL;
    if (k->mode != KEEP_ALL)
        run_add_note(run, sw->rank, -1,
                     "%zu of %lld spans are kept in full (%s); sums are over all of them",
                     k->kept.n, (long long)sw->spans,
                     k->mode == KEEP_STEPS ? "those of telling steps"
                                           : "those that began first");
    sort_by_lane(&k->kept, sw->merged->n_lanes);
    size_t first_edge = run->edges.table.n;
    add_spans(sw, first_step);
    add_edges(sw, first);
    sync_edges_add(run, first, first_edge);
    run->ranks.spans_kept[sw->rank] = (int64_t)k->kept.n;
}
