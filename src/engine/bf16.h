/*
 * bf16: the upper half of a float. A weight in bf16 and its f32 master are kept as two
 * halves that cost 4 bytes together: `high` is the master rounded to bf16, which linears
 * read, and `low` is what the rounding took away, as a signed number of the master's
 * bits. Ties round away from zero here, for a tie to even could not be undone.
 */
#ifndef GAIT_ENGINE_BF16_H
#define GAIT_ENGINE_BF16_H

#include "engine/real.h"

#include <stdint.h>
#include <string.h>

typedef uint16_t bf16;

ENGINE_INLINE uint32_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

ENGINE_INLINE float float_from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

ENGINE_INLINE float bf16_to_float(bf16 x)
{
    return float_from_bits((uint32_t)x << 16);
}

/* To the nearest, ties to even; a NaN stays one. */
ENGINE_INLINE bf16 bf16_from_float(float x)
{
    uint32_t bits = float_bits(x);
    uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
    uint32_t quiet = (bits >> 16) | 0x40u;
    return (bf16)((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}

ENGINE_INLINE float split_join(bf16 high, int16_t low)
{
    return float_from_bits(((uint32_t)high << 16) + (uint32_t)(int32_t)low);
}

/* A NaN's halves join to a NaN again, or to an infinity: a broken run stays broken. */
ENGINE_INLINE void split_float(bf16 *high, int16_t *low, float x)
{
    uint32_t bits = float_bits(x);
    uint32_t up = (bits + 0x8000u) >> 16;
    *high = (bf16)up;
    *low = (int16_t)(uint16_t)(bits - (up << 16));
}

#endif
