/* A model's shape as JSON, checked, and what tells two shapes apart. */
#ifndef GAIT_CHECKPOINT_SHAPE_JSON_H
#define GAIT_CHECKPOINT_SHAPE_JSON_H

#include "base/json_read.h"
#include "base/strbuf.h"
#include "model/shape.h"

/* {"family":"gpt2","layers":4,…}, compact; every number reads back exactly. */
void shape_write_json(struct strbuf *out, const struct model_shape *shape);
/* A field that is missing, of another kind or without sense is an error. */
enum status shape_read_json(struct model_shape *shape, const struct json *j,
                            struct err *err);

/* Could there be such a model? Sizes are positive and bounded, so that no product of them
 * overflows; heads divide what they must. For shapes that come from a file. */
enum status shape_check(const struct model_shape *shape, struct err *err);

/* Append "layers 4 here, 6 in the file; …"; false and nothing where they are equal. */
bool shape_differences(struct strbuf *out, const struct model_shape *here,
                       const struct model_shape *file);

#endif
