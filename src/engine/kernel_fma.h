/*
 * The micro-kernel of f32 vectors: ROWS rows of VECTORS vectors of sums in registers; for
 * each step of depth so many vectors of B, and one number of A after another. As many sums
 * as registers allow, so that one has long been written when it is needed again.
 *
 * Panels stream from the second-level cache, and the next tile of C comes meanwhile:
 * prefetches stand between the steps, where they cost nothing.
 *
 * Included by the file of each instruction set, which says KERNEL (its table), NAME, ROWS,
 * VECTORS, LANES, VECTOR and MM(intrinsic), after its #pragma GCC target.
 */
#define PACK_LANES LANES
#include "engine/pack_f32.h"

#include <immintrin.h>

enum {
    COLUMNS = VECTORS * LANES,
    CACHE_LINE = 64,
    LINE_NUMBERS = CACHE_LINE / sizeof(float),
};

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

/* Depths from a panel's line in the second-level cache to its use; in steps of GROUP. */
enum { GROUP = 4, A_AHEAD = 16, B_AHEAD = 8 };

/* A step of depth: the first `wide` vectors of a row. */
ENGINE_INLINE void multiply_step(VECTOR sum[ROWS][VECTORS], const float *a, int64_t line,
                                 const float *b, const int wide)
{
    VECTOR y[VECTORS];
#pragma GCC unroll 4
    for (int j = 0; j < wide; j++)
        y[j] = MM(loadu_ps)(b + j * LANES);
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++) {
        const VECTOR x = MM(set1_ps)(a[i * line]);
#pragma GCC unroll 4
        for (int j = 0; j < wide; j++)
            sum[i][j] = MM(fmadd_ps)(x, y[j], sum[i][j]);
    }
}

/* One line of what comes next in the panels and one of C: they are spread over the tile's
 * time, for only so many can be on their way at once. */
struct ahead {
    const char *next, *next_end, *c, *c_row_end;
    int64_t c_rows;
};

ENGINE_INLINE void fetch_ahead(struct ahead *f, const struct tile *t)
{
    if (f->next < f->next_end) {
        __builtin_prefetch(f->next, 0, 2);
        f->next += CACHE_LINE;
    }
    if (f->c_rows > 0) {
        __builtin_prefetch(f->c, 1);
        f->c += CACHE_LINE;
        if (f->c >= f->c_row_end) {
            f->c += t->c_ahead_stride - t->c_ahead_bytes;
            f->c_row_end += t->c_ahead_stride;
            f->c_rows--;
        }
    }
}

ENGINE_INLINE void put_sums(const struct tile *t, VECTOR sum[ROWS][VECTORS],
                            const int wide)
{
#pragma GCC unroll 4
    for (int j = 0; j < wide; j++) {
        float *c = t->c + j * LANES;
        const VECTOR bias =
            t->bias ? MM(loadu_ps)(t->bias + j * LANES) : MM(setzero_ps)();
#pragma GCC unroll 16
        for (int i = 0; i < ROWS; i++, c += t->c_stride) {
            VECTOR x = MM(add_ps)(sum[i][j], bias);
            MM(storeu_ps)(c, t->add ? MM(add_ps)(x, MM(loadu_ps)(c)) : x);
        }
    }
}

/* Number (i, k) of A lies at a[i * line + k * deep]; in a panel, line is 1. */
ENGINE_INLINE void multiply_wide(const struct tile *t, const int64_t line,
                                 const int64_t deep, const int wide)
{
    const float *a = t->a, *b = t->b;
    struct ahead ahead = {t->next, t->next + t->next_bytes, t->c_ahead,
                          t->c_ahead + t->c_ahead_bytes, t->c_ahead_rows};
    VECTOR sum[ROWS][VECTORS];
    int64_t k = 0;
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 4
        for (int j = 0; j < wide; j++)
            sum[i][j] = MM(setzero_ps)();
    for (; k + GROUP <= t->depth; k += GROUP) {
        fetch_ahead(&ahead, t);
#pragma GCC unroll 4
        for (int g = 0; g < GROUP; g++, a += deep, b += COLUMNS) {
            if (line == 1 && g % A_STEPS == 0) /* else each line is a stream of its own */
                __builtin_prefetch(a + A_AHEAD * deep);
#pragma GCC unroll 4
            for (int j = 0; j < wide * LANES; j += LINE_NUMBERS)
                __builtin_prefetch(b + B_AHEAD * COLUMNS + j);
            multiply_step(sum, a, line, b, wide);
            __asm__ volatile("" ::: "memory"); /* steps mixed would need more registers */
        }
    }
    for (; k < t->depth; k++, a += deep, b += COLUMNS)
        multiply_step(sum, a, line, b, wide);
    put_sums(t, sum, wide);
}

ENGINE_INLINE void multiply_lines(const struct tile *t, const int64_t line,
                                  const int64_t deep)
{
    if (t->columns > 2 * LANES && VECTORS == 3)
        multiply_wide(t, line, deep, VECTORS);
    else if (t->columns > LANES)
        multiply_wide(t, line, deep, 2);
    else
        multiply_wide(t, line, deep, 1);
}

static void multiply(const struct tile *t)
{
    multiply_lines(t, 1, ROWS);
}

static void multiply_across(const struct tile *t)
{
    multiply_lines(t, t->a_stride, 1);
}

const struct product_kernel KERNEL = {
    .name = NAME,
    .rows = ROWS,
    .columns = COLUMNS,
    .depth = 1,
    .number_bytes = sizeof(float),
    .streams = true,
    .tiles_ahead = 1,
    .l2_share = 0.55,
    .is_there = is_there,
    .pack_a = pack_a,
    .pack_b = pack_b,
    .multiply = multiply,
    .multiply_across = multiply_across,
};
