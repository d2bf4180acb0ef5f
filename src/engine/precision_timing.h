/*
 * Which precision is faster here? bf16 moves half the bytes, but a CPU without bf16
 * instructions converts before it multiplies, and is slower than in f32. Nothing but a
 * measurement tells: a linear's three products, forward and both backward, are timed in
 * both precisions in turns, so that what disturbs one disturbs the other.
 */
#ifndef GAIT_ENGINE_PRECISION_TIMING_H
#define GAIT_ENGINE_PRECISION_TIMING_H

#include "engine/engine.h"

struct precision_timing {
    int64_t M, N, K;        /* of the linear that was timed */
    double f32_ns, bf16_ns; /* medians, of its three products together */
    int rounds;             /* 0: nothing was timed */
};

/* One is called slower than the other from this ratio on: docs/rules/trainer-bf16.md */
#define PRECISION_SLOWER_RATIO 1.1

/* Time a linear of the shape of l, cut in rows and columns to a product that takes a few
 * ms, by the engine `name`. Takes a few tens of ms; where it is not known yet who makes such
 * products faster (linear_decide()), some hundreds. */
enum status precision_time(struct precision_timing *out, const char *name,
                           const struct linear *l, struct err *err);

/* Is it slower beyond doubt? False where nothing was timed. */
bool precision_bf16_is_slower(const struct precision_timing *t);
bool precision_f32_is_slower(const struct precision_timing *t);

#endif
