#include "replay/replay.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "replay/builder.h"
#include "replay/meet_ranks.h"

#include <stdlib.h>

#define RULE_TEXT(v, text) text,
const char *const replay_rule_text[REPLAY_RULE_COUNT] = {REPLAY_RULE_LIST(RULE_TEXT)};

/* --- what the builders share --- */

/* Further from 0 than any rank's times, near enough that sums and differences fit. */
static const int64_t TIME_MAX_NS = 2 * RUN_TIME_MAX_NS;

static int64_t clamp(int64_t ns)
{
    return ns > TIME_MAX_NS ? TIME_MAX_NS : ns < -TIME_MAX_NS ? -TIME_MAX_NS : ns;
}

int64_t builder_time(const struct builder *b, int64_t ns)
{
    return clamp(add_saturated(subtract_saturated(ns, b->origin_ns), b->offset_ns));
}

int64_t builder_begin_ns(const struct builder *b, int64_t span)
{
    return builder_time(b, b->run->spans.begin_ns[span]);
}

int64_t builder_end_ns(const struct builder *b, int64_t span)
{
    return builder_time(b, b->run->spans.begin_ns[span] + b->run->spans.dur_ns[span]);
}

int64_t builder_dur_ns(const struct builder *b, int64_t span)
{
    return b->run->spans.dur_ns[span];
}

size_t builder_ended_until(const struct builder *b, const int64_t *work, size_t n,
                           int64_t t)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (builder_end_ns(b, work[mid]) <= t)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

const char *builder_name(const struct builder *b, int64_t span)
{
    return run_name(b->run, b->run->spans.name[span]);
}

uint32_t builder_edge(struct builder *b, enum graph_edge kind, uint32_t src, uint32_t dst,
                      int64_t weight_ns)
{
    struct graph *g = &b->r->graph;
    size_t known = b->n_explained;
    vec_grow(b->explained_ns, b->cap_explained, g->nodes);
    for (; known < g->nodes; known++)
        b->explained_ns[known] = INT64_MIN;
    b->n_explained = known;
    int64_t at_ns = add_saturated(g->measured_ns[src], weight_ns);
    if (at_ns > b->explained_ns[dst])
        b->explained_ns[dst] = at_ns;
    b->r->tally.edges[kind]++;
    return graph_edge(g, kind, src, dst, weight_ns);
}

/* --- rows by lane --- */

struct lane_row {
    int64_t begin_ns, dur_ns, seq, row;
};

