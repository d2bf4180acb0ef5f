/*
 * The phases of a step as parts of the one step time: input, forward, backward, optimizer
 * and what lies between them. docs/analyze.md, "Phases"
 *
 * Recorded steps tell them as shares. Where `gait record` timed input, backward and
 * optimizer in steps without the tracer, these times are taken; the forward pass is as
 * much faster without the tracer as the backward pass is; the rest of the step lies
 * between. What comes every few steps has its share of a step as "other".
 */
#ifndef GAIT_ANALYZE_STEP_PHASES_H
#define GAIT_ANALYZE_STEP_PHASES_H

#include "analyze/step_time.h"

struct step_phases {
    bool known;
    bool timed;             /* input, backward and optimizer: without the tracer */
    double ns[PHASE_COUNT]; /* together step.ns */
};

/* told: what a step takes, (ranks) by row of run->ranks; typical: which rows of
 * run->steps the shares are of. */
void step_phases(struct step_phases *out, const struct run *run,
                 const struct step_time *told, const bool *typical);

#endif
