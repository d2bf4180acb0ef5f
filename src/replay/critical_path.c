#include "replay/critical_path.h"

#include "base/mem.h"
#include "base/saturate.h"

/* --- where nodes lie --- */

/* Of each node its lane, or -1, and its time in the run (the graph has its own clock). */
struct places {
    int32_t *lane;
    int64_t *run_ns;
};

static void set_place(struct places *p, uint32_t node, int32_t lane, int64_t run_ns)
{
    if (node == GRAPH_NONE)
        return;
    p->lane[node] = lane;
    p->run_ns[node] = run_ns;
}

static void places_init(struct places *p, const struct replay *r)
{
    const struct spans *s = &r->run->spans;
    p->lane = mem_alloc((r->graph.nodes + 1) * sizeof *p->lane);
    p->run_ns = mem_zalloc(r->graph.nodes + 1, sizeof *p->run_ns);
    for (size_t i = 0; i < r->graph.nodes; i++)
        p->lane[i] = -1;
    for (size_t t = 0; t < r->n_threads; t++) {
        const struct replay_thread *x = &r->threads[t];
        for (size_t i = 0; i < x->n; i++) {
            set_place(p, x->anchor[i].begin_node, x->lane, x->anchor[i].begin_ns);
            set_place(p, x->anchor[i].end_node, x->lane, x->anchor[i].end_ns);
        }
    }
    for (size_t i = 0; i < s->table.n; i++) {
        set_place(p, r->begin_node[i], s->lane[i], s->begin_ns[i]);
        set_place(p, r->end_node[i], s->lane[i],
                  add_saturated(s->begin_ns[i], s->dur_ns[i]));
    }
}

static void places_release(struct places *p)
{
    mem_free(p->lane);
    mem_free(p->run_ns);
}

/* --- the path --- */

/* Pieces are found from last to first; a piece that touches the one found before it is
 * the same stretch. */
static void add_piece(struct critical_path *p, int32_t lane, int64_t begin_ns,
                      int64_t end_ns)
{
    struct path_piece *later = p->n ? &p->piece[p->n - 1] : NULL;
    if (later && later->lane == lane && later->begin_ns <= end_ns) {
        later->begin_ns = begin_ns < later->begin_ns ? begin_ns : later->begin_ns;
        return;
    }
    vec_grow(p->piece, p->cap, p->n + 1);
    p->piece[p->n++] = (struct path_piece){lane, begin_ns, end_ns};
}

static void reverse_pieces(struct critical_path *p)
{
    for (size_t i = 0; i < p->n / 2; i++) {
        struct path_piece first = p->piece[i];
        p->piece[i] = p->piece[p->n - 1 - i];
        p->piece[p->n - 1 - i] = first;
    }
}

static void follow(struct critical_path *p, const struct whatif *w,
                   const int64_t *weight_ns, const int64_t *at_ns, uint32_t node)
{
    const struct graph *g = &w->r->graph;
    uint32_t begin = whatif_window_begin(&w->window, at_ns);
    int64_t begin_ns = at_ns[begin];
    struct places at;
    places_init(&at, w->r);
    while (node != begin && at_ns[node] > begin_ns) {
        uint32_t e = graph_cause(g, weight_ns, at_ns, node);
        if (e == GRAPH_NONE) { /* it stays where it was measured */
            p->kind_ns[GRAPH_EDGE_ROOT] += subtract_saturated(at_ns[node], begin_ns);
            break;
        }
        uint32_t src = g->src[e];
        int64_t from_ns = at_ns[src] > begin_ns ? at_ns[src] : begin_ns;
        p->kind_ns[g->kind[e]] += subtract_saturated(at_ns[node], from_ns);
        if (at.lane[src] >= 0 && at.lane[src] == at.lane[node] &&
            at.run_ns[src] <= at.run_ns[node])
            add_piece(p, at.lane[src], at.run_ns[src], at.run_ns[node]);
        node = src;
    }
    reverse_pieces(p);
    places_release(&at);
}

static void find_slack(struct critical_path *p, const struct whatif *w,
                       const int64_t *weight_ns, const int64_t *at_ns, uint32_t last)
{
    const struct replay *r = w->r;
    size_t n = r->run->spans.table.n;
    int64_t *latest_ns = mem_alloc((r->graph.nodes + 1) * sizeof *latest_ns);
    graph_latest(&r->graph, weight_ns, at_ns, last, latest_ns);
    p->slack_ns = mem_alloc((n + 1) * sizeof *p->slack_ns);
    for (size_t i = 0; i < n; i++) {
        uint32_t end = r->end_node[i];
        bool known = end != GRAPH_NONE && latest_ns[end] != GRAPH_NEVER;
        p->slack_ns[i] = known ? subtract_saturated(latest_ns[end], at_ns[end]) : -1;
    }
    mem_free(latest_ns);
}

void critical_path_init(struct critical_path *p, const struct whatif *w,
                        const int64_t *weight_ns, const int64_t *at_ns)
{
    *p = (struct critical_path){0};
    if (!at_ns)
        at_ns = w->base_at_ns;
    uint32_t last = whatif_window_end(&w->window, at_ns);
    if (last == GRAPH_NONE)
        return;
    p->window_ns = whatif_window_ns(&w->window, w->r, at_ns);
    follow(p, w, weight_ns, at_ns, last);
    find_slack(p, w, weight_ns, at_ns, last);
}

void critical_path_release(struct critical_path *p)
{
    mem_free(p->piece);
    mem_free(p->slack_ns);
    *p = (struct critical_path){0};
}