static int compare_lane_row(const void *a, const void *b)
{
    const struct lane_row *x = a, *y = b;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void sort_lane(const struct run *run, int64_t *row, size_t n)
{
    struct lane_row *l = mem_alloc((n + 1) * sizeof *l);
    bool sorted = true;
    for (size_t i = 0; i < n; i++) {
        l[i] = (struct lane_row){run->spans.begin_ns[row[i]], run->spans.dur_ns[row[i]],
                                 run->spans.seq[row[i]], row[i]};
        sorted = sorted && (!i || compare_lane_row(&l[i - 1], &l[i]) < 0);
    }
    if (!sorted) {
        qsort(l, n, sizeof *l, compare_lane_row);
        for (size_t i = 0; i < n; i++)
            row[i] = l[i].row;
    }
    mem_free(l);
}

static void index_rows(struct replay *r)
{
    const struct spans *s = &r->run->spans;
    size_t lanes = r->run->lanes.table.n;
    r->row = mem_alloc((s->table.n + 1) * sizeof *r->row);
    r->first_row = mem_zalloc(lanes + 2, sizeof *r->first_row);
    for (size_t i = 0; i < s->table.n; i++)
        r->first_row[s->lane[i] + 2]++;
    for (size_t i = 0; i < lanes; i++)
        r->first_row[i + 2] += r->first_row[i + 1];
    for (size_t i = 0; i < s->table.n; i++)
        r->row[r->first_row[s->lane[i] + 1]++] = (int64_t)i;
    for (size_t i = 0; i < lanes; i++)
        sort_lane(r->run, r->row + r->first_row[i],
                  r->first_row[i + 1] - r->first_row[i]);
}

/* --- building --- */

static void builder_release(struct builder *b)
{
    for (size_t i = 0; i < b->n_streams; i++) {
        mem_free(b->streams[i].work);
        mem_free(b->streams[i].by_launch);
    }
    mem_free(b->streams);
    mem_free(b->call);
    mem_free(b->nested);
    mem_free(b->nested_in);
    mem_free(b->times);
    mem_free(b->call_kind);
    mem_free(b->blocked);
    mem_free(b->work);
    mem_free(b->explained_ns);
}

/* (spans) The work that the recording says a call or work waits for, or -1; of several
 * the one that ended last. Both are of one rank. The caller frees it. */
static int64_t *find_recorded_waits(const struct run *run, uint32_t without)
{
    const struct edges *e = &run->edges;
    const struct spans *s = &run->spans;
    int64_t *waits_for = mem_alloc((s->table.n + 1) * sizeof *waits_for);
    for (size_t i = 0; i < s->table.n; i++)
        waits_for[i] = -1;
    for (size_t i = 0; i < e->table.n && !(without & 1u << REPLAY_RULE_RECORDED); i++) {
        int64_t work = e->src[i], then = e->dst[i];
        if (e->kind[i] != EDGE_KIND_SYNC || work < 0 || then < 0 ||
            run->lanes.rank[s->lane[work]] != run->lanes.rank[s->lane[then]])
            continue;
        int64_t known = waits_for[then];
        if (known < 0 || add_saturated(s->begin_ns[work], s->dur_ns[work]) >
                             add_saturated(s->begin_ns[known], s->dur_ns[known]))
            waits_for[then] = work;
    }
    return waits_for;
}

static void build_rank(struct replay *r, int32_t rank, uint32_t without,
                       int64_t offset_ns, const int64_t *waits_for)
{
    const struct run *run = r->run;
    struct builder b = {.r = r,
                        .run = run,
                        .without = without,
                        .rank = rank,
                        .origin_ns = run->ranks.first_ns[rank],
                        .offset_ns = offset_ns,
                        .waits_for = waits_for,
                        .first_thread = r->n_threads};
    b.times = mem_zalloc(run->names.n + 1, sizeof *b.times);
    b.call_kind = mem_zalloc(run->names.n + 1, sizeof *b.call_kind);
    b.blocked = mem_zalloc(run->spans.table.n + 1, 1);
    b.root = graph_node(&r->graph, offset_ns);
    build_collect(&b);
    r->ranks[rank] = (struct replay_rank){b.root, -1};
    if (b.main_thread != SIZE_MAX)
        r->ranks[rank].main_lane = r->threads[b.main_thread].lane;
    build_handoffs(&b);
    build_threads(&b);
    build_streams(&b);
    build_waits(&b);
    build_unexplained(&b);
    builder_release(&b);
}

struct replay *replay_new(const struct run *run, const struct replay_options *options)
{
    struct replay_options none = {0};
    options = options ? options : &none;
    struct replay *r = mem_zalloc(1, sizeof *r);
    size_t n = run->spans.table.n;
    r->run = run;
    graph_init(&r->graph);
    r->begin_node = mem_alloc((n + 1) * sizeof *r->begin_node);
    r->end_node = mem_alloc((n + 1) * sizeof *r->end_node);
    r->own_edge = mem_alloc((n + 1) * sizeof *r->own_edge);
    r->launch = mem_alloc((n + 1) * sizeof *r->launch);
    r->stands_in = mem_alloc((n + 1) * sizeof *r->stands_in);
    for (size_t i = 0; i < n; i++) {
        r->begin_node[i] = r->end_node[i] = r->own_edge[i] = GRAPH_NONE;
        r->launch[i] = r->stands_in[i] = -1;
    }
    r->ranks = mem_zalloc(run->ranks.table.n + 1, sizeof *r->ranks);
    index_rows(r);
    struct rank_meetings meetings;
    bool joint = !options->alone && run->ranks.table.n > 1 &&
                 !(options->without & 1u << REPLAY_RULE_COLLECTIVE);
    rank_meetings_init(&meetings, run, joint);
    int64_t *waits_for = find_recorded_waits(run, options->without);
    for (size_t i = 0; i < run->ranks.table.n; i++)
        build_rank(r, (int32_t)i, options->without, meetings.offset_ns[i], waits_for);
    mem_free(waits_for);
    rank_meetings_edges(&meetings, r);
    rank_meetings_release(&meetings);
    graph_freeze(&r->graph);
    return r;
}

void replay_free(struct replay *r)
{
    if (!r)
        return;
    graph_release(&r->graph);
    for (size_t i = 0; i < r->n_threads; i++)
        mem_free(r->threads[i].anchor);
    mem_free(r->threads);
    mem_free(r->ranks);
    mem_free(r->steps);
    mem_free(r->row);
    mem_free(r->first_row);
    mem_free(r->begin_node);
    mem_free(r->end_node);
    mem_free(r->own_edge);
    mem_free(r->launch);
    mem_free(r->stands_in);
    mem_free(r);
}

/* --- asking --- */

bool replay_waits(const struct replay *r, int64_t call)
{
    const struct graph *g = &r->graph;
    uint32_t end = r->end_node[call];
    if (end == GRAPH_NONE)
        return false;
    for (uint32_t k = g->first_in[end]; k < g->first_in[end + 1]; k++)
        if (g->kind[g->in[k]] == GRAPH_EDGE_WAIT)
            return true;
    return false;
}

int64_t replay_span_ns(const struct replay *r, const int64_t *at_ns)
{
    const int64_t *t = at_ns ? at_ns : r->graph.measured_ns;
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    for (size_t n = 0; n < r->graph.nodes; n++) {
        first_ns = t[n] < first_ns ? t[n] : first_ns;
        last_ns = t[n] > last_ns ? t[n] : last_ns;
    }
    return r->graph.nodes ? subtract_saturated(last_ns, first_ns) : 0;
}

int64_t replay_step_ns(const struct replay *r, size_t step, const int64_t *at_ns)
{
    const int64_t *t = at_ns ? at_ns : r->graph.measured_ns;
    const struct replay_step *s = &r->steps[step];
    if (s->begin_node == GRAPH_NONE || s->end_node == GRAPH_NONE)
        return -1;
    return subtract_saturated(t[s->end_node], t[s->begin_node]);
}

int64_t replay_collective_span(const struct replay *r, size_t collective)
{
    const struct collectives *c = &r->run->collectives;
    int32_t lane = c->lane[collective];
    if (lane < 0)
        return -1;
    size_t low = r->first_row[lane], high = r->first_row[lane + 1];
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (r->run->spans.begin_ns[r->row[mid]] < c->begin_ns[collective])
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < r->first_row[lane + 1]; low++) {
        int64_t row = r->row[low];
        if (r->run->spans.begin_ns[row] != c->begin_ns[collective])
            break;
        if (r->run->spans.kind[row] == SPAN_KIND_COLLECTIVE &&
            r->run->spans.dur_ns[row] == c->dur_ns[collective])
            return row;
    }
    return -1;
}
