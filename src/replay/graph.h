/*
 * A graph of moments: a node is the begin or the end of something, an edge says that its
 * target comes no earlier than `weight_ns` after its source. Replaying gives each node
 * the earliest time its edges allow, from the nodes that wait for nothing and stay where
 * they were measured.
 *
 * Weights may be negative (a copy's call returns before the copy ends). Edges that close
 * a circle are turned off when the graph is frozen, those into the earliest moments
 * first, and counted.
 *
 * Legal order: graph_init, graph_node/graph_edge, graph_freeze, graph_replay and
 * graph_latest in any number, graph_release.
 */
#ifndef GAIT_REPLAY_GRAPH_H
#define GAIT_REPLAY_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#define GRAPH_NONE UINT32_MAX /* no node, no edge */
#define GRAPH_OFF INT64_MIN   /* the weight of an edge that does not hold */
#define GRAPH_NEVER INT64_MAX /* the latest time of a node that nothing waits for */

/* E(VALUE, "what it says", was it inferred from times alone?) */
#define GRAPH_EDGE_LIST(E)                                                               \
    E(ROOT, "stays where it was measured", 0)                                            \
    E(HOST, "host work between calls", 0)                                                \
    E(CALL, "a call's own time", 0)                                                      \
    E(NESTED, "a call inside another", 0)                                                \
    E(HANDOFF, "one thread goes on for another", 1)                                      \
    E(WORK, "device work", 0)                                                            \
    E(STREAM, "order on a stream", 0)                                                    \
    E(LAUNCH, "launch to work", 0)                                                       \
    E(WAIT, "a blocking call waits for work", 1)                                         \
    E(QUEUE, "a launch waits for room in the queue", 1)                                  \
    E(CROSS_STREAM, "work waits for another stream", 1)                                  \
    E(CONTENTION, "work waits for room beside another stream's", 1)                      \
    E(OPAQUE, "device work that was not recorded", 1)                                    \
    E(BACKLOG, "work from before the recording", 1)                                      \
    E(COLLECTIVE, "all ranks meet", 0)

#define GRAPH_EDGE_VALUE(v, text, inferred) GRAPH_EDGE_##v,
enum graph_edge { GRAPH_EDGE_LIST(GRAPH_EDGE_VALUE) GRAPH_EDGE_COUNT };
extern const char *const graph_edge_text[GRAPH_EDGE_COUNT];
extern const uint8_t graph_edge_inferred[GRAPH_EDGE_COUNT];

struct graph {
    int64_t *measured_ns; /* (nodes) */
    size_t nodes, cap_nodes;

    uint32_t *src, *dst; /* (edges) */
    int64_t *weight_ns;  /* (edges) or GRAPH_OFF */
    uint8_t *kind;       /* (edges) enum graph_edge */
    size_t edges, cap_edges;

    /* Since graph_freeze(): */
    uint32_t *first_in; /* (nodes + 1) into in */
    uint32_t *in;       /* (edges) edges by their target */
    uint32_t *order;    /* (nodes) sources before targets */
    size_t circles;     /* edges that were turned off */
};

void graph_init(struct graph *g);
void graph_release(struct graph *g);

uint32_t graph_node(struct graph *g, int64_t measured_ns);
uint32_t graph_edge(struct graph *g, enum graph_edge kind, uint32_t src, uint32_t dst,
                    int64_t weight_ns);

/* No nodes and edges after this. */
void graph_freeze(struct graph *g);

/* at_ns (nodes): when each comes, with these weights (edges); NULL: the graph's own. */
void graph_replay(const struct graph *g, const int64_t *weight_ns, int64_t *at_ns);

/* latest_ns (nodes): how late each may come without moving `last`; GRAPH_NEVER where
 * `last` does not wait for it. at_ns: of graph_replay() with the same weights. */
void graph_latest(const struct graph *g, const int64_t *weight_ns, const int64_t *at_ns,
                  uint32_t last, int64_t *latest_ns);

/* The edge that sets a node's time, or GRAPH_NONE: followed back from a node, these are
 * its critical path. */
uint32_t graph_cause(const struct graph *g, const int64_t *weight_ns,
                     const int64_t *at_ns, uint32_t node);

#endif
