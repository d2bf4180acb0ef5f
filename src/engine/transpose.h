/*
 * Squares of numbers transposed in registers: DEFINE_TRANSPOSE(name, vector, n) makes
 * name(v), after which vector i of v holds what lane i of each of the n vectors held. In
 * each stage rows i and i + d exchange the halves of 2 d lanes that belong to the other;
 * n is 4, 8 or 16.
 */
#ifndef GAIT_ENGINE_TRANSPOSE_H
#define GAIT_ENGINE_TRANSPOSE_H

#include "engine/real.h"

/* Lane i of the two rows after a stage, as __builtin_shufflevector counts lanes. */
#define TRANSPOSE_LOW(n, i, d) ((i) & (d) ? (n) + (i) - (d) : (i))
#define TRANSPOSE_HIGH(n, i, d) ((i) & (d) ? (n) + (i) : (i) + (d))

#define TRANSPOSE_2_LANES(lane, n, i, d) lane(n, i, d), lane(n, (i) + 1, d)
#define TRANSPOSE_4_LANES(lane, n, i, d)                                                 \
    TRANSPOSE_2_LANES(lane, n, i, d), TRANSPOSE_2_LANES(lane, n, (i) + 2, d)
#define TRANSPOSE_8_LANES(lane, n, i, d)                                                 \
    TRANSPOSE_4_LANES(lane, n, i, d), TRANSPOSE_4_LANES(lane, n, (i) + 4, d)
#define TRANSPOSE_16_LANES(lane, n, i, d)                                                \
    TRANSPOSE_8_LANES(lane, n, i, d), TRANSPOSE_8_LANES(lane, n, (i) + 8, d)

#define TRANSPOSE_STAGE(vector, n, d)                                                    \
    _Pragma("GCC unroll 16") for (int i = 0; i < (n); i++) if (!(i & (d)))               \
    {                                                                                    \
        const vector low = v[i], high = v[i + (d)];                                      \
        v[i] = __builtin_shufflevector(low, high,                                        \
                                       TRANSPOSE_##n##_LANES(TRANSPOSE_LOW, n, 0, d));   \
        v[i + (d)] = __builtin_shufflevector(                                            \
            low, high, TRANSPOSE_##n##_LANES(TRANSPOSE_HIGH, n, 0, d));                  \
    }

#define TRANSPOSE_4(vector) TRANSPOSE_STAGE(vector, 4, 2) TRANSPOSE_STAGE(vector, 4, 1)
#define TRANSPOSE_8(vector)                                                              \
    TRANSPOSE_STAGE(vector, 8, 4)                                                        \
    TRANSPOSE_STAGE(vector, 8, 2) TRANSPOSE_STAGE(vector, 8, 1)
#define TRANSPOSE_16(vector)                                                             \
    TRANSPOSE_STAGE(vector, 16, 8)                                                       \
    TRANSPOSE_STAGE(vector, 16, 4)                                                       \
    TRANSPOSE_STAGE(vector, 16, 2) TRANSPOSE_STAGE(vector, 16, 1)

#define DEFINE_TRANSPOSE_OF(name, vector, n)                                             \
    ENGINE_INLINE void name(vector *v)                                                   \
    {                                                                                    \
        TRANSPOSE_##n(vector)                                                            \
    }
#define DEFINE_TRANSPOSE(name, vector, n) DEFINE_TRANSPOSE_OF(name, vector, n)

#endif
