/* What a change must reach, and how much it may differ. NAN: the gate's own default. */
#ifndef GAIT_VERIFY_TARGETS_H
#define GAIT_VERIFY_TARGETS_H

#include "base/status.h"

#include <math.h>

/* E(field, "what it is") */
#define TARGET_LIST(E)                                                                   \
    E(min_speedup, "time before over time after, its lower bound")                       \
    E(max_memory_ratio, "memory after over memory before")                               \
    E(max_logit_error, "of logits, as a part of their size")                             \
    E(max_grad_error, "of any parameter's gradient, as a part of its size")              \
    E(max_movement_error, "of any parameter's movement, as a part of its size")          \
    E(max_loss_difference, "of losses at equal steps, nats")                             \
    E(max_loader_wait, "of a step, waiting for data")

struct targets {
#define TARGET_FIELD(field, what) double field;
    TARGET_LIST(TARGET_FIELD)
#undef TARGET_FIELD
};

struct targets targets_default(void); /* all NAN */

/* The target, or the gate's own bound where none is set. */
static inline double target_or(double target, double by_default)
{
    return isnan(target) ? by_default : target;
}

/* The growth of the step's time that min_speedup allows. */
double targets_slowdown(const struct targets *t);

/* From a YAML file of "name: number" lines. */
enum status targets_read(struct targets *out, const char *path, struct err *err);

#endif
