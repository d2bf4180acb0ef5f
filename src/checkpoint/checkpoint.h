/*
 * A model's weights on disk: <dir>/model.safetensors, f32, with the step in its metadata.
 * Saving replaces the old file in one rename; a crash leaves the old one or the new one.
 */
#ifndef GAIT_CHECKPOINT_CHECKPOINT_H
#define GAIT_CHECKPOINT_CHECKPOINT_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { CHECKPOINT_DIMS_MAX = 4 };

struct checkpoint_tensor {
    const char *name;
    int dims;
    int64_t shape[CHECKPOINT_DIMS_MAX]; /* (dims) */
    float *data;                        /* (product of shape); save only reads it */
};

/* Save n tensors as of a step. dir is made where it is missing (not its parents). */
enum status checkpoint_save(const char *dir, const struct checkpoint_tensor *tensor,
                            size_t n, int64_t step, struct err *err);

/* Load into the tensors' data. The file must hold exactly these names with these shapes
 * in F32; this is checked for all before any data is read, so that a wrong checkpoint
 * changes nothing. (A disk that fails half-way does.) *step is -1 where the file does not
 * say; step may be NULL. */
enum status checkpoint_load(const char *dir, const struct checkpoint_tensor *tensor,
                            size_t n, int64_t *step, struct err *err);

#endif
