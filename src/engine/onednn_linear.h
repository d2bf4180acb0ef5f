/*
 * Linears by oneDNN: four matmul primitives a shape, created by onednn_linear_open() and
 * only executed afterwards. Signatures and shapes: struct engine_ops.
 */
#ifndef GAIT_ENGINE_ONEDNN_LINEAR_H
#define GAIT_ENGINE_ONEDNN_LINEAR_H

#include "engine/ops.h"

enum status onednn_linear_open(struct linear *l, struct err *err);
void onednn_linear_close(struct linear *l);
void onednn_linear_forward(const struct linear *l, act *y, const act *x, const act *w,
                           const real *b);
void onednn_linear_backward_input(const struct linear *l, act *dx, const act *dy,
                                  const act *w);
void onednn_linear_backward_weight(const struct linear *l, real *dw, const act *dy,
                                   const act *x, bool accumulate);

#endif
