/*
 * Replays graphs that are given as text, and prints when each ends, in ns, a line each:
 *
 *   replay_graph FILE
 *
 *   nodes N          a graph begins; its nodes are 0 … N - 1, all of them measured at 0
 *   SRC DST NS       an edge: DST comes no earlier than NS after SRC
 *
 * For oracles whose timelines are not in a format that Gait reads.
 */
#include "base/mem.h"
#include "replay/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void refuse(const char *path, size_t line, const char *why)
{
    fprintf(stderr, "replay_graph: %s:%zu: %s\n", path, line, why);
    exit(3);
}

static void print_end(struct graph *g)
{
    int64_t end_ns = 0;
    int64_t *at_ns = mem_alloc((g->nodes + 1) * sizeof *at_ns);
    graph_freeze(g);
    graph_replay(g, NULL, at_ns);
    for (size_t i = 0; i < g->nodes; i++)
        end_ns = at_ns[i] > end_ns ? at_ns[i] : end_ns;
    printf("%" PRId64 " circles %zu\n", end_ns, g->circles);
    mem_free(at_ns);
    graph_release(g);
}

int main(int argc, char **argv)
{
    char text[128];
    size_t line = 0, graphs = 0;
    struct graph g;
    FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!in) {
        fprintf(stderr, "usage: replay_graph FILE\n");
        return 2;
    }
    while (fgets(text, sizeof text, in)) {
        uint32_t src, dst;
        int64_t ns;
        size_t nodes;
        line++;
        if (sscanf(text, "nodes %zu", &nodes) == 1) {
            if (nodes >= GRAPH_NONE)
                refuse(argv[1], line, "too many nodes");
            if (graphs++)
                print_end(&g);
            graph_init(&g);
            for (size_t i = 0; i < nodes; i++)
                graph_node(&g, 0);
        } else if (sscanf(text, "%" SCNu32 " %" SCNu32 " %" SCNd64, &src, &dst, &ns) ==
                   3) {
            if (!graphs || src >= g.nodes || dst >= g.nodes)
                refuse(argv[1], line, "an edge between nodes that are not there");
            graph_edge(&g, GRAPH_EDGE_WORK, src, dst, ns);
        } else {
            refuse(argv[1], line, "neither \"nodes N\" nor \"SRC DST NS\"");
        }
    }
    if (graphs)
        print_end(&g);
    fclose(in);
    return 0;
}
