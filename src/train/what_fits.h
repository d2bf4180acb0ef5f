/* Which settings would fit, for a run that does not. */
#ifndef GAIT_TRAIN_WHAT_FITS_H
#define GAIT_TRAIN_WHAT_FITS_H

#include "train/trainer.h"

/* Each of them alone would do. */
struct what_fits {
    int64_t batch_size;            /* the largest; 0: none */
    int64_t gradient_accumulation; /* the least, of the same batch_size; 0: none */
    bool recompute;                /* the same batch_size with recompute: true */
};

/* Of t, whose plan does not fit: plan and model are there. */
struct what_fits what_fits(const struct trainer *t);

/* Add to *err, the refusal of t's plan, the settings that would fit, those first that
 * leave the training as it is; or that none does. */
void say_what_fits(const struct trainer *t, struct err *err);

#endif
