/*
 * How often to validate and to save, for a given share of the time: by what one validation
 * and one checkpoint of these settings take here.
 */
#ifndef GAIT_TUNE_INTERVALS_H
#define GAIT_TUNE_INTERVALS_H

#include "config/config.h"

struct tune_interval {
    const char *key;   /* of the setting */
    double once_s;     /* measured; NAN: not done */
    int64_t steps;     /* between two; 0: not done */
    char why_not[160]; /* or "" */
};

struct tune_intervals {
    double share; /* of the training's time, each */
    double step_s;
    struct tune_interval evaluation, checkpoint;
};

enum status intervals_measure(struct tune_intervals *out, const struct config *config,
                              double share, struct err *err);

#endif
