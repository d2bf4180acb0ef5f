/*
 * Changes to what a run did, as changes of its graph's weights. Everything here makes
 * something shorter, longer or independent; nothing moves a moment by hand.
 *
 * Host time is changed by interval of a thread: the host's own work in it and the calls
 * that stand in it are scaled; where nothing is left of it, its calls no longer wait and
 * the device work they launched is gone too. Where intervals overlap, the least that is
 * kept holds; device work that is changed twice is changed by each. So several
 * shortenings together gain no less than one of them.
 *
 * Legal order: edits_init, edits_host/edits_work/edits_unblock in any order,
 * edits_weights, edits_release.
 */
#ifndef GAIT_REPLAY_EDITS_H
#define GAIT_REPLAY_EDITS_H

#include "replay/replay.h"

/* Of the host's time on a lane from begin_ns to end_ns (as in the run), `keep` stays. */
struct host_edit {
    int32_t lane;
    int64_t begin_ns, end_ns;
    double keep;
};

enum call_edit { CALL_AS_IT_WAS, CALL_UNBLOCKED, CALL_GONE };

struct edits {
    const struct replay *r;
    struct host_edit *host; /* (n_host) */
    size_t n_host, cap_host;
    double *work_keep; /* (spans) of device work, what stays of its length; 1: all */
    uint8_t *call;     /* (spans) enum call_edit */
};

void edits_init(struct edits *e, const struct replay *r);
void edits_release(struct edits *e);

void edits_host(struct edits *e, int32_t lane, int64_t begin_ns, int64_t end_ns,
                double keep);
/* The whole span, on whatever lane: device work, or host time with all that it called and
 * launched. */
void edits_span(struct edits *e, int64_t span, double keep);
void edits_work(struct edits *e, int64_t span, double keep);
void edits_unblock(struct edits *e, int64_t call);

/* The host's intervals as pieces that do not overlap, lane by lane, in order; the caller
 * frees them with mem_free(). */
struct host_edit *edits_host_pieces(struct edits *e, size_t *n);

/* weight_ns (edges): for graph_replay(). */
void edits_weights(struct edits *e, int64_t *weight_ns);

#endif
