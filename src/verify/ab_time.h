/*
 * Which of two is faster: blocks of both in turns (A B B A, B A A B) until the interval tells, is
 * narrow enough, or the budget ends.
 *
 * The interval is one that may be looked at again and again: it is as wide as nine looks
 * need, so that two equal ones are told apart in less than 5 % of comparisons, however
 * often it was looked at.
 */
#ifndef GAIT_VERIFY_AB_TIME_H
#define GAIT_VERIFY_AB_TIME_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { AB_PAIRS_MAX = 1000 };
/* Half of the interval, as a part of the time: finer is no use to anyone. */
#define AB_NARROW 0.004

/* What is compared. block() runs a block of one side (0, 1) and tells what a step of it
 * took; NAN: there are no more blocks, and what was gathered stands. */
struct ab_subject {
    enum status (*block)(void *context, int side, double *step_ns, struct err *err);
    void *context;
};

struct ab_options {
    double budget_s;
    double narrow;  /* half of the interval, as a part of the time: narrower is no use */
    double decides; /* a change that the interval must lie on one side of; 0: only zero */
};

struct ab_time {
    double step_ns[2];        /* medians over all blocks */
    double change, low, high; /* of the second against the first, less 1 */
    size_t pairs;
    double took_s;
};

/* Tells a change? (the interval does not hold 0) */
static inline int ab_told(const struct ab_time *t)
{
    return t->low > 0 ? 1 : t->high < 0 ? -1 : 0;
}

enum status ab_time_run(struct ab_time *out, const struct ab_subject *subject,
                        const struct ab_options *options, struct err *err);

#endif
