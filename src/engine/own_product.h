/*
 * Products of our own: both operands are packed into panels, a block of A's panels stays
 * in the second-level cache and a panel of B in the first while a micro-kernel
 * (product_kernel.h) runs over them. What decided the sizes: docs/kernels.md.
 *
 * Each number of C is one sum in the order of its depth (in pieces of at most PRODUCT_DEPTH_MAX),
 * whatever the threads: results depend neither on how many there are nor on who takes what.
 */
#ifndef GAIT_ENGINE_OWN_PRODUCT_H
#define GAIT_ENGINE_OWN_PRODUCT_H

#include "engine/product.h"
#include "engine/product_kernel.h"

struct own_product {
    struct product_shape shape;
    const struct product_kernel *kernel;
    int threads;          /* at most */
    bool a_in_place;      /* A is not packed */
    int64_t piece;        /* of the depth, for which B is packed at once */
    int64_t depth_block;  /* of it, for which a panel of B fits the first-level cache */
    int64_t row_block;    /* whose panels of A fit the second-level cache */
    int64_t column_block; /* whose panels of B fit the last level */
    /* of the workspace: a block of B's panels; of each thread, panels of A and a stripe of C */
    size_t b_bytes, a_bytes, stripe_bytes, sums_bytes;
    size_t workspace_bytes;
};

/* Plans it. `kernel` can take the operands: product_kernel_for(). */
void own_product_open(struct own_product *p, const struct product_shape *shape,
                      const struct product_kernel *kernel, int threads);

/* workspace: workspace_bytes of it. */
void own_product_run(const struct own_product *p, void *workspace, void *c, const void *a,
                     const void *b, const float *bias);

#endif
