/*
 * Linears by oneDNN: four matmul primitives a shape, created by onednn_linear_open() and
 * only executed afterwards. Signatures and shapes: struct engine_ops.
 */
#ifndef GAIT_ENGINE_ONEDNN_LINEAR_H
#define GAIT_ENGINE_ONEDNN_LINEAR_H

#include "engine/ops.h"

enum status onednn_linear_open(struct linear *l, struct err *err);
void onednn_linear_close(struct linear *l);
void onednn_linear_forward(const struct linear *l, real *y, const real *x, const real *w,
                           const real *b);
void onednn_linear_backward_input(const struct linear *l, real *dx, const real *dy,
                                  const real *w);
void onednn_linear_backward_weight(const struct linear *l, real *dw, real *db,
                                   const real *dy, const real *x, bool accumulate);

#endif
