/*
 * What rules look at: one rank of a run, the steps of it that are kept (the window of
 * whatif.h), what its threads did in them as trees of calls, and what a recorder timed
 * without the tracer. Made once, read by all rules.
 */
#ifndef GAIT_EVIDENCE_EVIDENCE_H
#define GAIT_EVIDENCE_EVIDENCE_H

#include "analyze/analysis.h"
#include "evidence/edit_list.h"
#include "replay/whatif.h"

/* A span on a host thread in the window: operator, call, annotation, Python frame. */
struct host_op {
    int64_t span;             /* row of run->spans */
    int64_t begin_ns, end_ns; /* at most the end of the window */
    int32_t parent, next;     /* of the same thread: around it, after it in there; -1 */
    int32_t op_parent;        /* the nearest operator around it; -1: it is outermost */
    int32_t frame;            /* the nearest frame of the user's own source; -1 */
    enum span_kind kind;
    bool fetch;    /* it fetches a batch, or stands in what does */
    bool backward; /* it is work of the backward pass, or stands in such (sequences.h) */
};

struct outer_op;

struct host_thread {
    int32_t lane;
    struct host_op *op; /* (n) as they began, callers first */
    size_t n, cap;
    struct outer_op *outer; /* (n_outer) what the job's own code called (outer_ops.h) */
    size_t n_outer;
};

struct sequence;
struct watched;

struct launched_work {
    int32_t lane;
    int64_t call_begin_ns, span;
};

struct evidence {
    const struct run *run;
    const struct analysis *analysis;
    const struct analysis_rank *rank;
    int32_t rank_row;
    struct replay *replay;
    struct whatif whatif;

    struct host_thread *threads; /* (n_threads) */
    size_t n_threads;
    size_t main_thread; /* of threads; SIZE_MAX: none */

    size_t steps;          /* in the window; at least 1 */
    double step_ns;        /* what a step takes: rank->step; without steps, the window */
    bool untraced;         /* step_ns is without the tracer */
    double traced_step_ns; /* mean of the window, with the tracer */
    double event_cost_ns;  /* of the tracer, an event; 0: not known */
    double events;         /* host events a step */

    bool owns_replay;
    bool edits_only; /* what a rule would change is asked for, not what that gains */
    bool has_device, has_shapes, has_frames;
    struct sequence *owner;    /* (n_owners) autograd's numbers: forward (sequences.h) */
    struct sequence *backward; /* (n_backward) and backward */
    size_t n_owners, n_backward;
    struct launched_work
        *work; /* (n_work) device work by the lane and begin of its call */
    size_t n_work;
    uint16_t *sort;          /* (names) what operators of that name do (op_sort.h) */
    struct watched *watched; /* the data flow of other steps (watched.h); NULL: none */
    int64_t *usual_gap_ns;   /* (names) from an operator of that name to the next call */
    double median_gap_ns;    /* of all of them */
};

bool evidence_has_spans(const struct run *run, int32_t rank);

/* Of a rank that has spans to replay (findings_why_not()). The run and the analysis must
 * outlive it. */
struct evidence *evidence_new(const struct run *run, const struct analysis *analysis,
                              size_t rank_index);
/* All ranks run one program: a change of it is made on each of them, and what one of them
 * alone would gain it would wait for the others. Ask each of the others that has spans.
 */
void evidence_elsewhere(const struct evidence *e,
                        void (*ask)(void *to, const struct evidence *there), void *to);
void evidence_free(struct evidence *e); /* NULL is fine */

static inline const char *evidence_name(const struct evidence *e,
                                        const struct host_op *op)
{
    return run_name(e->run, e->run->spans.name[op->span]);
}

/* Does it fetch a batch itself? host_op.fetch is also of what stands in such. */
bool evidence_is_fetch(const struct evidence *e, const struct host_op *op);

static inline int64_t host_op_ns(const struct host_op *op)
{
    return op->end_ns - op->begin_ns;
}

/* "train.py:88" and "GPT/Block" around the op, as the recorder wrote them down; "" where
 * it did not. The text lives until the next call. */
const char *evidence_line(const struct evidence *e, const struct host_thread *t,
                          const struct host_op *op);

/* Device work that calls in [begin, end) of a lane launched: e->work[first..*last). */
size_t evidence_work(const struct evidence *e, int32_t lane, int64_t begin_ns,
                     int64_t end_ns, size_t *last);

/* Of a thread's time from begin to end, with the device work launched in it, keep stays.
 */
void evidence_edit_range(const struct evidence *e, struct edit_list *l, int32_t lane,
                         int64_t begin_ns, int64_t end_ns, double keep);

/* Take the op out (keep 0) or shorten it, with what it called and launched and, where
 * with_backward, with what autograd did for it in the backward pass. With keep 0 the
 * host's way to the next call goes too, as far as it is usual for this operator. */
void evidence_edit_op(const struct evidence *e, struct edit_list *l,
                      const struct host_thread *t, const struct host_op *op, double keep,
                      bool with_backward);

/* Of what was timed without the tracer: the median and the mean a step of `what` over the
 * recorded steps, in ns; NAN where nothing was. */
double evidence_timing_median(const struct evidence *e, enum timing_kind what);
double evidence_timing_mean(const struct evidence *e, enum timing_kind what);

/* What was seen in the traced steps, as the same part of the step that is told. */
static inline double evidence_of_step_ns(const struct evidence *e, double traced_ns)
{
    return e->traced_step_ns > 0 ? traced_ns * e->step_ns / e->traced_step_ns : 0;
}

/* Is it work of the rank's device? */
static inline bool evidence_is_device_work(const struct evidence *e, size_t span)
{
    int32_t lane = e->run->spans.lane[span];
    return lane >= 0 && e->run->lanes.rank[lane] == e->rank_row &&
           e->run->lanes.kind[lane] == LANE_KIND_DEVICE &&
           span_kind_is_device_work(e->run->spans.kind[span]);
}

/* How many of the thread's operators begin before this. */
size_t host_ops_before(const struct host_thread *t, int64_t at_ns);

/* The other way, measured by the recorder, beside the way the job does it: medians over
 * rounds, summed over what is replaced, each by the best of its other ways; in ns a step.
 * False where nothing was measured. */
bool evidence_replacement(const struct evidence *e, const char *rule, double *now_ns,
                          double *instead_ns);

#endif
