/*
 * Panels of f32 for kernels that multiply f32: number (line, k) of a panel of `lines_max`
 * lines stands at k * lines_max + line. bf16 is widened while it is packed: the product is
 * that of the bf16 numbers, with f32 sums.
 *
 * Included by each kernel's file, so that the loops are compiled for its instructions.
 */
#ifndef GAIT_ENGINE_PACK_F32_H
#define GAIT_ENGINE_PACK_F32_H

#include "engine/bf16.h"
#include "engine/product_kernel.h"

/* Lines that are contiguous: a row of the panel is a piece of memory. */
ENGINE_INLINE void pack_along_lines(float *panel, const struct lines *from, int64_t lines,
                                    int64_t depth, int lines_max)
{
    for (int64_t k = 0; k < depth; k++, panel += lines_max) {
        const float *f32 = (const float *)from->at + k * from->depth_stride;
        const bf16 *half = (const bf16 *)from->at + k * from->depth_stride;
        for (int64_t i = lines; i < lines_max; i++)
            panel[i] = 0;
        if (from->bf16)
            for (int64_t i = 0; i < lines; i++)
                panel[i] = bf16_to_float(half[i]);
        else
            for (int64_t i = 0; i < lines; i++)
                panel[i] = f32[i];
    }
}

/* So much of each line before the next: what is read of a line is then whole cache lines,
 * and what is written stays in the first-level cache. */
enum { PACK_DEPTH = 16 };

ENGINE_INLINE void pack_piece(float *panel, const struct lines *from, int64_t lines,
                              int64_t at, int64_t depth, int lines_max)
{
    for (int64_t i = 0; i < lines_max; i++) {
        const float *f32 = (const float *)from->at + i * from->line_stride + at;
        const bf16 *half = (const bf16 *)from->at + i * from->line_stride + at;
        float *to = panel + at * lines_max + i;
        if (i >= lines)
            for (int64_t k = 0; k < depth; k++)
                to[k * lines_max] = 0;
        else if (from->bf16)
            for (int64_t k = 0; k < depth; k++)
                to[k * lines_max] = bf16_to_float(half[k]);
        else
            for (int64_t k = 0; k < depth; k++)
                to[k * lines_max] = f32[k];
    }
}

ENGINE_INLINE void pack_panel(float *panel, const struct lines *from, int64_t lines,
                              int64_t depth, int lines_max)
{
    if (from->line_stride == 1)
        pack_along_lines(panel, from, lines, depth, lines_max);
    else
        for (int64_t k = 0; k < depth; k += PACK_DEPTH)
            pack_piece(panel, from, lines, k,
                       depth - k < PACK_DEPTH ? depth - k : PACK_DEPTH, lines_max);
}

ENGINE_INLINE void pack_f32(void *panels, const struct lines *from, int64_t lines,
                            int64_t depth, int64_t padded, int lines_max)
{
    const int64_t number = from->bf16 ? sizeof(bf16) : sizeof(float);
    for (int64_t i = 0; i < lines; i += lines_max) {
        struct lines of = *from;
        of.at = (const char *)from->at + i * from->line_stride * number;
        pack_panel((float *)panels + i * padded, &of,
                   lines - i < lines_max ? lines - i : lines_max, depth, lines_max);
    }
}

#endif
