/*
 * Two trainers side by side, before (0) and after (1), each with its own copy of its
 * settings for a trial: no checkpoints, no logs. One text is read once and both look at
 * it.
 */
#ifndef GAIT_VERIFY_TRAINER_PAIR_H
#define GAIT_VERIFY_TRAINER_PAIR_H

#include "train/trainer.h"

struct trainer_pair {
    struct trainer t[2];
    struct config config[2];
    bool open[2];
};

/* The caller calls trainer_pair_close(), after a failure too. *p must not move. */
enum status trainer_pair_open(struct trainer_pair *p, const struct config *before,
                              const struct config *after, struct err *err);
/* status is how it went. */
void trainer_pair_close(struct trainer_pair *p, enum status status);

/* Do both train and validate on the same tokens? */
static inline bool trainer_pair_same_text(const struct trainer_pair *p)
{
    return p->t[1].data_is_lent;
}

#endif
