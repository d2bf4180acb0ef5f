/*
 * What each setting could gain at most, by the spans of the config as it is: a step in
 * which all that the setting changes takes no time. What can gain nothing is not tried.
 */
#ifndef GAIT_TUNE_BASELINE_H
#define GAIT_TUNE_BASELINE_H

#include "tune/space.h"

struct baseline {
    double step_ns;              /* mean of the recorded steps */
    double share[TOUCHES_COUNT]; /* of a step; 1 where all of it is touched */
};

/* Trains a few steps of it. */
enum status baseline_record(struct baseline *out, const struct config *config,
                            struct err *err);
void baseline_bound(const struct baseline *b, struct tune_space *space);

#endif
