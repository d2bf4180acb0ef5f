/*
 * Device work that began later than its stream and its launch explain. Either it waited
 * for another stream, or it found no room beside large work of another stream, or work
 * that was not recorded ran before it (launched graphs), or it comes from before the
 * recording. What is left is counted: it is what the graph does not know.
 */
#include "replay/builder.h"

#include "base/mem.h"

/* Thresholds: docs/whatif.md, each with its reason. */
static const int64_t LATE_NS = 5000;          /* later than explained by so much */
static const int64_t CROSS_WINDOW_NS = 30000; /* the other stream's work ended so near */
static const int64_t CROSS_LATENCY_MAX_NS = 10000;
static const int64_t CONTENTION_NS = 150000; /* so near to the end of the other work */
static const double CONTENTION_FRAC = 0.3;
static const int64_t BACKLOG_NS = 100000;

struct late {
    struct builder *b;
    const struct stream *stream;
    size_t place; /* on the stream */
    int64_t work;
    int64_t before;       /* on the stream; -1 */
    int64_t explained_ns; /* when it could have begun */
    int64_t begin_ns;
    const int64_t *graph_launch_ns; /* (n_graph_launches) without any recorded work */
    size_t n_graph_launches;
};

static const struct stream *stream_of(const struct builder *b, int64_t work)
{
    int32_t lane = b->run->spans.lane[work];
    for (size_t i = 0; i < b->n_streams; i++)
        if (b->streams[i].lane == lane)
            return &b->streams[i];
    return NULL;
}

static void cross_stream_edge(const struct late *l, int64_t other)
{
    struct replay *r = l->b->r;
    int64_t latency_ns = l->begin_ns - builder_end_ns(l->b, other);
    builder_edge(l->b, GRAPH_EDGE_CROSS_STREAM, r->end_node[other],
                 r->begin_node[l->work],
                 latency_ns < CROSS_LATENCY_MAX_NS ? latency_ns : CROSS_LATENCY_MAX_NS);
}

/* The recording says what it waited for, late or not. */
static void recorded_wait(struct late *l)
{
    struct builder *b = l->b;
    int64_t other = b->waits_for[l->work];
    if (other < 0 || l->begin_ns < builder_end_ns(b, other) ||
        b->r->end_node[other] == GRAPH_NONE)
        return;
    cross_stream_edge(l, other);
    b->r->tally.recorded++;
}

static bool waited_for_stream(struct late *l)
{
    struct builder *b = l->b;
    if (!builder_models(b, REPLAY_RULE_CROSS_STREAM) || b->n_streams < 2)
        return false;
    for (size_t i = builder_ended_until(b, b->work, b->n_work, l->begin_ns); i-- > 0;) {
        int64_t other = b->work[i], end_ns = builder_end_ns(b, other);
        if (end_ns < l->begin_ns - CROSS_WINDOW_NS)
            return false;
        const struct stream *s = stream_of(b, other);
        if (s == l->stream || s->device != l->stream->device || end_ns <= l->explained_ns)
            continue;
        cross_stream_edge(l, other);
        return true;
    }
    return false;
}

/* The work of a stream that runs at t; -1: none. */
static int64_t running_at(const struct builder *b, const struct stream *s, int64_t t)
{
    size_t low = 0, high = s->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (builder_begin_ns(b, s->work[mid]) <= t)
            low = mid + 1;
        else
            high = mid;
    }
    if (!low)
        return -1;
    int64_t work = s->work[low - 1];
    return builder_begin_ns(b, work) < t && builder_end_ns(b, work) > t ? work : -1;
}

static bool found_no_room(struct late *l)
{
    struct builder *b = l->b;
    int64_t best = -1;
    if (!builder_models(b, REPLAY_RULE_CONTENTION))
        return false;
    for (size_t i = 0; i < b->n_streams; i++) {
        const struct stream *s = &b->streams[i];
        if (s == l->stream || s->device != l->stream->device)
            continue;
        int64_t other = running_at(b, s, l->begin_ns);
        /* a collective waits, it does not fill the device */
        if (other < 0 || b->run->spans.kind[other] == SPAN_KIND_COLLECTIVE)
            continue;
        int64_t near_ns = (int64_t)(CONTENTION_FRAC * (double)builder_dur_ns(b, other));
        near_ns = near_ns > CONTENTION_NS ? near_ns : CONTENTION_NS;
        if (builder_end_ns(b, other) - l->begin_ns < near_ns &&
            (best < 0 || builder_end_ns(b, other) < builder_end_ns(b, best)))
            best = other;
    }
    if (best < 0)
        return false;
    builder_edge(b, GRAPH_EDGE_CONTENTION, b->r->end_node[best],
                 b->r->begin_node[l->work], l->begin_ns - builder_end_ns(b, best));
    return true;
}

