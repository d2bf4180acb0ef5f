/*
 * What a step would take. A prediction is what the replayed window of steps loses under
 * the edits, taken off the measured step: so what replay itself gets wrong cancels out
 * for the most part.
 *
 * The window is the steps of a rank that are kept one after another around the most
 * typical one, without those that warm up; its end is the later of the last step's mark
 * and the last device work that was launched in it. Removing or shortening work can only
 * make it shorter.
 */
#ifndef GAIT_REPLAY_WHATIF_H
#define GAIT_REPLAY_WHATIF_H

#include "replay/edits.h"

struct whatif_window {
    int32_t rank;
    size_t steps;             /* 0: no steps are kept, the window is all that is */
    int64_t begin_ns, end_ns; /* as in the run */
    uint32_t begin_node;
    uint32_t *end_node; /* (n_end) the latest of these is its end */
    size_t n_end;
};

/* Of this rank's row. Release with whatif_window_release(). */
void whatif_window_init(struct whatif_window *w, const struct replay *r, int32_t rank);
void whatif_window_release(struct whatif_window *w);

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

void whatif_init(struct whatif *w, const struct replay *r, int32_t rank);
void whatif_release(struct whatif *w);

/* How much a step loses; negative where it becomes longer. */
double whatif_gain_ns(struct whatif *w, struct edits *e);

#endif
