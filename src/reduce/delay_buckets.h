/* Buckets of numbers that grow with the numbers: 8 to each doubling, so that the middle
 * of one is within 1/16 of what is in it. Private to run. */
#ifndef GAIT_REDUCE_DELAY_BUCKETS_H
#define GAIT_REDUCE_DELAY_BUCKETS_H

#include <stddef.h>
#include <stdint.h>

static inline size_t delay_bucket(int64_t ns, size_t buckets)
{
    if (ns < 8)
        return ns < 0 ? 0 : (size_t)ns;
    int high = 63 - __builtin_clzll((unsigned long long)ns);
    size_t b = (size_t)(high - 2) * 8 + (size_t)(ns >> (high - 3) & 7);
    return b < buckets ? b : buckets - 1;
}

/* The middle of a bucket. */
static inline int64_t delay_of_bucket(size_t b)
{
    if (b < 16)
        return (int64_t)b;
    int shift = (int)(b / 8) - 1;
    return ((int64_t)(8 + b % 8) << shift) + ((int64_t)1 << shift) / 2;
}

/* The q-quantile of `count` > 0 numbers. */
static inline int64_t delay_quantile(const uint32_t *bucket, size_t buckets,
                                     int64_t count, double q)
{
    int64_t rank = (int64_t)(q * (double)(count - 1) + 0.5), below = 0;
    size_t b = 0;
    while (b + 1 < buckets && below + bucket[b] <= rank)
        below += bucket[b++];
    return delay_of_bucket(b);
}

#endif
