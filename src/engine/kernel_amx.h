/*
 * bf16 by AMX tiles: a tile of C is 16 x 32, two tile registers of sums; a step of depth
 * 32 reads one tile of A and, one after the other into one register, two of B. Four live
 * tiles, for more of them run slower where a core is shared.
 *
 * A panel of A: for each 32 of depth 16 lines of 32 numbers, as a tile is loaded. A panel
 * of B: for each 32 of depth two tiles of 16 columns, each with the numbers (2 k, 2 k + 1)
 * of its columns side by side in row k.
 *
 * Included by kernel_amx.c and, with tiles in plain C, by kernel_amx_stand_in.c, which say
 * KERNEL, NAME, TILE_*(), ROUND() and is_there(), thread_begin(), thread_end().
 */
#include "engine/bf16.h"
#include "engine/product_kernel.h"
#include "engine/transpose.h"

#include <immintrin.h>
#include <string.h>

enum {
    ROWS = 16,
    TILE_COLUMNS = 16,
    COLUMNS = 2 * TILE_COLUMNS,
    DEPTH = 32,
    TILE_NUMBERS = ROWS * DEPTH,
    TILE_STRIDE = DEPTH * sizeof(bf16),
    C_STRIDE = COLUMNS * sizeof(float),
};

/* --- packing: 16 lines x 32 of depth at a time --- */

typedef int32_t dwords __attribute__((vector_size(16 * sizeof(int32_t))));
DEFINE_TRANSPOSE(transpose_dwords, dwords, 16)

/* r[i] becomes column i of the 16 x 16 dwords, each two bf16 side by side. */
ENGINE_INLINE void transpose(__m512i *r)
{
    dwords v[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        v[i] = (dwords)r[i];
    transpose_dwords(v);
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        r[i] = (__m512i)v[i];
}

/* 16 bytes at each of four places, one beside the other: the exchange of quarters that a
 * transposition begins with is left to the loads. */
ENGINE_INLINE __m512i quarters(const bf16 *at, int64_t step)
{
    __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)at));
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(at + step)), 1);
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(at + 2 * step)), 2);
    return _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(at + 3 * step)), 3);
}

/* The numbers 2 k and 2 k + 1 of 16 lines that are contiguous, side by side. */
ENGINE_INLINE __m512i pairs(const bf16 *even, const bf16 *odd)
{
    __m512i low = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)even));
    __m512i high = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)odd));
    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

/* A piece that is whole: where its lines begin and how far apart they, or the depths, are.
 * Each row of `to` is a line (A) or a pair of depths (B). */
ENGINE_INLINE void a_from_lines(bf16 *to, const bf16 *from, int64_t stride)
{
    for (int i = 0; i < ROWS; i++)
        _mm512_store_si512(to + i * DEPTH, _mm512_loadu_si512(from + i * stride));
}

/* 8 lines at a time: a quarter of r[k] holds them at depth k, k + 8, k + 16 or k + 24. */
ENGINE_INLINE void a_from_depths(bf16 *to, const bf16 *from, int64_t stride)
{
    enum { LINES = 8 };
    for (int first = 0; first < ROWS; first += LINES) {
        __m512i r[LINES], s[LINES];
#pragma GCC unroll 8
        for (int k = 0; k < LINES; k++)
            r[k] = quarters(from + k * stride + first, LINES * stride);
#pragma GCC unroll 4
        for (int k = 0; k < LINES; k += 2) { /* 2 depths of lines 0 … 3 and 4 … 7 */
            s[k / 2] = _mm512_unpacklo_epi16(r[k], r[k + 1]);
            s[k / 2 + 4] = _mm512_unpackhi_epi16(r[k], r[k + 1]);
        }
#pragma GCC unroll 4
        for (int k = 0; k < LINES; k += 2) { /* 4 depths of two lines */
            r[k] = _mm512_unpacklo_epi32(s[k], s[k + 1]);
            r[k + 1] = _mm512_unpackhi_epi32(s[k], s[k + 1]);
        }
#pragma GCC unroll 4
        for (int k = 0; k < LINES; k += 2) { /* 8 depths of a line */
            const int pair = k / 4 * 4 + k % 4 / 2;
            _mm512_store_si512(to + (first + k) * DEPTH,
                               _mm512_unpacklo_epi64(r[pair], r[pair + 2]));
            _mm512_store_si512(to + (first + k + 1) * DEPTH,
                               _mm512_unpackhi_epi64(r[pair], r[pair + 2]));
        }
    }
}

