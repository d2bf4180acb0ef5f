/* Numbers that come from files: sums stop at the ends of the range, where a plain sum
 * would be undefined. */
#ifndef GAIT_BASE_SATURATE_H
#define GAIT_BASE_SATURATE_H

#include <math.h>
#include <stdint.h>

static inline int64_t add_saturated(int64_t a, int64_t b)
{
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return b > 0 ? INT64_MAX : INT64_MIN;
}

static inline int64_t subtract_saturated(int64_t a, int64_t b)
{
    int64_t difference;
    if (!__builtin_sub_overflow(a, b, &difference))
        return difference;
    return b < 0 ? INT64_MAX : INT64_MIN;
}

/* A number of a file as a whole one; what is not finite becomes 0. */
static inline int64_t whole_saturated(double v)
{
    if (!isfinite(v))
        return 0;
    return v >= 0x1p63 ? INT64_MAX : v <= -0x1p63 ? INT64_MIN : (int64_t)v;
}

#endif
