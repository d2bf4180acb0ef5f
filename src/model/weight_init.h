/*
 * Initial weights from a counter-based generator (Philox4x32-10): the value at an index
 * is a pure function of seed, tensor and index. No state, no order, any thread.
 */
#ifndef GAIT_MODEL_WEIGHT_INIT_H
#define GAIT_MODEL_WEIGHT_INIT_H

#include <stdint.h>

/* A sample of the standard normal distribution, by Box and Muller's transform. */
double weight_normal(uint64_t seed, uint32_t tensor, uint64_t index);

#endif
