/*
 * How long something was going on: the union of intervals that come in the order of their
 * begins, so that its length and its end are all there is to remember. Private to run.
 */
#ifndef GAIT_REDUCE_COVER_SUM_H
#define GAIT_REDUCE_COVER_SUM_H

#include <stdint.h>

struct cover_sum {
    int64_t ns;       /* covered so far, all of what was added */
    int64_t until_ns; /* the largest end */
};

#define COVER_SUM_INIT ((struct cover_sum){0, INT64_MIN})

static inline void cover_sum_add(struct cover_sum *c, int64_t begin_ns, int64_t end_ns)
{
    if (end_ns <= c->until_ns)
        return;
    c->ns += end_ns - (begin_ns > c->until_ns ? begin_ns : c->until_ns);
    c->until_ns = end_ns;
}

/* Covered before t, which no interval added so far begins after. */
static inline int64_t cover_sum_before_ns(const struct cover_sum *c, int64_t t_ns)
{
    return c->until_ns > t_ns ? c->ns - (c->until_ns - t_ns) : c->ns;
}

#endif
