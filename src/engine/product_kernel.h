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

/* A tile of C over some depth, and what is worth fetching meanwhile. */
struct tile {
    float *c;
    int64_t c_stride;    /* numbers between rows */
    int64_t columns;     /* of it that count: others may be left as they are */
    const void *a, *b;   /* panels; read across, A is where its lines lie … */
    int64_t a_stride;    /* … so many numbers apart */
    int64_t depth;       /* a multiple of the kernel's */
    bool add;            /* to c */
    const float *bias;   /* (columns), added to every row, or NULL */
    const char *next;    /* of the packed panels, what is needed after them … */
    int64_t next_bytes;  /* … so much of it in this tile's time */
    const char *c_ahead; /* the rows of C that are written next */
    int64_t c_ahead_stride, c_ahead_rows, c_ahead_bytes /* of a row */;
};

typedef void multiply_tile(const struct tile *t);

struct product_kernel {
    const char *name;
    int rows, columns;   /* of the tile */
    int depth;           /* a panel's depth is a multiple of it */
    size_t number_bytes; /* of a packed number */
    bool only_bf16;      /* its panels are bf16: of f32 operands they would be rounded */
    /* It fetches panels from the second-level cache itself, writes C where it is, and adds
     * the bias. Else B has to be in the first level, and c is a tile of its own, dense. */
    bool streams;
    int tiles_ahead; /* for which lines of C are fetched */
    double l2_share; /* of the second-level cache, for the block that stays in it */
    bool (*is_there)(void);
    void (*thread_begin)(void), (*thread_end)(void); /* or NULL */
    pack_lines *pack_a, *pack_b;
    multiply_tile *multiply;
    /* The same with A as it lies in memory, its lines contiguous in depth; NULL: it has to
     * be packed. */
    multiply_tile *multiply_across;
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
