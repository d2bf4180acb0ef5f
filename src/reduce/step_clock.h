/*
 * The steps as the sweep passes them. Their borders cut time into stretches; sums that
 * grow with time are written down at each border, and a step's share is the difference of
 * two of them. So steps may overlap or nest, as in a damaged recording, and each border
 * still costs once. Private to run.
 */
#ifndef GAIT_REDUCE_STEP_CLOCK_H
#define GAIT_REDUCE_STEP_CLOCK_H

#include "reduce/step_marks.h"

/* What is cut by steps: time covered before a border. */
enum step_cut {
    STEP_CUT_COMPUTE,
    STEP_CUT_COMMUNICATION,
    STEP_CUT_COPIES,
    STEP_CUT_COMPUTE_OR_COMMUNICATION,
    STEP_CUT_DEVICE, /* any device work */
    STEP_CUT_HOST,   /* the main lane's work */
    STEP_CUT_WAITING,
    STEP_CUT_COUNT
};

struct step_cuts {
    int64_t ns[STEP_CUT_COUNT];
};

struct step_clock {
    const struct found_step *step; /* (n) by begin; not owned */
    size_t n;
    size_t begun;       /* steps that have begun */
    int64_t *border_ns; /* (borders) each begin and end once, in order */
    size_t borders;
    size_t passed;         /* borders that the sweep has passed */
    struct step_cuts *cut; /* (borders) */
};

void step_clock_init(struct step_clock *c, const struct found_steps *steps);
void step_clock_release(struct step_clock *c);

/* The last step that has begun by t and has not ended, or -1; t never goes back. */
static inline int64_t step_clock_at(struct step_clock *c, int64_t t_ns)
{
    while (c->begun < c->n && c->step[c->begun].begin_ns <= t_ns)
        c->begun++;
    return c->begun && t_ns < c->step[c->begun - 1].end_ns ? (int64_t)c->begun - 1 : -1;
}

size_t step_clock_past_stretch(const struct step_clock *c, int64_t t_ns);
/* Between which borders t lies: the number of borders up to t. t is not after the latest
 * time of the sweep, mostly close before it. */
static inline size_t step_clock_stretch(const struct step_clock *c, int64_t t_ns)
{
    return !c->passed || t_ns >= c->border_ns[c->passed - 1]
               ? c->passed
               : step_clock_past_stretch(c, t_ns);
}
/* The border with this time, which is one. */
size_t step_clock_border(const struct step_clock *c, int64_t t_ns);
/* A step's share of everything that is cut, after the last border. */
struct step_cuts step_clock_cuts(const struct step_clock *c, size_t step);

#endif
