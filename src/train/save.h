/* When a training is saved, and what goes into its checkpoint. */
#ifndef GAIT_TRAIN_SAVE_H
#define GAIT_TRAIN_SAVE_H

#include "train/trainer.h"

struct saver {
    int64_t saved_step; /* steps behind the last checkpoint; first_step before it */
    int64_t tried_ns;   /* when a save was last tried, or when the training began */
    int64_t failed;     /* saves that failed so far */
};

void saver_init(struct saver *v, const struct trainer *t);
/* With `step` steps done: by steps, epochs or minutes. */
bool saver_due(const struct saver *v, const struct trainer *t, int64_t step);
/* When that will be again, in words: "after step 400 of 1000". */
void saver_next(char *out, size_t size, const struct trainer *t, int64_t step);
/* A checkpoint as of this step in that folder. */
enum status save_to(const char *dir, struct trainer *t, int64_t step, struct err *err);

/* The seconds that a checkpoint takes: one is written into a new folder whose name begins
 * with `beginning`, and removed. */
enum status save_timed(double *seconds, struct trainer *t, const char *beginning,
                       struct err *err);

/* Save to checkpoint_dir where it is set; rank 0 alone does. */
enum status saver_save(struct saver *v, struct trainer *t, int64_t step, struct err *err);
/* The last save of a run. All ranks call it, learn how it went at rank 0, and may leave
 * together; the err is rank 0's alone. */
enum status saver_save_last(struct saver *v, struct trainer *t, int64_t step,
                            struct err *err);

#endif
