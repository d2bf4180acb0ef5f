/*
 * What a step would take. A prediction is what the replayed window of steps loses under
 * the edits, taken off the measured step: so what replay itself gets wrong cancels out
 * for the most part.
 *
 * The window is the steps of a rank that are kept one after another around the most
 * typical one, without those that warm up; its end is the later of the last step's mark
 * and the last device work that was launched in it. Where the device lags behind
 * the host, it lasts as long as the slower of both takes: the host from the first mark to
 * the last, the device from the end of the kernels of the step before to the end of the
 * last one's, so that neither what it had yet to do nor what it has still to do counts.
 */
#ifndef GAIT_REPLAY_WHATIF_H
#define GAIT_REPLAY_WHATIF_H

#include "analyze/analysis.h"
#include "replay/edits.h"

/* From the latest of some moments to the latest of others. */
struct whatif_stretch {
    uint32_t *begin_node, *end_node; /* (n_begin), (n_end) */
    size_t n_begin, n_end;           /* 0 ends: there is no such stretch */
};

struct whatif_window {
    int32_t rank;
    size_t steps;             /* 0: no steps are kept, the window is all that is */
    int64_t begin_ns, end_ns; /* as in the run: when the host asked for its work */
    struct whatif_stretch host;
    struct whatif_stretch device; /* only where the device lags behind the host */
};

/* Release with whatif_window_release(). */
void whatif_window_init(struct whatif_window *w, const struct replay *r,
                        const struct analysis_rank *rank);
void whatif_window_release(struct whatif_window *w);

/* Did the host ask in the window for what this span is? A call, a mark or an operator by
 * its own begin; device work by the begin of its launch, else by its end. */
bool whatif_window_asked(const struct whatif_window *w, const struct replay *r,
                         int64_t span);

/* Where it begins and ends: GRAPH_NONE where there is nothing. */
uint32_t whatif_window_begin(const struct whatif_window *w, const int64_t *at_ns);
uint32_t whatif_window_end(const struct whatif_window *w, const int64_t *at_ns);
int64_t whatif_window_ns(const struct whatif_window *w, const struct replay *r,
                         const int64_t *at_ns);

struct whatif {
    const struct replay *r;
    struct whatif_window window;
    int64_t *base_at_ns;        /* (nodes) replayed unchanged */
    int64_t base_ns;            /* the window, replayed unchanged */
    int64_t measured_ns;        /* the window, measured */
    int64_t *weight_ns, *at_ns; /* (edges), (nodes) of the last question */
};

void whatif_init(struct whatif *w, const struct replay *r,
                 const struct analysis_rank *rank);
void whatif_release(struct whatif *w);

/* How much a step loses; negative where it becomes longer. */
double whatif_gain_ns(struct whatif *w, struct edits *e);

#endif
