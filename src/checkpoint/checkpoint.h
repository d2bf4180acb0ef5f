/*
 * A model's weights on disk: <dir>/model.safetensors, f32. Saving replaces the old file
 * in one rename; a crash leaves the old one or the new one.
 *
 * Tensors carry the names of Hugging Face's GPT-2, but its Conv1D stores a linear's
 * weight (inputs, outputs) and this file stores it (outputs, inputs): the square
 * attn.c_proj would load there without an error and be wrong. The metadata therefore says
 * what the file is, and does not say "format: pt", which their loader asks for:
 *
 *   format      gait
 *   layout      linear weights are (outputs, inputs)
 *   model       {"layers":4,"heads":4,"width":128,"context":128,"bias":true}
 *   vocabulary  [10,32,46,…]: token i is the character with the code point at place i
 *   gait.step   steps of training behind the weights
 */
#ifndef GAIT_CHECKPOINT_CHECKPOINT_H
#define GAIT_CHECKPOINT_CHECKPOINT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHECKPOINT_DIMS_MAX = 4 };

struct checkpoint_tensor {
    const char *name;
    int dims;
    int64_t shape[CHECKPOINT_DIMS_MAX]; /* (dims) */
    float *data;                        /* (product of shape); save only reads it */
};

/* What is needed to use the weights. */
struct checkpoint_model {
    int64_t layers, heads, width, context;
    bool bias;
    const uint32_t *vocabulary; /* (characters) code points */
    size_t characters;
};

/* Make dir where it is missing (not its parents) and see that a checkpoint can be written
 * into it; for before the training. */
enum status checkpoint_check(const char *dir, struct err *err);

/* Save n tensors of a model as of a step. dir is made where it is missing (not its
 * parents). */
enum status checkpoint_save(const char *dir, const struct checkpoint_model *model,
                            const struct checkpoint_tensor *tensor, size_t n,
                            int64_t step, struct err *err);

/* Load into the tensors' data. The file must hold exactly these names with these shapes
 * in F32; this is checked for all before any data is read, so that a wrong checkpoint
 * changes nothing. (A disk that fails half-way does.) *step is -1 where the file does not
 * say; step may be NULL. */
enum status checkpoint_load(const char *dir, const struct checkpoint_tensor *tensor,
                            size_t n, int64_t *step, struct err *err);

#endif
