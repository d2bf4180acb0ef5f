#include "replay/meet_ranks.h"

#include "analyze/rank_clocks.h"
#include "base/mem.h"
#include "base/saturate.h"

static void set_offsets(struct rank_meetings *m, const struct run *run)
{
    struct rank_clocks clocks;
    int64_t first_ns = INT64_MAX;
    rank_clocks_init(&clocks, run, &m->meetings);
    for (size_t i = 0; i < run->ranks.table.n; i++) {
        int64_t at_ns = add_saturated(run->ranks.base_ns[i], run->ranks.first_ns[i]);
        m->offset_ns[i] = add_saturated(at_ns, clocks.rank[i].shift_ns);
        first_ns = m->offset_ns[i] < first_ns ? m->offset_ns[i] : first_ns;
    }
    for (size_t i = 0; i < run->ranks.table.n; i++)
        m->offset_ns[i] = subtract_saturated(m->offset_ns[i], first_ns);
    rank_clocks_release(&clocks);
}

void rank_meetings_init(struct rank_meetings *m, const struct run *run, bool joint)
{
    *m = (struct rank_meetings){.joint = joint};
    m->offset_ns = mem_zalloc(run->ranks.table.n + 1, sizeof *m->offset_ns);
    if (!joint)
        return;
    meetings_init(&m->meetings, run);
    set_offsets(m, run);
}

void rank_meetings_release(struct rank_meetings *m)
{
    if (m->joint)
        meetings_release(&m->meetings);
    mem_free(m->offset_ns);
}

static void meet(struct replay *r, const int64_t *span, size_t n)
{
    struct graph *g = &r->graph;
    int64_t last_ns = INT64_MIN;
    for (size_t i = 0; i < n; i++) {
        int64_t begin_ns = g->measured_ns[r->begin_node[span[i]]];
        last_ns = begin_ns > last_ns ? begin_ns : last_ns;
    }
    uint32_t all_here = graph_node(g, last_ns);
    for (size_t i = 0; i < n; i++) {
        uint32_t end = r->end_node[span[i]];
        int64_t transfer_ns = g->measured_ns[end] - last_ns;
        g->weight_ns[r->own_edge[span[i]]] = 0; /* waiting is not transfer */
        graph_edge(g, GRAPH_EDGE_COLLECTIVE, r->begin_node[span[i]], all_here, 0);
        graph_edge(g, GRAPH_EDGE_COLLECTIVE, all_here, end,
                   transfer_ns > 0 ? transfer_ns : 0);
    }
    r->tally.edges[GRAPH_EDGE_COLLECTIVE] += 2 * n;
}

void rank_meetings_edges(const struct rank_meetings *m, struct replay *r)
{
    if (!m->joint)
        return;
    for (size_t i = 0; i < m->meetings.n; i++) {
        const struct meeting *x = &m->meetings.meeting[i];
        int64_t *span = mem_alloc((x->n + 1) * sizeof *span);
        size_t n = 0;
        for (uint32_t k = 0; k < x->n; k++) {
            int64_t row = replay_collective_span(r, m->meetings.row[x->first + k]);
            if (row >= 0 && r->begin_node[row] != GRAPH_NONE)
                span[n++] = row;
        }
        if (n > 1 && !x->rooted)
            meet(r, span, n);
        mem_free(span);
    }
}
