/*
 * When something was going on, lately: the union of intervals that come in the order of
 * their begins, of which the latest pieces are remembered, so that one can ask how much
 * of a stretch of the recent past it covered. Private to run.
 */
#ifndef GAIT_REDUCE_COVER_HISTORY_H
#define GAIT_REDUCE_COVER_HISTORY_H

#include <stddef.h>
#include <stdint.h>

enum { COVER_HISTORY_PIECES = 1024 };

struct history_piece {
    int64_t begin_ns, end_ns;
    int64_t before_ns; /* covered by all earlier pieces */
};

struct cover_history {
    struct history_piece *piece; /* (cap) a ring */
    size_t cap;                  /* a power of two, at most COVER_HISTORY_PIECES */
    uint64_t n;                  /* pieces so far, forgotten ones too */
};

void cover_history_release(struct cover_history *h); /* zeroed needs no init */
void cover_history_add(struct cover_history *h, int64_t begin_ns, int64_t end_ns);
/* Of [begin, end), which no interval added so far begins after. What is forgotten counts
 * as not covered. */
int64_t cover_history_within_ns(const struct cover_history *h, int64_t begin_ns,
                                int64_t end_ns);

#endif
