/*
 * The learning rate of a step. All kinds warm up linearly: step warmup_steps - 1 has the
 * peak. Then, up to step steps - 1:
 *
 *   cosine     half a cosine down to the minimum
 *   linear     a line down to the minimum
 *   constant   the peak; the minimum is not used
 *   wsd        warm-up, stable, decay: the peak, until the last decay_fraction of all
 *              steps goes down to the minimum, by a line or by 1 - sqrt, which falls fast
 *              first
 *
 * Where the last step also is the one that ends the warm-up, it has the peak.
 */
#ifndef GAIT_OPTIM_SCHEDULE_H
#define GAIT_OPTIM_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/* K(value, "name in settings"): the first is what a zeroed struct schedule has. */
#define SCHEDULE_KIND_LIST(K)                                                            \
    K(COSINE, "cosine")                                                                  \
    K(LINEAR, "linear")                                                                  \
    K(CONSTANT, "constant")                                                              \
    K(WSD, "wsd")

#define DECAY_SHAPE_LIST(K)                                                              \
    K(LINEAR, "linear")                                                                  \
    K(SQRT, "sqrt")

enum schedule_kind {
#define SCHEDULE_KIND_VALUE(value, name) SCHEDULE_KIND_##value,
    SCHEDULE_KIND_LIST(SCHEDULE_KIND_VALUE)
};

enum decay_shape {
#define DECAY_SHAPE_VALUE(value, name) DECAY_SHAPE_##value,
    DECAY_SHAPE_LIST(DECAY_SHAPE_VALUE)
};

struct schedule {
    double peak, minimum;
    int64_t warmup_steps, steps;
    enum schedule_kind kind;
    enum decay_shape decay_shape; /* wsd */
    double decay_fraction;        /* wsd: of steps, rounded to whole steps */
};

/* step is 0 … steps - 1; past its end the rate stays. */
double schedule_rate(const struct schedule *s, int64_t step);

/* By name; false where there is none of that name. */
bool schedule_kind_parse(enum schedule_kind *out, const char *name);
bool decay_shape_parse(enum decay_shape *out, const char *name);

#endif
