/* Which settings would fit, for a run that does not. */
#ifndef GAIT_TRAIN_WHAT_FITS_H
#define GAIT_TRAIN_WHAT_FITS_H

#include "train/trainer.h"

/* Add to *err, the refusal of t's plan, the settings that would fit, those first that
 * leave the training as it is; or that none does. */
void say_what_fits(const struct trainer *t, struct err *err);

#endif
