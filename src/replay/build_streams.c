/*
 * Device streams: work begins when the work before it on its stream has ended, plus the
 * typical gap, and when its launch is as long ago as a launch typically takes. Where less
 * was measured, it is that.
 */
#include "replay/builder.h"

#include "base/keyed_times.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/stats.h"

#include <stdlib.h>

/* Thresholds: docs/whatif.md, each with its reason. */
static const int64_t QUEUED_NS = 20000; /* so long before, work waited in the queue */
static const int64_t COPY_STAGED_NS = 20000; /* so late, a copy was staged by the host */
static const int64_t COPY_STAGED_GAPS = 3;
static const int64_t SLOW_LAUNCH_MEDIANS = 4;
static const int64_t SLOW_LAUNCH_NS = 30000;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static name_id name_of(const struct builder *b, int64_t row)
{
    return b->run->spans.name[row];
}

/* --- launches --- */

static void find_launches(struct builder *b)
{
    const struct edges *e = &b->run->edges;
    struct replay *r = b->r;
    for (size_t i = 0; i < e->table.n; i++) {
        int64_t call = e->src[i], work = e->dst[i];
        if (e->kind[i] != EDGE_KIND_LAUNCH || call < 0 || work < 0 ||
            b->run->lanes.rank[b->run->spans.lane[work]] != b->rank ||
            r->begin_node[call] == GRAPH_NONE)
            continue;
        if (r->launch[work] < 0 ||
            builder_begin_ns(b, call) < builder_begin_ns(b, r->launch[work]))
            r->launch[work] = call;
    }
}

struct launched {
    int64_t at_ns, place, row;
};

static int compare_launched(const void *a, const void *b)
{
    const struct launched *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void order_launches(struct builder *b, struct stream *s)
{
    struct launched *l = mem_alloc((s->n + 1) * sizeof *l);
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        int64_t call = b->r->launch[s->work[i]];
        if (call >= 0)
            l[n++] = (struct launched){builder_begin_ns(b, call), (int64_t)i, s->work[i]};
    }
    qsort(l, n, sizeof *l, compare_launched);
    s->by_launch = mem_alloc((n + 1) * sizeof *s->by_launch);
    for (size_t i = 0; i < n; i++)
        s->by_launch[i] = l[i].row;
    s->n_launched = n;
    mem_free(l);
}

int64_t stream_last_launched(const struct builder *b, const struct stream *s, int64_t t)
{
    size_t low = 0, high = s->n_launched;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (builder_begin_ns(b, b->r->launch[s->by_launch[mid]]) < t)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? s->by_launch[low - 1] : -1;
}

/* --- what is typical --- */

struct samples {
    int64_t *ns;
    size_t n, cap;
};

static void samples_add(struct samples *s, int64_t ns)
{
    vec_grow(s->ns, s->cap, s->n + 1);
    s->ns[s->n++] = ns;
}

static void sample_stream(const struct builder *b, const struct stream *s,
                          struct samples *latencies, struct samples *gaps)
{
    int64_t busy_until_ns = INT64_MIN;
    for (size_t i = 0; i < s->n; i++) {
        int64_t work = s->work[i], call = b->r->launch[work];
        int64_t begin_ns = builder_begin_ns(b, work);
        if (call >= 0) {
            if (busy_until_ns < builder_begin_ns(b, call))
                samples_add(latencies, begin_ns - builder_begin_ns(b, call));
            else if (busy_until_ns > builder_end_ns(b, call) + QUEUED_NS &&
                     begin_ns >= busy_until_ns)
                samples_add(gaps, begin_ns - busy_until_ns);
        }
        busy_until_ns = most(busy_until_ns, builder_end_ns(b, work));
    }
}

/* Durations of launching calls, by name. */
static void measure_launches(struct builder *b)
{
    struct keyed_time *l = mem_alloc((b->n_work + 1) * sizeof *l);
    uint8_t *seen = mem_zalloc(b->run->spans.table.n + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < b->n_work; i++) {
        int64_t call = b->r->launch[b->work[i]];
        if (call < 0 || seen[call])
            continue;
        seen[call] = 1;
        l[n++] = (struct keyed_time){name_of(b, call), builder_dur_ns(b, call)};
    }
    keyed_sort(l, n);
    struct keyed_group group;
    for (size_t at = 0; keyed_next(&group, l, n, &at);)
        b->times[group.key].launch_median_ns = keyed_median_ns(&group);
    mem_free(seen);
    mem_free(l);
}

static void measure_typical(struct builder *b)
{
    struct samples latencies = {0}, gaps = {0};
    for (size_t i = 0; i < b->n_streams; i++)
        sample_stream(b, &b->streams[i], &latencies, &gaps);
    b->launch_ns = latencies.n ? stats_median_int64(latencies.ns, latencies.n) : 0;
    b->gap_ns = gaps.n ? stats_median_int64(gaps.ns, gaps.n) : 0;
    b->r->tally.launch_ns = b->launch_ns;
    b->r->tally.gap_ns = b->gap_ns;
    mem_free(latencies.ns);
    mem_free(gaps.ns);
    measure_launches(b);
}

/* --- edges --- */

