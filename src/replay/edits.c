#include "replay/edits.h"

#include "base/mem.h"
#include "base/stats.h"

#include <stdlib.h>

void edits_init(struct edits *e, const struct replay *r)
{
    size_t n = r->run->spans.table.n;
    *e = (struct edits){.r = r};
    e->work_keep = mem_alloc((n + 1) * sizeof *e->work_keep);
    e->call = mem_zalloc(n + 1, 1);
    for (size_t i = 0; i < n; i++)
        e->work_keep[i] = 1;
}

void edits_release(struct edits *e)
{
    mem_free(e->host);
    mem_free(e->work_keep);
    mem_free(e->call);
    *e = (struct edits){0};
}

void edits_host(struct edits *e, int32_t lane, int64_t begin_ns, int64_t end_ns,
                double keep)
{
    if (end_ns <= begin_ns)
        return;
    vec_grow(e->host, e->cap_host, e->n_host + 1);
    e->host[e->n_host++] = (struct host_edit){lane, begin_ns, end_ns, keep};
}

void edits_work(struct edits *e, int64_t span, double keep)
{
    e->work_keep[span] *= keep;
}

void edits_unblock(struct edits *e, int64_t call)
{
    e->call[call] = CALL_UNBLOCKED;
}

void edits_span(struct edits *e, int64_t span, double keep)
{
    const struct spans *s = &e->r->run->spans;
    if (e->r->run->lanes.kind[s->lane[span]] == LANE_KIND_DEVICE)
        edits_work(e, span, keep);
    else
        edits_host(e, s->lane[span], s->begin_ns[span],
                   s->begin_ns[span] + s->dur_ns[span], keep);
}

/* --- intervals of a lane without overlaps --- */

static int compare_edit(const void *a, const void *b)
{
    const struct host_edit *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

struct pieces {
    struct host_edit *piece; /* (n) in order, none overlaps another */
    size_t n, cap;
};

static void pieces_add(struct pieces *p, struct host_edit x)
{
    if (x.end_ns <= x.begin_ns)
        return;
    vec_grow(p->piece, p->cap, p->n + 1);
    p->piece[p->n++] = x;
}

/* Open intervals, that which keeps least on top; those that have ended go when they come
 * up. */
struct open_heap {
    const struct host_edit **edit;
    size_t n;
};

static void heap_swap(struct open_heap *h, size_t i, size_t k)
{
    const struct host_edit *edit = h->edit[i];
    h->edit[i] = h->edit[k];
    h->edit[k] = edit;
}

static void heap_push(struct open_heap *h, const struct host_edit *edit)
{
    size_t i = h->n++;
    h->edit[i] = edit;
    for (; i && h->edit[i]->keep < h->edit[(i - 1) / 2]->keep; i = (i - 1) / 2)
        heap_swap(h, i, (i - 1) / 2);
}

static void heap_pop(struct open_heap *h)
{
    heap_swap(h, 0, --h->n);
    for (size_t i = 0, least;; i = least) {
        least = i;
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < h->n; k++)
            if (h->edit[k]->keep < h->edit[least]->keep)
                least = k;
        if (least == i)
            return;
        heap_swap(h, i, least);
    }
}

/* Sweep over a lane's intervals, which stand in the order of begins, from one begin or
 * end to the next. */
static void cut_lane(const struct host_edit *edit, size_t n, struct pieces *out)
{
    struct open_heap open = {mem_alloc((n + 1) * sizeof(const struct host_edit *)), 0};
    int64_t *bound = mem_alloc((2 * n + 1) * sizeof *bound);
    for (size_t i = 0; i < n; i++) {
        bound[2 * i] = edit[i].begin_ns;
        bound[2 * i + 1] = edit[i].end_ns;
    }
    if (n)
        qsort(bound, 2 * n, sizeof *bound, compare_int64);
    for (size_t b = 0, i = 0; b + 1 < 2 * n; b++) {
        for (; i < n && edit[i].begin_ns <= bound[b]; i++)
            heap_push(&open, &edit[i]);
        while (open.n && open.edit[0]->end_ns <= bound[b])
            heap_pop(&open);
        if (open.n)
            pieces_add(out, (struct host_edit){edit[0].lane, bound[b], bound[b + 1],
                                               open.edit[0]->keep});
    }
    mem_free(bound);
    mem_free(open.edit);
}

