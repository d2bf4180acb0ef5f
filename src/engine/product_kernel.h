/*
 * Micro-kernels: a small tile of C from a panel of A and a panel of B, each packed in the
 * order in which the kernel reads it. One table an instruction set; what is around them
 * (own_product.c) is the same for all.
 *
 * A line is a row of A or a column of B: what a panel is made of. A panel holds all lines
 * of a tile over some depth, those that are not there and what the depth lacks as zeros.
 *
 * To add one: write the functions, add it to product_kernels[], and
 * tests/unit/engine/test_product.c compares it with plain loops.
 */
#ifndef GAIT_ENGINE_PRODUCT_KERNEL_H
#define GAIT_ENGINE_PRODUCT_KERNEL_H

#include "engine/ops.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where lines lie before they are packed; strides in numbers. */
struct lines {
    const void *at; /* the first number of the first line */
    int64_t line_stride, depth_stride;
    bool bf16;
};

/* Lines into panels, one panel after another, each of `padded` depth. */
typedef void pack_lines(void *panels, const struct lines *from, int64_t lines,
                        int64_t depth, int64_t padded);

struct product_kernel {
    const char *name;
    int rows, columns;   /* of the tile */
    int depth;           /* a panel's depth is a multiple of it */
    size_t number_bytes; /* of a packed number */
    bool only_bf16;      /* its panels are bf16: of f32 operands they would be rounded */
    bool (*is_there)(void);
    void (*thread_begin)(void), (*thread_end)(void); /* or NULL */
    pack_lines *pack_a, *pack_b;
    /* c (rows, columns) = or += the product over depth, a multiple of its own. */
    void (*multiply)(float *c, const void *a, const void *b, int64_t depth, bool add);
    /* The same with A as it lies in memory, contiguous in depth, its lines `stride` bytes
     * apart; NULL: it has to be packed. */
    void (*multiply_rows)(float *c, const void *a, int64_t stride, const void *b,
                          int64_t depth, bool add);
    /* A whole tile, rounded, with a bias or NULL; NULL: it has no better way than C. */
    void (*put_bf16)(uint16_t *to, int64_t stride, const float *tile, const float *bias);
    /* Of bf16 operands, by the same tiles; NULL: tiled_attention.h is as good. */
    const struct attention_ops *attention;
};

/* The fastest first. */
enum { PRODUCT_KERNELS = 4 };
extern const struct product_kernel *const product_kernels[PRODUCT_KERNELS];

extern const struct product_kernel kernel_amx, kernel_amx_stand_in, kernel_avx512,
    kernel_avx2, kernel_plain;

/* The first of this machine that can take the operands. GAIT_ISA (amx, avx512, avx2,
 * plain) leaves out those before it. */
const struct product_kernel *product_kernel_for(bool bf16);
/* Is it in the table, not left out by GAIT_ISA, and there? */
bool product_kernel_is_allowed(const struct product_kernel *k);
/* What GAIT_ISA says where it names no kernel; else NULL. */
const char *product_isa_unknown(void);

#endif