/* 4 pairs of depth at a time: a quarter of r[i] holds them of line i, i + 4, i + 8 or
 * i + 12. */
ENGINE_INLINE void b_from_lines(bf16 *to, const bf16 *from, int64_t stride)
{
    enum { PAIRS = 4 };
    for (int first = 0; first < DEPTH / 2; first += PAIRS) {
        __m512i r[PAIRS], s[PAIRS];
#pragma GCC unroll 4
        for (int i = 0; i < PAIRS; i++)
            r[i] = quarters(from + i * stride + 2 * first, PAIRS * stride);
        s[0] = _mm512_unpacklo_epi32(r[0], r[1]);
        s[1] = _mm512_unpackhi_epi32(r[0], r[1]);
        s[2] = _mm512_unpacklo_epi32(r[2], r[3]);
        s[3] = _mm512_unpackhi_epi32(r[2], r[3]);
        bf16 *at = to + first * DEPTH;
        _mm512_store_si512(at, _mm512_unpacklo_epi64(s[0], s[2]));
        _mm512_store_si512(at + DEPTH, _mm512_unpackhi_epi64(s[0], s[2]));
        _mm512_store_si512(at + 2 * DEPTH, _mm512_unpacklo_epi64(s[1], s[3]));
        _mm512_store_si512(at + 3 * DEPTH, _mm512_unpackhi_epi64(s[1], s[3]));
    }
}

ENGINE_INLINE void b_from_depths(bf16 *to, const bf16 *from, int64_t stride)
{
    for (int64_t k = 0; k < DEPTH / 2; k++)
        _mm512_store_si512(to + k * DEPTH,
                           pairs(from + 2 * k * stride, from + (2 * k + 1) * stride));
}

typedef void pack_piece(bf16 *to, const bf16 *from, int64_t stride);

/* A piece that is not whole goes through a copy filled up with zeros. */
ENGINE_INLINE void pack_rest(bf16 *to, const struct lines *from, const bf16 *at,
                             int64_t lines, int64_t depth, pack_piece *by_lines)
{
    bf16 whole[ROWS][DEPTH] = {{0}};
    for (int64_t i = 0; i < lines; i++)
        for (int64_t k = 0; k < depth; k++)
            whole[i][k] = at[i * from->line_stride + k * from->depth_stride];
    by_lines(to, whole[0], DEPTH);
}

ENGINE_INLINE void pack_16(bf16 *to, const struct lines *from, int64_t first,
                           int64_t lines, int64_t at_depth, int64_t depth,
                           pack_piece *by_lines, pack_piece *by_depths)
{
    const bf16 *at = (const bf16 *)from->at + first * from->line_stride +
                     at_depth * from->depth_stride;
    int64_t left = lines - first, deep = depth - at_depth;
    if (left < ROWS || deep < DEPTH)
        pack_rest(to, from, at,
                  left < 0      ? 0
                  : left < ROWS ? left
                                : ROWS,
                  deep < DEPTH ? deep : DEPTH, by_lines);
    else if (from->depth_stride == 1)
        by_lines(to, at, from->line_stride);
    else
        by_depths(to, at, from->depth_stride);
}

/* Where lines are contiguous, a piece of all panels before the next piece of depth: what
 * is read is then whole rows of memory. */
ENGINE_INLINE void pack_panels(bf16 *panels, const struct lines *from, int64_t lines,
                               int64_t depth, int64_t padded, int width,
                               pack_piece *by_lines, pack_piece *by_depths)
{
    const bool deep_first = from->depth_stride == 1;
    const int64_t all = (lines + width - 1) / width * width;
    const int64_t outer = deep_first ? all : depth, inner = deep_first ? depth : all;
    const int64_t outer_step = deep_first ? ROWS : DEPTH;
    const int64_t inner_step = deep_first ? DEPTH : ROWS;
    for (int64_t o = 0; o < outer; o += outer_step)
        for (int64_t n = 0; n < inner; n += inner_step) {
            int64_t line = deep_first ? o : n, k = deep_first ? n : o;
            int64_t panel = line / width * width;
            bf16 *to = panels + panel * padded + k * width + (line - panel) * DEPTH;
            pack_16(to, from, line, lines, k, depth, by_lines, by_depths);
        }
}

