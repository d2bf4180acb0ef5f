/*
 * Several ranks as one job: clocks aligned on the collectives they share, the time lost
 * to waiting in them, who is waited for, and in which part of its step that rank is
 * slower than the others. What the words mean: docs/analyze.md, "Ranks of one job".
 */
#ifndef GAIT_ANALYZE_JOB_H
#define GAIT_ANALYZE_JOB_H

#include "analyze/rank_clocks.h"
#include "analyze/rank_waits.h"

enum job_state {
    JOB_ONE_RANK,       /* nobody to meet */
    JOB_NO_COLLECTIVES, /* none was recorded one by one */
    JOB_UNMATCHED,      /* none of them could be told to be the same on two ranks */
    JOB_ALIGNED,
};

/* The part of a straggler's step that exceeds the median rank's by most. Waiting for
 * others (communication) is no cause of being late and is not considered. */
struct job_cause {
    bool known;
    enum time_class what;
    int64_t own_ns, median_ns; /* of a step of it, of the median rank */
    size_t ranks;              /* that were compared */
};

struct job_rank {
    size_t collectives;      /* recorded one by one */
    int64_t collectives_all; /* in the sums; those beyond a step's first are not told
                                one by one */
};

struct analysis_job {
    enum job_state state;
    struct job_rank *ranks; /* (n) by row of run->ranks */
    size_t n;
    size_t collectives, matched, by_seq, ambiguous, sends; /* rows of run->collectives */
    struct rank_clocks clocks;
    struct job_waits waits;
    int32_t straggler; /* row: most lateness; -1: nobody is later than clocks can tell */
    struct job_cause cause;
};

struct analysis;

/* a->ranks[i] must be of row i still. */
void job_init(struct analysis_job *j, const struct analysis *a);
void job_release(struct analysis_job *j);

#endif
