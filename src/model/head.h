/*
 * The head and the loss, a piece of the batch's rows after another: the logits of a large
 * vocabulary are more than all activations together, and of a piece they exist only until
 * its loss and gradients are known.
 */
#ifndef GAIT_MODEL_HEAD_H
#define GAIT_MODEL_HEAD_H

#include "model/model.h"

/* Set head_pieces and head_rows; model_init() does. */
void head_cut(struct model *m);
/* Of narrow's rows: logits, softmax and loss. */
void head_forward(struct model *m, const struct model_batch *batch, int64_t piece);
/* After its forward pass: narrow's rows become their gradient. Pieces go from the last to
 * the first, so that the logits that stay are those of the first rows. */
void head_backward(struct model *m, const struct model_batch *batch, int64_t piece,
                   real scale, bool accumulate);

#endif
