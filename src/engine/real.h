/*
 * The number type of the reference kernels: float, or double where GAIT_DOUBLE is
 * defined. The double build exists for one purpose: central differences can only confirm
 * a gradient to 1e-6 when the arithmetic itself is finer than that.
 */
#ifndef GAIT_ENGINE_REAL_H
#define GAIT_ENGINE_REAL_H

#include <math.h>
#include <stdint.h>

#ifdef GAIT_DOUBLE
typedef double real;
#else
typedef float real;
#endif

/* One binary serves all x86-64 machines, so the hot loops are compiled for several of
 * them and chosen at start-up. Results then differ between CPUs in their last bits. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define ENGINE_CLONES                                                                    \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ENGINE_CLONES
#endif

/* A helper of a hot loop: one that is not inlined would be compiled for the oldest
 * machine only. */
#define ENGINE_INLINE static inline __attribute__((always_inline))

/* Columns one thread takes at a time where a sum runs over rows: each column's sum stays
 * in one thread and in row order, so results do not depend on the number of threads. As
 * wide as all threads can have, and at most so wide: of each row a longer piece is read. */
enum { ENGINE_COLUMNS_LEAST = 32, ENGINE_COLUMNS_MOST = 512 };
ENGINE_INLINE int64_t engine_column_block(int64_t columns, int threads)
{
    const int64_t least = ENGINE_COLUMNS_LEAST;
    int64_t block = (columns + threads - 1) / threads;
    block = (block + least - 1) / least * least;
    return block < ENGINE_COLUMNS_MOST ? block : ENGINE_COLUMNS_MOST;
}

/*
 * e^x without a call, so that loops around it vectorise. In float: x = n ln 2 + r with
 * |r| <= ln 2 / 2, a polynomial for e^r, and n added to the exponent; within 2 units in
 * the last place on [-87, 88], clamped outside. NaN stays NaN: a broken run must be seen.
 */
#ifdef GAIT_DOUBLE
ENGINE_INLINE real real_exp(real x)
{
    return exp(x);
}
#else
ENGINE_INLINE real real_exp(real x)
{
    const float round_magic = 12582912.0f; /* 1.5 * 2^23: adding it rounds to integer */
    union {
        float f;
        uint32_t u;
    } shifted, power;
    x = x < -87.0f ? -87.0f : x;
    x = x > 88.0f ? 88.0f : x;
    shifted.f = x * 1.44269504f + round_magic;
    float n = shifted.f - round_magic;
    float r = x - n * 0.693359375f;
    r = r + n * 2.12194440e-4f; /* ln 2 = 0.693359375 - 2.12194440e-4 */
    float p = 1.0f / 5040.0f;
    p = p * r + 1.0f / 720.0f;
    p = p * r + 1.0f / 120.0f;
    p = p * r + 1.0f / 24.0f;
    p = p * r + 1.0f / 6.0f;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    power.u = (shifted.u << 23) + 0x3f800000u;
    return p * power.f;
}
#endif

#ifdef GAIT_DOUBLE
#define real_log log
#define real_sqrt sqrt
#else
#define real_log logf
#define real_sqrt sqrtf
#endif

#endif
