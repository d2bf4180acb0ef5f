/* Between f32 in memory and the number formats of weight files. */
#ifndef GAIT_CHECKPOINT_NUMBER_FORMAT_H
#define GAIT_CHECKPOINT_NUMBER_FORMAT_H

#include "checkpoint/safetensors.h"

/* F32, F16, BF16 and F64 can be read; F32 and BF16 can be written. */
bool numbers_can_read(enum safetensors_dtype dtype);

/* n numbers. F64 is rounded to the nearest; all others come out exactly. */
void numbers_to_f32(float *out, const void *in, enum safetensors_dtype dtype, size_t n);
/* n numbers; BF16 is rounded to the nearest, ties to even, as PyTorch does. */
void numbers_from_f32(void *out, enum safetensors_dtype dtype, const float *in, size_t n);

#endif