static void stream_edge(struct builder *b, int64_t before, int64_t work)
{
    struct replay *r = b->r;
    int64_t gap_ns = builder_begin_ns(b, work) - builder_end_ns(b, before);
    if (gap_ns < 0) { /* several at once on one stream, as graphs have them */
        builder_edge(b, GRAPH_EDGE_STREAM, r->begin_node[before], r->begin_node[work],
                     builder_begin_ns(b, work) - builder_begin_ns(b, before));
        return;
    }
    int64_t call = r->launch[work];
    bool same_launch = call >= 0 && r->launch[before] == call;
    bool keep = call < 0 || same_launch;
    builder_edge(b, GRAPH_EDGE_STREAM, r->end_node[before], r->begin_node[work],
                 keep ? gap_ns : least(gap_ns, b->gap_ns));
}

/* before: on the stream; -1: none. */
static void copy_launch_edge(struct builder *b, int64_t before, int64_t work)
{
    int64_t call = b->r->launch[work];
    int64_t delay_ns = builder_begin_ns(b, work) - builder_begin_ns(b, call);
    bool queued = before >= 0 && builder_end_ns(b, before) > builder_begin_ns(b, call);
    bool staged = !queued || builder_begin_ns(b, work) - builder_end_ns(b, before) >
                                 most(COPY_STAGED_NS, COPY_STAGED_GAPS * b->gap_ns);
    builder_edge(b, GRAPH_EDGE_LAUNCH, b->r->begin_node[call], b->r->begin_node[work],
                 staged ? delay_ns : least(delay_ns, b->launch_ns));
}

static void launch_edge(struct builder *b, int64_t before, int64_t work)
{
    struct replay *r = b->r;
    int64_t call = r->launch[work];
    int64_t usual_ns = b->times[name_of(b, call)].launch_median_ns;
    int64_t delay_ns = builder_begin_ns(b, work) - builder_begin_ns(b, call);
    if (b->run->spans.kind[work] == SPAN_KIND_COPY) {
        copy_launch_edge(b, before, work);
        return;
    }
    bool slow = builder_dur_ns(b, call) >
                most(SLOW_LAUNCH_MEDIANS * usual_ns, usual_ns + SLOW_LAUNCH_NS);
    int64_t after_ns = builder_begin_ns(b, work) - builder_end_ns(b, call);
    if (slow && builder_models(b, REPLAY_RULE_SLOW_LAUNCH) && after_ns >= -usual_ns)
        builder_edge(b, GRAPH_EDGE_LAUNCH, r->end_node[call], r->begin_node[work],
                     least(after_ns, b->launch_ns - usual_ns));
    else
        builder_edge(b, GRAPH_EDGE_LAUNCH, r->begin_node[call], r->begin_node[work],
                     least(delay_ns, b->launch_ns));
}

static void work_nodes(struct builder *b, int64_t work)
{
    struct replay *r = b->r;
    r->begin_node[work] = graph_node(&r->graph, builder_begin_ns(b, work));
    r->end_node[work] = graph_node(&r->graph, builder_end_ns(b, work));
    r->own_edge[work] = builder_edge(b, GRAPH_EDGE_WORK, r->begin_node[work],
                                     r->end_node[work], builder_dur_ns(b, work));
}

static void work_edges(struct builder *b, int64_t before, int64_t work)
{
    struct replay *r = b->r;
    int64_t call = r->launch[work];
    if (before >= 0)
        stream_edge(b, before, work);
    if (call < 0) {
        r->tally.without_launch++;
        if (before < 0)
            builder_edge(b, GRAPH_EDGE_ROOT, b->root, r->begin_node[work],
                         subtract_saturated(builder_begin_ns(b, work), b->offset_ns));
        return;
    }
    if (before < 0 || r->launch[before] != call)
        launch_edge(b, before, work);
}

/* The node at which work begins at this moment of the run; GRAPH_NONE. */
static uint32_t work_begins_at(const struct builder *b, int64_t begin_ns)
{
    for (size_t i = 0; i < b->n_streams; i++) {
        const struct stream *s = &b->streams[i];
        size_t low = 0, high = s->n;
        while (low < high) {
            size_t mid = low + (high - low) / 2;
            if (b->run->spans.begin_ns[s->work[mid]] < begin_ns)
                low = mid + 1;
            else
                high = mid;
        }
        if (low < s->n && b->run->spans.begin_ns[s->work[low]] == begin_ns)
            return b->r->begin_node[s->work[low]];
    }
    return GRAPH_NONE;
}

/* Steps found as the period of the kernels begin with work. */
static void device_steps(struct builder *b)
{
    struct replay *r = b->r;
    const struct steps *steps = &b->run->steps;
    if (b->run->ranks.step_method[b->rank] != STEP_METHOD_KERNEL_PERIOD)
        return;
    for (size_t i = 0; i < steps->table.n; i++) {
        if (steps->rank[i] != b->rank || steps->kept[i] != 1)
            continue;
        vec_grow(r->steps, r->cap_steps, r->n_steps + 1);
        r->steps[r->n_steps++] =
            (struct replay_step){(int32_t)i, work_begins_at(b, steps->begin_ns[i]),
                                 work_begins_at(b, steps->end_ns[i])};
    }
}

void build_streams(struct builder *b)
{
    find_launches(b);
    for (size_t i = 0; i < b->n_streams; i++)
        order_launches(b, &b->streams[i]);
    measure_typical(b);
    for (size_t i = 0; i < b->n_streams; i++)
        for (size_t k = 0; k < b->streams[i].n; k++)
            work_nodes(b, b->streams[i].work[k]);
    for (size_t i = 0; i < b->n_streams; i++)
        for (size_t k = 0; k < b->streams[i].n; k++)
            work_edges(b, k ? b->streams[i].work[k - 1] : -1, b->streams[i].work[k]);
    device_steps(b);
}
