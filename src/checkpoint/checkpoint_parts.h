/* What the files of this folder that read checkpoints share. */
#ifndef GAIT_CHECKPOINT_CHECKPOINT_PARTS_H
#define GAIT_CHECKPOINT_CHECKPOINT_PARTS_H

#include "checkpoint/checkpoint.h"

/* A safetensors file of the checkpoint whose header is the one that was written. On OK
 * the caller calls safetensors_close(). */
enum status checkpoint_open_file(const struct checkpoint *c, struct safetensors_file *f,
                                 const char *name, struct err *err);

#endif
