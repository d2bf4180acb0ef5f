/* The learning rate of a step: linear warm-up, then half a cosine down to the minimum. */
#ifndef GAIT_OPTIM_SCHEDULE_H
#define GAIT_OPTIM_SCHEDULE_H

#include <stdint.h>

struct schedule {
    double peak, minimum;
    int64_t warmup_steps, steps;
};

/* step is 0 … steps - 1. Step warmup_steps - 1 has the peak, step steps - 1 the minimum.
 */
double schedule_rate(const struct schedule *s, int64_t step);

#endif
