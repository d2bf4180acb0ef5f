/*
 * Where a training begins: from the latest checkpoint, from given weights, or from random
 * ones. init_from is looked at first, for it says what the model is.
 */
#ifndef GAIT_TRAIN_START_H
#define GAIT_TRAIN_START_H

#include "train/trainer.h"

/* Once the tensors are there: fill weights and moments, set first_step. */
enum status trainer_start(struct trainer *t, struct err *err);

#endif
