/*
 * What a run would have done if … : the spans that a run keeps as a graph of moments
 * (graph.h), built so that its times come out of what had to wait for what.
 *
 * Kept as measured: host work between calls, the length of calls that do not block, the
 * length of device work. Not kept: when device work began (it begins when its stream is
 * free and its launch has had the typical latency) and how long blocking calls blocked
 * (until the work they wait for ends). Replayed unchanged, the graph must give the
 * measured times back; that is necessary and far from sufficient.
 *
 * What was inferred from times alone, and what could not be explained, is counted and
 * told beside every prediction (struct replay_tally). The rules of inference are listed
 * below; a test can switch each of them off. docs/whatif.md says what they are.
 */
#ifndef GAIT_REPLAY_REPLAY_H
#define GAIT_REPLAY_REPLAY_H

#include "replay/graph.h"
#include "run/run.h"

#include <stdbool.h>

/* E(VALUE, "what is modelled") */
#define REPLAY_RULE_LIST(E)                                                              \
    E(HANDOFF, "one thread goes on for another, as autograd's does for the main one")    \
    E(SYNC, "stream and device synchronisation waits for work")                          \
    E(EVENT_SYNC, "event synchronisation waits for work")                                \
    E(BLOCKING_COPY, "calls that copy block until the copy ends")                        \
    E(COPY_TAIL, "such a call returns as long after or before the copy's end as it did") \
    E(FREE, "freeing and allocating may wait for the device")                            \
    E(SLOW_LAUNCH, "work of a slow launch begins after it")                              \
    E(QUEUE, "a launch waits where the queue is full")                                   \
    E(RECORDED, "waits that the recording names come before any that are inferred")      \
    E(CROSS_STREAM, "work waits for work of another stream")                             \
    E(CONTENTION, "work waits for room beside large work of another stream")             \
    E(GRAPHS, "gaps beside launched graphs are work that was not recorded")              \
    E(BACKLOG, "a stream's first work may come from before the recording")               \
    E(COLLECTIVE, "collectives end together on all ranks")

#define REPLAY_RULE_VALUE(v, text) REPLAY_RULE_##v,
enum replay_rule { REPLAY_RULE_LIST(REPLAY_RULE_VALUE) REPLAY_RULE_COUNT };
extern const char *const replay_rule_text[REPLAY_RULE_COUNT];

struct replay_options {
    uint32_t without; /* bits 1 << enum replay_rule that are switched off; for tests */
    bool alone;       /* each rank by itself: no meetings of ranks */
};

/* How sure the graph is of itself. */
struct replay_tally {
    size_t edges[GRAPH_EDGE_COUNT];
    size_t recorded;        /* of these, what the recording names instead of times */
    size_t unexplained;     /* device work that began later than anything says */
    int64_t unexplained_ns; /* by so much in all */
    size_t without_launch;  /* device work whose launch was not recorded */
    int64_t launch_ns;      /* typical time from a launch to its work on a free stream */
    int64_t gap_ns;         /* and between queued work */
};

/* A host thread as the graph has it: calls and marks in order, with the host's own work
 * between them. */
/* At one moment they stand in this order: what was waited for comes first. */
enum replay_mark {
    REPLAY_MARK_NONE,
    REPLAY_MARK_HANDOFF_RESUME, /* `of`: number of the hand-off; the main thread goes on
                                 */
    REPLAY_MARK_HANDOFF_DONE,   /* the other thread ends */
    REPLAY_MARK_STEP_END,       /* `of`: row of run->steps */
    REPLAY_MARK_THREAD,         /* the first or last moment of the thread */
    REPLAY_MARK_STEP_BEGIN,     /* `of`: row of run->steps */
    REPLAY_MARK_HANDOFF_TAKE,   /* the other thread begins */
    REPLAY_MARK_HANDOFF_GIVE,   /* the main thread stops */
};

struct replay_anchor {
    int64_t begin_ns, end_ns; /* as in the run */
    int64_t span;             /* the call's row; -1: a mark */
    enum replay_mark mark;
    uint32_t of;
    uint32_t begin_node, end_node;
    uint32_t gap_edge; /* from the anchor before; GRAPH_NONE: the thread's first */
};

struct replay_thread {
    int32_t lane;
    uint32_t root_edge;           /* to its first anchor */
    struct replay_anchor *anchor; /* (n) */
    size_t n, cap;
};

struct replay_step {
    int32_t step; /* row of run->steps */
    uint32_t begin_node, end_node;
};

struct replay_rank {
    uint32_t root;     /* its first moment */
    int32_t main_lane; /* the thread that drives the steps; -1: none */
};

struct replay {
    const struct run *run;
    struct graph graph;
    int64_t *row;      /* (spans) rows by lane, then as they began, callers first */
    size_t *first_row; /* (lanes + 1) into row */
    uint32_t *begin_node, *end_node; /* (spans) of calls and device work; GRAPH_NONE */
    uint32_t *own_edge;              /* (spans) a call's own time, a work's length */
    int64_t *launch;                 /* (spans) the row of the call; -1 */
    int64_t *stands_in;              /* (spans) the call that a call stands in; -1 */
    struct replay_rank *ranks;       /* (ranks) */
    struct replay_thread *threads;   /* (n_threads) */
    size_t n_threads, cap_threads;
    struct replay_step *steps; /* (n_steps) those that the graph holds, by row */
    size_t n_steps, cap_steps;
    struct replay_tally tally; /* of all ranks; typical times of the last */
};

/* The run must outlive it. Free with replay_free(). options may be NULL. */
struct replay *replay_new(const struct run *run, const struct replay_options *options);
void replay_free(struct replay *r); /* NULL is fine */

/* The span of a row of run->collectives, or -1 where it is not kept. */
int64_t replay_collective_span(const struct replay *r, size_t collective);

/* Does the call wait for device work? */
bool replay_waits(const struct replay *r, int64_t call);

/* From the first moment to the last: as measured (at_ns NULL), or as replayed. */
int64_t replay_span_ns(const struct replay *r, const int64_t *at_ns);
int64_t replay_step_ns(const struct replay *r, size_t step, const int64_t *at_ns);

#endif
