/*
 * Panels of f32 for kernels that multiply f32: number (line, k) of a panel of `lines_max`
 * lines stands at k * lines_max + line. bf16 is widened while it is packed: the product is
 * that of the bf16 numbers, with f32 sums.
 *
 * Lines that are contiguous in depth are transposed in registers, PACK_LANES lines by as
 * many of depth. Lines that lie side by side are copied.
 *
 * Included by each kernel's file, which says PACK_LANES (4, 8 or 16: a vector), so that
 * the loops are compiled for its instructions.
 */
#ifndef GAIT_ENGINE_PACK_F32_H
#define GAIT_ENGINE_PACK_F32_H

#include "engine/bf16.h"
#include "engine/product_kernel.h"
#include "engine/transpose.h"

#include <string.h>

ENGINE_INLINE const void *line_number(const struct lines *from, int64_t line, int64_t k)
{
    int64_t at = line * from->line_stride + k * from->depth_stride;
    return (const char *)from->at +
           at * (int64_t)(from->bf16 ? sizeof(bf16) : sizeof(float));
}

ENGINE_INLINE float one_number(const struct lines *from, int64_t line, int64_t k)
{
    const void *at = line_number(from, line, k);
    return from->bf16 ? bf16_to_float(*(const bf16 *)at) : *(const float *)at;
}

/* --- lines that are contiguous in depth --- */

/* pack_square_n: `width` lines from the first on, n of depth, all of them there, by
 * vectors of n numbers. */
#define DEFINE_PACK_SQUARE(n)                                                            \
    typedef float pack_vector_##n __attribute__((vector_size((n) * sizeof(float))));     \
    typedef uint32_t pack_bits_##n __attribute__((vector_size((n) * sizeof(uint32_t)))); \
    typedef bf16 pack_half_##n __attribute__((vector_size((n) * sizeof(bf16))));         \
    DEFINE_TRANSPOSE(pack_transpose_##n, pack_vector_##n, n)                             \
                                                                                         \
    ENGINE_INLINE void pack_load_##n(pack_vector_##n *v, const void *from, bool half)    \
    {                                                                                    \
        pack_half_##n halves;                                                            \
        if (!half) {                                                                     \
            memcpy(v, from, sizeof *v);                                                  \
            return;                                                                      \
        }                                                                                \
        memcpy(&halves, from, sizeof halves);                                            \
        pack_bits_##n bits = __builtin_convertvector(halves, pack_bits_##n) << 16;       \
        memcpy(v, &bits, sizeof *v);                                                     \
    }                                                                                    \
                                                                                         \
    ENGINE_INLINE void pack_square_##n(float *to, const struct lines *from,              \
                                       int64_t first, int64_t k, const int width,        \
                                       const int lines_max)                              \
    {                                                                                    \
        pack_vector_##n v[n];                                                            \
        _Pragma("GCC unroll 16") for (int i = 0; i < (n); i++)                           \
        {                                                                                \
            v[i] = (pack_vector_##n){0};                                                 \
            if (i < width)                                                               \
                pack_load_##n(&v[i], line_number(from, first + i, k), from->bf16);       \
        }                                                                                \
        pack_transpose_##n(v);                                                           \
        _Pragma("GCC unroll 16") for (int i = 0; i < (n); i++)                           \
            memcpy(to + i * lines_max, &v[i], (size_t)width * sizeof *to);               \
    }

DEFINE_PACK_SQUARE(4)
DEFINE_PACK_SQUARE(8)
DEFINE_PACK_SQUARE(16)

/* All lines of a panel, `lanes` of depth. */
ENGINE_INLINE void pack_squares(float *to, const struct lines *from, int64_t k,
                                const int lanes, const int lines_max)
{
    const int width = lines_max < lanes ? lines_max : lanes;
#pragma GCC unroll 4
    for (int i = 0; i < lines_max; i += width)
        if (lanes == 16)
            pack_square_16(to + i, from, i, k, width, lines_max);
        else if (lanes == 8)
            pack_square_8(to + i, from, i, k, width, lines_max);
        else
            pack_square_4(to + i, from, i, k, width, lines_max);
}

/* Depth [k, depth), number by number; lines that are not there are zeros. */
ENGINE_INLINE void pack_numbers(float *panel, const struct lines *from, int64_t lines,
                                int64_t k, int64_t depth, const int lines_max)
{
    for (; k < depth; k++)
        for (int64_t i = 0; i < lines_max; i++)
            panel[k * lines_max + i] = i < lines ? one_number(from, i, k) : 0;
}

ENGINE_INLINE void pack_across(float *panel, const struct lines *from, int64_t lines,
                               int64_t depth, const int lines_max)
{
    const int lanes = lines_max % PACK_LANES && PACK_LANES > 8 ? 8 : PACK_LANES;
    int64_t k = 0;
    for (; lines >= lines_max && k + lanes <= depth; k += lanes)
        pack_squares(panel + k * lines_max, from, k, lanes, lines_max);
    pack_numbers(panel, from, lines, k, depth, lines_max);
}

/* --- lines that lie side by side --- */

/* Of all panels before the next: so much is read of neighbouring rows at a time. */
enum { PACK_DEPTH = 32, PACK_LINE = 64 / sizeof(float) };

ENGINE_INLINE void pack_along(float *panel, const struct lines *from, int64_t lines,
                              int64_t k, int64_t end, const int lines_max)
{
    if (lines < lines_max) {
        pack_numbers(panel, from, lines, k, end, lines_max);
        return;
    }
    for (; k < end; k++) {
        float *to = panel + k * lines_max;
        for (int i = 0; i < lines_max; i += PACK_LINE) /* they lie on different pages */
            __builtin_prefetch(line_number(from, i, k + PACK_DEPTH));
        if (from->bf16)
            for (int i = 0; i < lines_max; i++)
                to[i] = bf16_to_float(((const bf16 *)line_number(from, 0, k))[i]);
        else
            for (int i = 0; i < lines_max; i++)
                to[i] = ((const float *)line_number(from, 0, k))[i];
    }
}

/* --- both --- */

ENGINE_INLINE void pack_f32(float *panels, const struct lines *from, int64_t lines,
                            int64_t depth, int64_t padded, const int lines_max)
{
    const bool along = from->line_stride == 1;
    const int64_t step = along ? PACK_DEPTH : depth;
    for (int64_t k = 0; k < depth; k += step)
        for (int64_t i = 0; i < lines; i += lines_max) {
            struct lines of = *from;
            of.at = line_number(from, i, 0);
            if (along)
                pack_along(panels + i * padded, &of, lines - i, k,
                           depth - k < step ? depth : k + step, lines_max);
            else
                pack_across(panels + i * padded, &of, lines - i, depth, lines_max);
        }
}

#endif
