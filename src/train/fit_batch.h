/* Which batch_size would fit, for a run that does not. */
#ifndef GAIT_TRAIN_FIT_BATCH_H
#define GAIT_TRAIN_FIT_BATCH_H

#include "train/trainer.h"

/* The largest batch_size (of all ranks) below the one set whose plan fits; 0: none. */
int64_t batch_that_fits(const struct trainer *t);

/* Add to *err, the refusal of t's plan, the batch_size that fits or that none does. */
void say_what_fits(const struct trainer *t, struct err *err);

#endif
