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

typedef float pack_vector __attribute__((vector_size(PACK_LANES * sizeof(float))));
typedef uint32_t pack_bits __attribute__((vector_size(PACK_LANES * sizeof(uint32_t))));
typedef bf16 pack_half __attribute__((vector_size(PACK_LANES * sizeof(bf16))));

ENGINE_INLINE void load_f32(pack_vector *v, const void *from)
{
    memcpy(v, from, sizeof *v);
}

ENGINE_INLINE void load_bf16(pack_vector *v, const void *from)
{
    pack_half half;
    memcpy(&half, from, sizeof half);
    pack_bits bits = __builtin_convertvector(half, pack_bits) << 16;
    memcpy(v, &bits, sizeof *v);
}

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

DEFINE_TRANSPOSE(pack_transpose, pack_vector, PACK_LANES)

/* `width` lines from the first on, PACK_LANES of depth, all of them there. */
ENGINE_INLINE void pack_square(float *to, const struct lines *from, int64_t first,
                               int64_t k, const int width, const int lines_max)
{
    pack_vector v[PACK_LANES];
#pragma GCC unroll 16
    for (int i = 0; i < PACK_LANES; i++) {
        if (i >= width)
            v[i] = (pack_vector){0};
        else if (from->bf16)
            load_bf16(&v[i], line_number(from, first + i, k));
        else
            load_f32(&v[i], line_number(from, first + i, k));
    }
    pack_transpose(v);
#pragma GCC unroll 16
    for (int i = 0; i < PACK_LANES; i++)
        memcpy(to + i * lines_max, &v[i], (size_t)width * sizeof *to);
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
    const int width = lines_max < PACK_LANES ? lines_max : PACK_LANES;
    int64_t k = 0;
    for (; lines >= lines_max && k + PACK_LANES <= depth; k += PACK_LANES)
#pragma GCC unroll 4
        for (int i = 0; i < lines_max; i += width)
            pack_square(panel + k * lines_max + i, from, i, k, width, lines_max);
    pack_numbers(panel, from, lines, k, depth, lines_max);
}

/* --- lines that lie side by side --- */

/* Of all panels before the next: so much is read of neighbouring rows at a time. */
enum { PACK_DEPTH = 32 };

ENGINE_INLINE void pack_along(float *panel, const struct lines *from, int64_t lines,
                              int64_t k, int64_t end, const int lines_max)
{
    if (lines < lines_max) {
        pack_numbers(panel, from, lines, k, end, lines_max);
        return;
    }
    for (; k < end; k++) {
        float *to = panel + k * lines_max;
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
