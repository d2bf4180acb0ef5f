/*
 * The number type of activations and of the weights that linears read, inside the kernel
 * files: real, or bf16 where GAIT_NUMBER_BF16 is defined. The kernel files (ref_*.h,
 * tiled_*.h) are written once and compiled for each type; see kernel_set.h.
 */
#ifndef GAIT_ENGINE_NUMBER_H
#define GAIT_ENGINE_NUMBER_H

#include "engine/bf16.h"
#include "engine/ops.h"

#ifdef GAIT_NUMBER_BF16
typedef bf16 number;
ENGINE_INLINE real number_get(number x)
{
    return bf16_to_float(x);
}
ENGINE_INLINE number number_of(real x)
{
    return bf16_from_float(x);
}
#else
typedef real number;
ENGINE_INLINE real number_get(number x)
{
    return x;
}
ENGINE_INLINE number number_of(real x)
{
    return x;
}
#endif

/* What an opaque tensor is made of. */
ENGINE_INLINE number *numbers(act *a)
{
    return (number *)a;
}
ENGINE_INLINE const number *numbers_of(const act *a)
{
    return (const number *)a;
}

#endif
