/* The arithmetic of a training step, counted from shapes. */
#ifndef GAIT_MODEL_MODEL_COST_H
#define GAIT_MODEL_MODEL_COST_H

#include "model/model.h"

/* Of one forward and backward pass over the batch: every product of the linears and of
 * attention, what recompute repeats left out (it is no use to anyone but memory). The
 * elementwise rest, a few thousandths, is not counted. */
double model_flop(const struct model *m);

/* The linear whose products are most of a step's arithmetic, over all layers. */
const struct linear *model_heaviest_linear(const struct model *m);

#endif
