/*
 * Are the products right that this run will use? Each linear of the model, with its own
 * shape, weights, parts and kernels, is run once before the first step, all four products
 * of it, and numbers sampled from the results are compared with sums in double.
 */
#ifndef GAIT_MODEL_MODEL_CHECK_H
#define GAIT_MODEL_MODEL_CHECK_H

#include "model/model.h"

/* After model_bind() and the weights; uses the model's buffers and leaves numbers in its
 * gradients, which the first backward pass overwrites. *error is the largest difference
 * found, relative to the sum of the terms' sizes. One that rounding cannot explain is an
 * error of status ENVIRONMENT. */
enum status model_check(struct model *m, double *error, struct err *err);

/* Let each linear find out who computes it fastest (linear_decide()), where it will run.
 * Needs and leaves what model_check() does. */
void model_decide(struct model *m, bool measure);

#endif
