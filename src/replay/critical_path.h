/*
 * What a window's length hangs on: from its end back along the edges that set each
 * moment, to its begin. What lies on this path and becomes shorter makes the window
 * shorter, until another path is as long; what lies beside it has slack.
 */
#ifndef GAIT_REPLAY_CRITICAL_PATH_H
#define GAIT_REPLAY_CRITICAL_PATH_H

#include "replay/whatif.h"

/* A stretch of the path on one lane, at the times of the run. */
struct path_piece {
    int32_t lane;
    int64_t begin_ns, end_ns;
};

struct critical_path {
    struct path_piece *piece; /* (n) first to last */
    size_t n, cap;
    int64_t kind_ns[GRAPH_EDGE_COUNT]; /* by what was waited for; they sum to window_ns */
    int64_t window_ns;                 /* as replayed */
    int64_t *slack_ns; /* (spans) how much longer each may take; -1: not in the graph */
};

/* Of the window as it was replayed with these weights; both NULL: unchanged. */
void critical_path_init(struct critical_path *p, const struct whatif *w,
                        const int64_t *weight_ns, const int64_t *at_ns);
void critical_path_release(struct critical_path *p);

#endif
