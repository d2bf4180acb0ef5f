/*
 * The small products inside tiled attention: c (m, n) = or += a (m, k) b (k, n) in f32, c
 * and b row-major, a with any two strides. m is a multiple of TILE_ROWS and n of
 * TILE_LANES; callers pad with zeros. Rows and columns of c stay in registers while k
 * runs.
 */
#ifndef GAIT_ENGINE_TILE_PRODUCT_H
#define GAIT_ENGINE_TILE_PRODUCT_H

#include "engine/real.h"

#include <string.h>

enum { TILE_ROWS = 4, TILE_LANES = 16, TILE_WIDE = 4 /* vectors */ };

typedef real lanes __attribute__((vector_size(TILE_LANES * sizeof(real))));

ENGINE_INLINE void lanes_load(lanes *v, const real *p)
{
    memcpy(v, p, sizeof *v);
}

/* TILE_ROWS rows by `wide` vectors; wide and add are constants where this is inlined. */
ENGINE_INLINE void tile_block(real *c, int64_t ldc, const real *a, int64_t a_row,
                              int64_t a_k, const real *b, int64_t ldb, int64_t k,
                              const int wide, const bool add)
{
    lanes sum[TILE_ROWS][TILE_WIDE];
#pragma GCC unroll 4
    for (int r = 0; r < TILE_ROWS; r++)
#pragma GCC unroll 4
        for (int w = 0; w < wide; w++)
            if (add)
                lanes_load(&sum[r][w], c + r * ldc + w * TILE_LANES);
            else
                sum[r][w] = (lanes){0};
    for (int64_t i = 0; i < k; i++) {
        lanes x[TILE_WIDE];
#pragma GCC unroll 4
        for (int w = 0; w < wide; w++)
            lanes_load(&x[w], b + i * ldb + w * TILE_LANES);
#pragma GCC unroll 4
        for (int r = 0; r < TILE_ROWS; r++)
#pragma GCC unroll 4
            for (int w = 0; w < wide; w++)
                sum[r][w] += a[r * a_row + i * a_k] * x[w];
    }
#pragma GCC unroll 4
    for (int r = 0; r < TILE_ROWS; r++)
#pragma GCC unroll 4
        for (int w = 0; w < wide; w++)
            memcpy(c + r * ldc + w * TILE_LANES, &sum[r][w], sizeof(lanes));
}

ENGINE_INLINE void tile_product(real *c, int64_t ldc, const real *a, int64_t a_row,
                                int64_t a_k, const real *b, int64_t ldb, int64_t m,
                                int64_t n, int64_t k, const bool add)
{
    for (int64_t r = 0; r < m; r += TILE_ROWS) {
        real *to = c + r * ldc;
        const real *x = a + r * a_row;
        int64_t j = 0;
        for (; j + TILE_WIDE * TILE_LANES <= n; j += TILE_WIDE * TILE_LANES)
            tile_block(to + j, ldc, x, a_row, a_k, b + j, ldb, k, TILE_WIDE, add);
        if (j + 2 * TILE_LANES <= n) {
            tile_block(to + j, ldc, x, a_row, a_k, b + j, ldb, k, 2, add);
            j += 2 * TILE_LANES;
        }
        if (j < n)
            tile_block(to + j, ldc, x, a_row, a_k, b + j, ldb, k, 1, add);
    }
}

#endif