/* --- host time --- */

/* How much of [from, to) is gone. */
static int64_t removed_ns(const struct pieces *p, size_t *first, int64_t from_ns,
                          int64_t to_ns)
{
    double gone = 0;
    while (*first < p->n && p->piece[*first].end_ns <= from_ns)
        (*first)++;
    for (size_t k = *first; k < p->n && p->piece[k].begin_ns < to_ns; k++) {
        const struct host_edit *x = &p->piece[k];
        int64_t begin_ns = x->begin_ns > from_ns ? x->begin_ns : from_ns;
        int64_t end_ns = x->end_ns < to_ns ? x->end_ns : to_ns;
        gone += (1 - x->keep) * (double)(end_ns - begin_ns);
    }
    return (int64_t)gone;
}

static void scale_edge(int64_t *weight_ns, double keep)
{
    if (*weight_ns != GRAPH_OFF && *weight_ns > 0)
        *weight_ns = (int64_t)((double)*weight_ns * keep);
}

/* What stays of a moment. */
static double keep_at(const struct pieces *p, size_t first, int64_t at_ns)
{
    for (size_t k = first; k < p->n && p->piece[k].begin_ns <= at_ns; k++)
        if (p->piece[k].end_ns > at_ns)
            return p->piece[k].keep;
    return 1;
}

static void edit_call(struct edits *e, int64_t *weight_ns, int64_t call, double keep)
{
    scale_edge(&weight_ns[e->r->own_edge[call]], keep);
    if (keep <= 0)
        e->call[call] = CALL_GONE;
}

static void edit_thread(struct edits *e, int64_t *weight_ns,
                        const struct replay_thread *t, const struct pieces *p)
{
    const struct graph *g = &e->r->graph;
    const struct replay_anchor *before = NULL;
    size_t first = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct replay_anchor *a = &t->anchor[i];
        int64_t *gap_ns = a->gap_edge == GRAPH_NONE ? NULL : &weight_ns[a->gap_edge];
        if (before && gap_ns && g->kind[a->gap_edge] == GRAPH_EDGE_HOST && *gap_ns > 0 &&
            before->end_ns <= a->begin_ns) {
            *gap_ns -= removed_ns(p, &first, before->end_ns, a->begin_ns);
            *gap_ns = *gap_ns > 0 ? *gap_ns : 0;
        }
        if (a->span >= 0) {
            double keep = keep_at(p, first, a->begin_ns);
            if (keep != 1)
                edit_call(e, weight_ns, a->span, keep);
        }
        if (!before || a->end_ns >= before->end_ns)
            before = a;
    }
}

struct host_edit *edits_host_pieces(struct edits *e, size_t *n)
{
    struct pieces all = {0};
    if (e->n_host)
        qsort(e->host, e->n_host, sizeof *e->host, compare_edit);
    for (size_t i = 0, end; i < e->n_host; i = end) {
        for (end = i; end < e->n_host && e->host[end].lane == e->host[i].lane; end++)
            ;
        cut_lane(e->host + i, end - i, &all);
    }
    *n = all.n;
    return all.piece;
}

/* The thread of each lane, NULL where it has none: a trace may have many thousands. */
static const struct replay_thread **threads_by_lane(const struct replay *r)
{
    const struct replay_thread **of =
        mem_zalloc(r->run->lanes.table.n + 1, sizeof(const struct replay_thread *));
    for (size_t t = 0; t < r->n_threads; t++)
        of[r->threads[t].lane] = &r->threads[t];
    return of;
}

