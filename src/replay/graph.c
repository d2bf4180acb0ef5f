#include "replay/graph.h"

#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

#define EDGE_TEXT(v, text, inferred) text,
#define EDGE_INFERRED(v, text, inferred) inferred,
const char *const graph_edge_text[GRAPH_EDGE_COUNT] = {GRAPH_EDGE_LIST(EDGE_TEXT)};
const uint8_t graph_edge_inferred[GRAPH_EDGE_COUNT] = {GRAPH_EDGE_LIST(EDGE_INFERRED)};

void graph_init(struct graph *g)
{
    *g = (struct graph){0};
}

void graph_release(struct graph *g)
{
    mem_free(g->measured_ns);
    mem_free(g->src);
    mem_free(g->dst);
    mem_free(g->weight_ns);
    mem_free(g->kind);
    mem_free(g->first_in);
    mem_free(g->in);
    mem_free(g->order);
    *g = (struct graph){0};
}

uint32_t graph_node(struct graph *g, int64_t measured_ns)
{
    vec_grow(g->measured_ns, g->cap_nodes, g->nodes + 1);
    g->measured_ns[g->nodes] = measured_ns;
    return (uint32_t)g->nodes++;
}

uint32_t graph_edge(struct graph *g, enum graph_edge kind, uint32_t src, uint32_t dst,
                    int64_t weight_ns)
{
    if (g->edges == g->cap_edges) {
        size_t cap = g->cap_edges ? 2 * g->cap_edges : 1024;
        g->src = mem_resize(g->src, cap, sizeof *g->src);
        g->dst = mem_resize(g->dst, cap, sizeof *g->dst);
        g->weight_ns = mem_resize(g->weight_ns, cap, sizeof *g->weight_ns);
        g->kind = mem_resize(g->kind, cap, sizeof *g->kind);
        g->cap_edges = cap;
    }
    size_t e = g->edges++;
    g->src[e] = src;
    g->dst[e] = dst;
    g->weight_ns[e] = weight_ns;
    g->kind[e] = (uint8_t)kind;
    return (uint32_t)e;
}

/* Edges by one of their ends: by[first[n] .. first[n + 1]) are those of node n, in the
 * order in which they were added. */
static void index_edges(const struct graph *g, const uint32_t *end, uint32_t *first,
                        uint32_t *by)
{
    for (size_t n = 0; n <= g->nodes; n++)
        first[n] = 0;
    for (size_t e = 0; e < g->edges; e++)
        first[end[e] + 1]++;
    for (size_t n = 0; n < g->nodes; n++)
        first[n + 1] += first[n];
    for (size_t e = 0; e < g->edges; e++)
        by[first[end[e]]++] = (uint32_t)e;
    for (size_t n = g->nodes; n > 0; n--)
        first[n] = first[n - 1];
    first[0] = 0;
}

struct moment {
    int64_t measured_ns;
    uint32_t node;
};

static int compare_moment(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->measured_ns != y->measured_ns)
        return x->measured_ns < y->measured_ns ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static struct moment *moments_by_time(const struct graph *g)
{
    struct moment *m = mem_alloc((g->nodes + 1) * sizeof *m);
    for (size_t n = 0; n < g->nodes; n++)
        m[n] = (struct moment){g->measured_ns[n], (uint32_t)n};
    qsort(m, g->nodes, sizeof *m, compare_moment);
    return m;
}

struct sorter {
    struct graph *g;
    uint32_t *first_out, *out; /* edges by their source */
    uint32_t *missing;         /* (nodes) in-edges whose source has no place yet */
    uint8_t *placed;           /* (nodes) */
    size_t done;               /* of g->order */
};

static void place(struct sorter *s, uint32_t node)
{
    s->placed[node] = 1;
    s->g->order[s->done++] = node;
}

/* Whatever only waited for nodes that have a place gets one. */
static void place_followers(struct sorter *s, size_t from)
{
    for (size_t i = from; i < s->done; i++) {
        uint32_t node = s->g->order[i];
        for (uint32_t k = s->first_out[node]; k < s->first_out[node + 1]; k++) {
            uint32_t next = s->g->dst[s->out[k]];
            if (--s->missing[next] == 0 && !s->placed[next])
                place(s, next);
        }
    }
}

