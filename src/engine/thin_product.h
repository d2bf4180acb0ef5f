/*
 * Products of few rows by columns of B that are contiguous in depth: a model that writes
 * reads all its weights for every token, and nothing is packed that is read once. The
 * columns stream from memory, the rows stay in the first-level cache.
 *
 * Each number of C is one sum in an order that depends on the depth alone.
 */
#ifndef GAIT_ENGINE_THIN_PRODUCT_H
#define GAIT_ENGINE_THIN_PRODUCT_H

#include "engine/product.h"

enum { THIN_ROWS_MAX = 4 };

bool thin_product_suits(const struct product_shape *shape);
void thin_product_run(const struct product_shape *shape, void *c, const void *a,
                      const void *b, const float *bias);

#endif
