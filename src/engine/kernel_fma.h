/*
 * The micro-kernel of f32 vectors: ROWS rows of two vectors of sums in registers; for each
 * step of depth two vectors of B, and one number of A after another. As many rows as
 * registers allow, so that a sum has long been written when it is needed again.
 *
 * The tile of C is prefetched before the loop over the depth and added after it.
 *
 * Included by the file of each instruction set, which says KERNEL (its table), NAME, ROWS,
 * LANES, VECTOR and MM(intrinsic), after its #pragma GCC target.
 */
#define PACK_LANES LANES
#include "engine/pack_f32.h"

#include <immintrin.h>

enum { COLUMNS = 2 * LANES, LINE_NUMBERS = 16 /* of a cache line */ };

static void pack_a(void *panels, const struct lines *from, int64_t lines, int64_t depth,
                   int64_t padded)
{
    pack_f32(panels, from, lines, depth, padded, ROWS);
}

static void pack_b(void *panels, const struct lines *from, int64_t lines, int64_t depth,
                   int64_t padded)
{
    pack_f32(panels, from, lines, depth, padded, COLUMNS);
}

static void multiply(float *c, const void *a, const void *b, int64_t depth, bool add)
{
    const float *x = a, *y = b;
    VECTOR sum[ROWS][2];
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++) {
        sum[i][0] = sum[i][1] = MM(setzero_ps)();
        for (int j = 0; j < COLUMNS; j += LINE_NUMBERS)
            __builtin_prefetch(c + i * COLUMNS + j, 1);
    }
    for (int64_t k = 0; k < depth; k++, x += ROWS, y += COLUMNS) {
        VECTOR b0 = MM(load_ps)(y), b1 = MM(load_ps)(y + LANES);
#pragma GCC unroll 16
        for (int i = 0; i < ROWS; i++) {
            VECTOR one = MM(set1_ps)(x[i]);
            sum[i][0] = MM(fmadd_ps)(one, b0, sum[i][0]);
            sum[i][1] = MM(fmadd_ps)(one, b1, sum[i][1]);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 2
        for (int j = 0; j < 2; j++) {
            float *to = c + i * COLUMNS + j * LANES;
            MM(store_ps)(to, add ? MM(add_ps)(MM(load_ps)(to), sum[i][j]) : sum[i][j]);
        }
}

const struct product_kernel KERNEL = {
    .name = NAME,
    .rows = ROWS,
    .columns = COLUMNS,
    .depth = 1,
    .number_bytes = sizeof(float),
    .is_there = is_there,
    .pack_a = pack_a,
    .pack_b = pack_b,
    .multiply = multiply,
};
