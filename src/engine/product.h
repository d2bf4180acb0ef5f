/*
 * A product: C (rows, columns) = A (rows, depth) B (depth, columns). A linear and its
 * gradients are three of them. A transposed operand is the same memory with its strides
 * swapped.
 *
 * Two make them: oneDNN (onednn_product.h) and the engine itself (own_product.h). Which
 * one is faster depends on the shape and the machine: product_choice.h.
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

enum product_maker { PRODUCT_BY_ONEDNN, PRODUCT_OWN };

/* The rounding of one long f32 sum grows with its length: with a vocabulary of 50,257
 * the head's dx was 1.7 times as wrong as PyTorch's. Sums of sums are not. In bf16 each
 * would be rounded to 8 bits, so there a product by oneDNN stays one sum. */
enum { PRODUCT_DEPTH_MAX = 4096 };

struct product;

/* For at most as many threads as there are now. On OK the caller calls product_close(). */
enum status product_open(struct product **out, const struct product_shape *shape,
                         enum product_maker maker, struct err *err);
void product_close(struct product *p); /* or NULL */

size_t product_workspace_bytes(const struct product *p);
const char *product_kernel(const struct product *p); /* lives as long as p */

/* workspace: so many bytes; bias: NULL where the shape has none. */
void product_run(struct product *p, void *workspace, void *c, const void *a,
                 const void *b, const float *bias);

#endif
