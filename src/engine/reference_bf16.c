/* The kernels with activations in bf16; sums, norms and the residual stream stay f32. */
#define GAIT_NUMBER_BF16 1
#include "engine/reference.h"

#ifndef GAIT_DOUBLE
#include "engine/kernel_set.h"

const struct engine_ops reference_bf16_plain = {KERNEL_SET(ref_attention)};
const struct engine_ops reference_bf16_tiled = {KERNEL_SET(tiled_attention)};
#endif
