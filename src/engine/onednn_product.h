/* Products by oneDNN's matmul primitives, created once and only executed afterwards. */
#ifndef GAIT_ENGINE_ONEDNN_PRODUCT_H
#define GAIT_ENGINE_ONEDNN_PRODUCT_H

#include "engine/product.h"

struct onednn_product;

/* On OK the caller calls onednn_product_close(). */
enum status onednn_product_open(struct onednn_product **out,
                                const struct product_shape *shape, struct err *err);
void onednn_product_close(struct onednn_product *p); /* or NULL */
size_t onednn_product_workspace_bytes(const struct onednn_product *p);
/* oneDNN's name of the implementation. */
const char *onednn_product_kernel(const struct onednn_product *p);
void onednn_product_run(struct onednn_product *p, void *workspace, void *c, const void *a,
                        const void *b, const float *bias);

#endif
