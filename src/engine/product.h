/*
 * A product: C (rows, columns) = A (rows, depth) B (depth, columns). A linear and its
 * gradients are three of them. A transposed operand is the same memory with its strides
 * swapped.
 *
 * Two make them: oneDNN (onednn_product.h) and the engine itself (own_product.h; of few
 * rows thin_product.h). Which one is faster depends on the shape and the machine: it is
 * measured where the operands are, once, and remembered (product_choice.h).
 */
#ifndef GAIT_ENGINE_PRODUCT_H
#define GAIT_ENGINE_PRODUCT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A matrix as it lies in memory. */
struct matrix_layout {
    int64_t row_stride, column_stride; /* in numbers; one of them is 1 */
    bool bf16;                         /* else f32 */
};

struct product_shape {
    int64_t rows, columns, depth;
    struct matrix_layout a, b, c; /* c's column_stride is 1 */
    bool bias;                    /* (columns), f32, added to every row */
    bool accumulate;              /* C += */
    int64_t sum_max;              /* longer sums are made of sums; 0: none are */
};

enum product_maker { PRODUCT_BY_ONEDNN, PRODUCT_OWN, PRODUCT_MAKERS };
/* Of the two, the one that was faster. Not yet known: oneDNN, until product_decide(). */
enum { PRODUCT_BY_FASTER = PRODUCT_MAKERS };

/* The rounding of one long f32 sum grows with its length: with a vocabulary of 50,257
 * the head's dx was 1.7 times as wrong as PyTorch's. Sums of sums are not. In bf16 each
 * would be rounded to 8 bits, so there a product by oneDNN stays one sum. */
enum { PRODUCT_DEPTH_MAX = 4096 };

struct product;

/* maker: a product_maker or PRODUCT_BY_FASTER. For at most as many threads as there are
 * now. On OK the caller calls product_close(). */
enum status product_open(struct product **out, const struct product_shape *shape,
                         int maker, struct err *err);
void product_close(struct product *p); /* or NULL */

size_t product_workspace_bytes(const struct product *p);
const char *product_kernel(const struct product *p); /* lives as long as p */
bool product_is_undecided(const struct product *p);

/* workspace: so many bytes; bias: NULL where the shape has none. */
typedef void product_use(struct product *p, void *workspace, void *c, const void *a,
                         const void *b, const float *bias);
product_use product_run;
/* Where it is not known who is faster: run both in turns, remember it, and keep the faster
 * one. Where it cannot be remembered, oneDNN: another choice in the next run would be
 * other last bits. c is overwritten or added to. */
product_use product_decide;
/* The same, but only what another process remembered meanwhile counts. */
product_use product_learn;

#endif
