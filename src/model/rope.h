/* The angles of rotary positions. */
#ifndef GAIT_MODEL_ROPE_H
#define GAIT_MODEL_ROPE_H

#include "engine/real.h"
#include "model/shape.h"

/* Fill cosine and sine (T, D / 2), T and D the shape's context and head size. Angles are
 * f32, as every Hugging Face model computes them: a finer table would be another model.
 */
void rope_fill(real *cosine, real *sine, const struct model_shape *shape);

#endif