static void pack_a(void *panels, const struct lines *from, int64_t lines, int64_t depth,
                   int64_t padded)
{
    pack_panels(panels, from, lines, depth, padded, ROWS, a_from_lines, a_from_depths);
}

static void pack_b(void *panels, const struct lines *from, int64_t lines, int64_t depth,
                   int64_t padded)
{
    pack_panels(panels, from, lines, depth, padded, COLUMNS, b_from_lines, b_from_depths);
}

/* --- the product --- */

/* A's lines are x_stride bytes apart, its tiles x_step numbers.
 * a_once: A comes from the second-level cache and is needed once; the hint keeps B's panel,
 * which is needed for every row, in the first. */
ENGINE_INLINE void multiply_tiles(float *c, const bf16 *x, int64_t x_stride,
                                  int64_t x_step, const bf16 *y, int64_t depth, bool add,
                                  const bool a_once)
{
    if (add) {
        TILE_LOAD(0, c, C_STRIDE);
        TILE_LOAD(1, c + TILE_COLUMNS, C_STRIDE);
    } else {
        TILE_ZERO(0);
        TILE_ZERO(1);
    }
    for (int64_t k = 0; k < depth; k += DEPTH, x += x_step, y += 2 * TILE_NUMBERS) {
        if (a_once)
            TILE_LOAD_ONCE(2, x, x_stride);
        else
            TILE_LOAD(2, x, x_stride);
        TILE_LOAD(3, y, TILE_STRIDE);
        TILE_PRODUCT(0, 2, 3);
        TILE_LOAD(3, y + TILE_NUMBERS, TILE_STRIDE);
        TILE_PRODUCT(1, 2, 3);
    }
    TILE_STORE(0, c, C_STRIDE);
    TILE_STORE(1, c + TILE_COLUMNS, C_STRIDE);
}

enum { CACHE_LINE = 64 };

/* Into the second level: the first is full of what is in use. */
ENGINE_INLINE void fetch(const char *at, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i += CACHE_LINE)
        __builtin_prefetch(at + i, 0, 2);
}

ENGINE_INLINE void fetch_ahead(const struct tile *t)
{
    fetch(t->next, t->next_bytes);
    for (int64_t i = 0; i < t->c_ahead_rows; i++)
        fetch(t->c_ahead + i * t->c_ahead_stride, t->c_ahead_bytes);
}

static void multiply(const struct tile *t)
{
    fetch_ahead(t);
    multiply_tiles(t->c, t->a, TILE_STRIDE, TILE_NUMBERS, t->b, t->depth, t->add, true);
}

static void multiply_across(const struct tile *t)
{
    fetch_ahead(t);
    multiply_tiles(t->c, t->a, t->a_stride * (int64_t)sizeof(bf16), DEPTH, t->b, t->depth,
                   t->add, true);
}

/* Both panels are in the first-level cache. */
static void multiply_near(float *c, const bf16 *a, const bf16 *b, int64_t depth, bool add)
{
    multiply_tiles(c, a, TILE_STRIDE, TILE_NUMBERS, b, depth, add, false);
}

static void put_bf16(bf16 *to, int64_t stride, const float *tile, const float *bias)
{
    __m512 low = bias ? _mm512_loadu_ps(bias) : _mm512_setzero_ps();
    __m512 high = bias ? _mm512_loadu_ps(bias + TILE_COLUMNS) : _mm512_setzero_ps();
    for (int i = 0; i < ROWS; i++, tile += COLUMNS, to += stride)
        _mm512_storeu_si512(
            to, ROUND(_mm512_add_ps(_mm512_load_ps(tile), low),
                      _mm512_add_ps(_mm512_load_ps(tile + TILE_COLUMNS), high)));
}

#include "engine/amx_attention.h"

const struct product_kernel KERNEL = {
    .name = NAME,
    .rows = ROWS,
    .columns = COLUMNS,
    .depth = DEPTH,
    .number_bytes = sizeof(bf16),
    .only_bf16 = true,
    .tiles_ahead = 4,
    .l2_share = 0.4,
    .is_there = is_there,
    .thread_begin = thread_begin,
    .thread_end = thread_end,
    .pack_a = pack_a,
    .pack_b = pack_b,
    .multiply = multiply,
    .multiply_across = multiply_across,
    .put_bf16 = put_bf16,
    .attention = &attention_ops,
};
