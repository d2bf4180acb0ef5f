/* What the parts that build a rank's graph share. Private to replay. */
#ifndef GAIT_REPLAY_BUILDER_H
#define GAIT_REPLAY_BUILDER_H

#include "replay/call_kind.h"
#include "replay/replay.h"

/* A device stream: its work in the order of begins. */
struct stream {
    int32_t lane, device;
    int64_t *work; /* (n) rows of spans */
    size_t n;
    int64_t
        *by_launch; /* (n_launched) rows that have a launch, in the order of launches */
    size_t n_launched;
};

/* Times of all calls of one name. */
struct call_times {
    int64_t low_ns, median_ns; /* the tenth part is no longer than low_ns */
    int64_t launch_median_ns;  /* of those that launched something; 0: none */
};

struct builder {
    struct replay *r;
    const struct run *run;
    uint32_t without;
    int32_t rank;
    int64_t
        origin_ns; /* of the run's times of this rank; the graph's begin at offset_ns */
    int64_t offset_ns;
    uint32_t root;
    size_t first_thread; /* r->threads from here on are this rank's */
    size_t main_thread;  /* of r->threads; SIZE_MAX: none */
    uint32_t handoffs;
    int32_t step_lane;      /* that marks the steps; -1 */
    struct stream *streams; /* (n_streams) */
    size_t n_streams, cap_streams;
    int64_t *call; /* (n_calls) rows of all calls that stand on their own, by begin */
    size_t n_calls, cap_calls;
    int64_t *nested, *nested_in; /* (n_nested) calls inside others, and those */
    size_t n_nested, cap_nested, cap_nested_in;
    struct call_times *times;  /* (names) by name id */
    enum call_kind *call_kind; /* (names) by name id */
    uint8_t *blocked;          /* (spans) calls that wait for work */
    const int64_t *waits_for;  /* (spans) work that the recording says it waits for; -1 */
    int64_t *work;             /* (n_work) all device work, by end */
    size_t n_work;
    int64_t launch_ns, gap_ns; /* typical */
    int64_t *explained_ns;     /* (nodes) the latest that an edge so far asks for */
    size_t n_explained, cap_explained;
};

static inline bool builder_models(const struct builder *b, enum replay_rule rule)
{
    return !(b->without & 1u << rule);
}

/* On the graph's clock. */
int64_t builder_time(const struct builder *b, int64_t ns);
int64_t builder_begin_ns(const struct builder *b, int64_t span);
int64_t builder_end_ns(const struct builder *b, int64_t span);
int64_t builder_dur_ns(const struct builder *b, int64_t span);
/* How many of work[0..n), which stand in the order of ends, ended at or before t. */
size_t builder_ended_until(const struct builder *b, const int64_t *work, size_t n,
                           int64_t t);
const char *builder_name(const struct builder *b, int64_t span);

uint32_t builder_edge(struct builder *b, enum graph_edge kind, uint32_t src, uint32_t dst,
                      int64_t weight_ns);

/* Add a mark to a thread, whose anchors are in no order yet. */
void builder_mark(struct replay_thread *t, int64_t at_ns, enum replay_mark mark,
                  uint32_t of);

/* The parts, in the order in which they are called. */
void build_collect(struct builder *b);     /* build_collect.c: calls, work, marks */
void build_handoffs(struct builder *b);    /* build_handoffs.c: marks of them */
void build_threads(struct builder *b);     /* build_threads.c: nodes of calls and marks */
void build_streams(struct builder *b);     /* build_streams.c: nodes of device work */
void build_waits(struct builder *b);       /* build_waits.c: how calls end */
void build_queue(struct builder *b);       /* build_queue.c: of them, where it is full */
void build_unexplained(struct builder *b); /* build_unexplained.c: late work */

/* Of a stream, the last work whose launch began before t; -1: none. */
int64_t stream_last_launched(const struct builder *b, const struct stream *s, int64_t t);

#endif
