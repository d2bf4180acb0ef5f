/*
 * Which collectives of different ranks are one and the same: a meeting.
 *
 * Those of one operation, process group and sequence number are, where both are recorded;
 * else those of one operation, group and group size that come at the same place within a
 * step of the same number. A rank may have several of one key (a sequence number twice,
 * the collectives of a step): they are paired in order, provided that the ranks have
 * equally many. Ranks that have another number than most are left out, and so is a key
 * that more ranks have than its group holds: its members cannot be told apart.
 *
 * Sends and receives are nobody's meeting. Cost: one sort of the collectives.
 */
#ifndef GAIT_ANALYZE_MEETINGS_H
#define GAIT_ANALYZE_MEETINGS_H

#include "run/run.h"

struct meeting {
    size_t first; /* into meetings.row */
    uint32_t n;   /* members, at least 2, each of another rank, by rank row */
    bool rooted;  /* one rank gives or gets everything: the others may leave early */
};

struct meetings {
    struct meeting *meeting; /* (n) */
    size_t n, cap;
    uint32_t *row; /* (n_rows) rows of run->collectives */
    size_t n_rows;
    size_t by_seq;    /* of n_rows: matched by sequence number */
    size_t ambiguous; /* collectives that could not be told apart */
    size_t sends;     /* sends and receives */
};

/* Release with meetings_release(). */
void meetings_init(struct meetings *m, const struct run *run);
void meetings_release(struct meetings *m);

#endif