static bool is_graph_launch(const struct builder *b, int64_t work)
{
    int64_t call = b->r->launch[work];
    return call >= 0 && b->call_kind[b->run->spans.name[call]] == CALL_KIND_GRAPH_LAUNCH;
}

/* Was a graph whose work is not recorded launched between the two? */
static bool hidden_graph_between(const struct late *l)
{
    const struct builder *b = l->b;
    int64_t call = b->r->launch[l->work], call_before = b->r->launch[l->before];
    if (call < 0)
        return false;
    int64_t from_ns = call_before >= 0 ? builder_begin_ns(b, call_before) : b->offset_ns;
    for (size_t i = 0; i < l->n_graph_launches; i++)
        if (l->graph_launch_ns[i] >= from_ns)
            return l->graph_launch_ns[i] < builder_begin_ns(b, call);
    return false;
}

static bool after_hidden_work(struct late *l)
{
    struct builder *b = l->b;
    if (!builder_models(b, REPLAY_RULE_GRAPHS) || l->before < 0)
        return false;
    if (!is_graph_launch(b, l->before) && !is_graph_launch(b, l->work) &&
        !hidden_graph_between(l))
        return false;
    builder_edge(b, GRAPH_EDGE_OPAQUE, b->r->end_node[l->before],
                 b->r->begin_node[l->work], l->begin_ns - builder_end_ns(b, l->before));
    return true;
}

static bool from_before(struct late *l)
{
    struct builder *b = l->b;
    if (!builder_models(b, REPLAY_RULE_BACKLOG) || l->place > 0 ||
        l->begin_ns - l->explained_ns <= BACKLOG_NS)
        return false;
    builder_edge(b, GRAPH_EDGE_BACKLOG, b->root, b->r->begin_node[l->work],
                 l->begin_ns - b->offset_ns);
    return true;
}

static void explain(struct late *l)
{
    struct builder *b = l->b;
    l->before = l->place ? l->stream->work[l->place - 1] : -1;
    l->begin_ns = builder_begin_ns(b, l->work);
    recorded_wait(l);
    l->explained_ns = b->explained_ns[b->r->begin_node[l->work]];
    int64_t late_ns = l->begin_ns - l->explained_ns;
    if (l->explained_ns == INT64_MIN || late_ns <= LATE_NS)
        return;
    if (waited_for_stream(l) || found_no_room(l) || after_hidden_work(l) ||
        from_before(l))
        return;
    b->r->tally.unexplained++;
    b->r->tally.unexplained_ns += late_ns;
}

/* Begins of graph launches that have no work, in order. The caller frees it. */
static int64_t *hidden_graphs(const struct builder *b, size_t *n)
{
    uint8_t *launches = mem_zalloc(b->run->spans.table.n + 1, 1);
    int64_t *at_ns = mem_alloc((b->n_calls + 1) * sizeof *at_ns);
    *n = 0;
    for (size_t i = 0; i < b->n_work; i++)
        if (b->r->launch[b->work[i]] >= 0)
            launches[b->r->launch[b->work[i]]] = 1;
    for (size_t i = 0; i < b->n_calls; i++)
        if (!launches[b->call[i]] &&
            b->call_kind[b->run->spans.name[b->call[i]]] == CALL_KIND_GRAPH_LAUNCH)
            at_ns[(*n)++] = builder_begin_ns(b, b->call[i]);
    mem_free(launches);
    return at_ns;
}

void build_unexplained(struct builder *b)
{
    struct late l = {.b = b};
    int64_t *graphs = hidden_graphs(b, &l.n_graph_launches);
    l.graph_launch_ns = graphs;
    for (size_t i = 0; i < b->n_streams; i++)
        for (size_t k = 0; k < b->streams[i].n; k++) {
            l.stream = &b->streams[i];
            l.place = k;
            l.work = b->streams[i].work[k];
            explain(&l);
        }
    mem_free(graphs);
}
