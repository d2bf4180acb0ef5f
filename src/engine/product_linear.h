/*
 * Linears made of products (product.h), which are prepared when a linear is opened and only
 * run afterwards. Signatures and shapes: struct engine_ops.
 */
#ifndef GAIT_ENGINE_PRODUCT_LINEAR_H
#define GAIT_ENGINE_PRODUCT_LINEAR_H

#include "engine/ops.h"

/* Whose products: oneDNN's, the engine's own, or of each shape the faster one. */
enum status onednn_linear_open(struct linear *l, struct err *err);
enum status own_linear_open(struct linear *l, struct err *err);
enum status faster_linear_open(struct linear *l, struct err *err);

void product_linear_close(struct linear *l);
void product_linear_forward(const struct linear *l, act *y, const act *x, const act *w,
                            const real *b);
void product_linear_backward_input(const struct linear *l, act *dx, const act *dy,
                                   const act *w);
void product_linear_backward_weight(const struct linear *l, real *dw, const act *dy,
                                    const act *x, bool accumulate);
void product_linear_decide(struct linear *l, const struct linear_operands *o,
                           bool measure);

#endif
