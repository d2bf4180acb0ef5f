/*
 * Which spans stay in full, and the launches between them. Everything stays when it fits
 * the budget; else whole steps as far as they fit: those asked for, the one of median
 * length and the one behind it, the slowest, the first. Which steps these are is known
 * before the sweep, whether they fit only after it, so each is collected up to the
 * budget, the first choice up to KEEP_ALONE budgets: without a whole step nothing can be
 * replayed. Where even that does not fit, its longest spans stay; where no steps are
 * known, what began first. Sums are taken of everything, so nothing is lost but detail.
 * Private to run.
 */
#ifndef GAIT_REDUCE_SWEEP_KEEP_H
#define GAIT_REDUCE_SWEEP_KEEP_H

#include "reduce/reduce.h"

struct sweep;

/* steps.kept */
enum { STEP_KEPT_ALL = 1, STEP_KEPT_LONGEST = 2 };

enum keep_mode { KEEP_ALL, KEEP_FIRST, KEEP_STEPS };

enum { KEEP_ALONE = 5 };
enum { KEEP_WANTED_MAX = REDUCE_KEEP_STEPS_MAX + 4 };

/* Spans in the order of the stream. */
struct kept_spans {
    struct span *span; /* (n) */
    size_t n, cap;
};

struct wanted_step {
    size_t step;
    struct kept_spans kept;
    bool too_large;   /* more than the budget: dropped, or only the longest are here */
    int64_t floor_ns; /* of the longest: no shorter one is wanted any more */
};

struct sweep_keep {
    enum keep_mode mode;
    size_t budget;
    size_t steps;           /* that are marked */
    struct kept_spans kept; /* of KEEP_ALL, KEEP_FIRST; at the end of all modes */
    bool full;              /* of KEEP_FIRST */
    struct wanted_step wanted[KEEP_WANTED_MAX]; /* (n_wanted) the most telling first */
    int n_wanted;
    int64_t recent_step; /* the spans of a step come together */
    int recent_wanted;   /* -1: it is not wanted */
};

void sweep_keep_init(struct sweep *sw, const struct reduce_options *options);
void sweep_keep_release(struct sweep_keep *k);
void sweep_keep_maybe(struct sweep_keep *k, const struct span *s, int64_t step);
static inline void sweep_keep_add(struct sweep_keep *k, const struct span *s,
                                  int64_t step)
{
    bool unwanted =
        k->mode == KEEP_STEPS && step == k->recent_step && k->recent_wanted < 0;
    if (!unwanted)
        sweep_keep_maybe(k, s, step);
}
void sweep_keep_finish(struct sweep *sw);

#endif
