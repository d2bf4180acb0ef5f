/* A tensor in a weight file, read as f32 whatever its dtype and the order it is in. */
#ifndef GAIT_CHECKPOINT_TENSOR_SOURCE_H
#define GAIT_CHECKPOINT_TENSOR_SOURCE_H

#include "checkpoint/safetensors.h"

struct tensor_source {
    const struct safetensors_file *file; /* NULL: the tensor is all zeros */
    const struct safetensor *tensor;
    int64_t rows, columns; /* as Gait knows it; a vector has 1 row */
    bool transposed;       /* the file holds (columns, rows) */
};

/* Numbers [first, first + n) in the file's order. */
enum status tensor_source_read(const struct tensor_source *s, int64_t first, int64_t n,
                               float *out, struct err *err);
/* All numbers, in the file's order or the other one. */
enum status tensor_source_all(const struct tensor_source *s, bool transposed, float *out,
                              struct err *err);
/* *equal: do two tensors of the same size hold the same bits, as f32, in file order? */
enum status tensor_source_equal(bool *equal, const struct tensor_source *a,
                                const struct tensor_source *b, struct err *err);

#endif
