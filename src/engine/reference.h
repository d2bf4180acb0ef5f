/*
 * The reference kernels: they read like the maths and are the oracle of every faster one.
 * Parallel over independent outputs only, sums in one fixed order: the result is the same
 * for any number of threads, bit by bit. Two forms of attention: plain keeps the (T, T)
 * matrix, tiled never builds it.
 */
#ifndef GAIT_ENGINE_REFERENCE_H
#define GAIT_ENGINE_REFERENCE_H

#include "engine/ops.h"

extern const struct engine_ops reference_plain, reference_tiled;
#ifndef GAIT_DOUBLE
extern const struct engine_ops reference_bf16_plain, reference_bf16_tiled;
#endif

#endif
