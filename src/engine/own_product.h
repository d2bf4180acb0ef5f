/*
 * Products of our own: both operands are packed into panels for a micro-kernel
 * (product_kernel.h). Of one operand each thread packs blocks for itself, that stay in its
 * second-level cache; the other is packed by all, and its panels stream past the blocks.
 * What decided the sizes: docs/kernels.md.
 *
 * Each number of C is one sum in the order of its depth (in pieces of at most PRODUCT_DEPTH_MAX),
 * whatever the threads: results depend neither on how many there are nor on who takes what.
 */
#ifndef GAIT_ENGINE_OWN_PRODUCT_H
#define GAIT_ENGINE_OWN_PRODUCT_H

#include "engine/product.h"
#include "engine/product_kernel.h"

/* A or B, made of lines: rows of A, columns of B. */
struct operand_plan {
    int64_t lines, unit; /* unit: of a panel */
    int64_t in_place;    /* the first so many are read where they lie */
    int64_t block;       /* lines that are worked on at once, a multiple of unit */
    size_t block_bytes;  /* of their panels */
};

struct own_product {
    struct product_shape shape;
    const struct product_kernel *kernel;
    int threads; /* at most */
    struct operand_plan a, b;
    bool b_is_own;                  /* threads take blocks of B, else of A */
    int64_t piece;                  /* of the depth: what is packed at once */
    int64_t depth_block;            /* of it: what a tile is computed over at once */
    size_t tiles_bytes, sums_bytes; /* of a thread: tiles of C; of all: sums of pieces */
    size_t workspace_bytes;
};

static inline const struct operand_plan *plan_of(const struct own_product *p, bool is_b)
{
    return is_b ? &p->b : &p->a;
}

/* Of panels and tiles: a vector, a cache line. */
enum { OWN_ALIGNMENT = 64 };

static inline int64_t round_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static inline int64_t pieces_of(int64_t n, int64_t most)
{
    return (n + most - 1) / most;
}

static inline int64_t at_least(int64_t n, int64_t least)
{
    return n < least ? least : n;
}

static inline int64_t at_most(int64_t n, int64_t most)
{
    return n > most ? most : n;
}

/* Plans it (own_plan.c). `kernel` can take the operands: product_kernel_for(). */
void own_product_open(struct own_product *p, const struct product_shape *shape,
                      const struct product_kernel *kernel, int threads);

/* workspace: workspace_bytes of it. */
void own_product_run(const struct own_product *p, void *workspace, void *c, const void *a,
                     const void *b, const float *bias);

#endif
