/* The kernels with activations in real: float, or double in the double build. */
#include "engine/reference.h"

#include "engine/kernel_set.h"

const struct engine_ops reference_plain = {KERNEL_SET(ref_attention)};
const struct engine_ops reference_tiled = {KERNEL_SET(tiled_attention)};