static void turn_off_unplaced(struct sorter *s, uint32_t node)
{
    struct graph *g = s->g;
    for (uint32_t k = g->first_in[node]; k < g->first_in[node + 1]; k++)
        if (!s->placed[g->src[g->in[k]]]) {
            g->weight_ns[g->in[k]] = GRAPH_OFF;
            g->circles++;
        }
}

static void sort_nodes(struct sorter *s)
{
    struct graph *g = s->g;
    for (size_t n = 0; n < g->nodes; n++)
        if (!s->missing[n])
            place(s, (uint32_t)n);
    place_followers(s, 0);
    if (s->done == g->nodes)
        return;
    struct moment *m = moments_by_time(g);
    for (size_t i = 0; i < g->nodes; i++) {
        if (s->placed[m[i].node])
            continue;
        size_t from = s->done;
        turn_off_unplaced(s, m[i].node);
        place(s, m[i].node);
        place_followers(s, from);
    }
    mem_free(m);
}

void graph_freeze(struct graph *g)
{
    g->first_in = mem_alloc((g->nodes + 1) * sizeof *g->first_in);
    g->in = mem_alloc((g->edges + 1) * sizeof *g->in);
    g->order = mem_alloc((g->nodes + 1) * sizeof *g->order);
    struct sorter s = {.g = g};
    s.first_out = mem_alloc((g->nodes + 1) * sizeof *s.first_out);
    s.out = mem_alloc((g->edges + 1) * sizeof *s.out);
    s.missing = mem_zalloc(g->nodes + 1, sizeof *s.missing);
    s.placed = mem_zalloc(g->nodes + 1, 1);
    index_edges(g, g->dst, g->first_in, g->in);
    index_edges(g, g->src, s.first_out, s.out);
    for (size_t e = 0; e < g->edges; e++)
        s.missing[g->dst[e]]++;
    sort_nodes(&s);
    mem_free(s.first_out);
    mem_free(s.out);
    mem_free(s.missing);
    mem_free(s.placed);
}

uint32_t graph_cause(const struct graph *g, const int64_t *weight_ns,
                     const int64_t *at_ns, uint32_t node)
{
    const int64_t *w = weight_ns ? weight_ns : g->weight_ns;
    int64_t best_ns = INT64_MIN;
    uint32_t best = GRAPH_NONE;
    for (uint32_t k = g->first_in[node]; k < g->first_in[node + 1]; k++) {
        uint32_t e = g->in[k];
        if (w[e] == GRAPH_OFF)
            continue;
        int64_t t = add_saturated(at_ns[g->src[e]], w[e]);
        if (best == GRAPH_NONE || t > best_ns) {
            best_ns = t;
            best = e;
        }
    }
    return best;
}

void graph_replay(const struct graph *g, const int64_t *weight_ns, int64_t *at_ns)
{
    const int64_t *w = weight_ns ? weight_ns : g->weight_ns;
    for (size_t i = 0; i < g->nodes; i++) {
        uint32_t node = g->order[i];
        uint32_t e = graph_cause(g, weight_ns, at_ns, node);
        at_ns[node] = e == GRAPH_NONE ? g->measured_ns[node]
                                      : add_saturated(at_ns[g->src[e]], w[e]);
    }
}

void graph_latest(const struct graph *g, const int64_t *weight_ns, const int64_t *at_ns,
                  uint32_t last, int64_t *latest_ns)
{
    const int64_t *w = weight_ns ? weight_ns : g->weight_ns;
    for (size_t n = 0; n < g->nodes; n++)
        latest_ns[n] = GRAPH_NEVER;
    latest_ns[last] = at_ns[last];
    for (size_t i = g->nodes; i-- > 0;) {
        uint32_t node = g->order[i];
        if (latest_ns[node] == GRAPH_NEVER)
            continue;
        for (uint32_t k = g->first_in[node]; k < g->first_in[node + 1]; k++) {
            uint32_t e = g->in[k], src = g->src[e];
            if (w[e] == GRAPH_OFF)
                continue;
            int64_t t = subtract_saturated(latest_ns[node], w[e]);
            latest_ns[src] = t < latest_ns[src] ? t : latest_ns[src];
        }
    }
}