static void edit_host(struct edits *e, int64_t *weight_ns)
{
    size_t n;
    struct host_edit *piece = edits_host_pieces(e, &n);
    const struct replay_thread **thread_of = threads_by_lane(e->r);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && piece[end].lane == piece[i].lane; end++)
            ;
        struct pieces lane = {piece + i, end - i, 0};
        const struct replay_thread *t = thread_of[piece[i].lane];
        if (t)
            edit_thread(e, weight_ns, t, &lane);
    }
    mem_free(thread_of);
    mem_free(piece);
}

/* --- device work --- */

/* Work whose launch is gone is gone. */
static void drop_launched(struct edits *e)
{
    const struct replay *r = e->r;
    for (size_t i = 0; i < r->run->spans.table.n; i++) {
        int64_t call = r->launch[i];
        if (call >= 0 && r->stands_in[call] >= 0)
            call = r->stands_in[call];
        if (call >= 0 && e->call[call] == CALL_GONE)
            e->work_keep[i] = 0;
    }
}

/* Nothing is left of it: it waits for its place on the stream and for nothing else. */
static void drop_work(const struct graph *g, int64_t *weight_ns, uint32_t begin)
{
    for (uint32_t k = g->first_in[begin]; k < g->first_in[begin + 1]; k++) {
        uint32_t edge = g->in[k];
        enum graph_edge kind = g->kind[edge];
        if (weight_ns[edge] == GRAPH_OFF)
            continue;
        if (kind == GRAPH_EDGE_CROSS_STREAM || kind == GRAPH_EDGE_CONTENTION ||
            kind == GRAPH_EDGE_OPAQUE)
            weight_ns[edge] = GRAPH_OFF;
        else if ((kind == GRAPH_EDGE_STREAM || kind == GRAPH_EDGE_LAUNCH) &&
                 weight_ns[edge] > 0)
            weight_ns[edge] = 0;
    }
}

static void edit_work(const struct edits *e, int64_t *weight_ns)
{
    const struct replay *r = e->r;
    const struct graph *g = &r->graph;
    for (size_t i = 0; i < r->run->spans.table.n; i++) {
        double keep = e->work_keep[i];
        if (keep == 1 || r->own_edge[i] == GRAPH_NONE)
            continue;
        scale_edge(&weight_ns[r->own_edge[i]], keep);
        uint32_t end = r->end_node[i];
        for (uint32_t k = g->first_in[end]; k < g->first_in[end + 1]; k++)
            if (g->kind[g->in[k]] == GRAPH_EDGE_COLLECTIVE)
                scale_edge(&weight_ns[g->in[k]], keep);
        if (keep <= 0)
            drop_work(g, weight_ns, r->begin_node[i]);
    }
}

static void edit_waits(const struct edits *e, int64_t *weight_ns)
{
    const struct replay *r = e->r;
    const struct graph *g = &r->graph;
    for (size_t i = 0; i < r->run->spans.table.n; i++) {
        if (e->call[i] == CALL_AS_IT_WAS || r->end_node[i] == GRAPH_NONE)
            continue;
        uint32_t end = r->end_node[i];
        for (uint32_t k = g->first_in[end]; k < g->first_in[end + 1]; k++)
            if (g->kind[g->in[k]] == GRAPH_EDGE_WAIT ||
                g->kind[g->in[k]] == GRAPH_EDGE_QUEUE)
                weight_ns[g->in[k]] = GRAPH_OFF;
    }
}

void edits_weights(struct edits *e, int64_t *weight_ns)
{
    const struct graph *g = &e->r->graph;
    for (size_t i = 0; i < g->edges; i++)
        weight_ns[i] = g->weight_ns[i];
    edit_host(e, weight_ns);
    drop_launched(e);
    edit_work(e, weight_ns);
    edit_waits(e, weight_ns);
}
