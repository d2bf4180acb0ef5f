/*
 * Ranks of one job in one graph: a collective ends on all its ranks together, so long
 * after the last of them began as its transfer takes. Private to replay.
 */
#ifndef GAIT_REPLAY_MEET_RANKS_H
#define GAIT_REPLAY_MEET_RANKS_H

#include "analyze/meetings.h"
#include "replay/replay.h"

struct rank_meetings {
    bool joint;
    int64_t *offset_ns; /* (ranks) where each rank's first moment stands on the common
                           clock */
    struct meetings meetings;
};

/* Without `joint` each rank has a clock of its own. */
void rank_meetings_init(struct rank_meetings *m, const struct run *run, bool joint);
void rank_meetings_release(struct rank_meetings *m);

/* Call when all ranks are built. */
void rank_meetings_edges(const struct rank_meetings *m, struct replay *r);

#endif
