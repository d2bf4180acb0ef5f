/*
 * Does the fast path work on this machine? Each chosen implementation is run on a small
 * odd-sized problem and compared with the plain reference of the same precision, before
 * anything says that it is enabled.
 */
#ifndef GAIT_ENGINE_SELF_CHECK_H
#define GAIT_ENGINE_SELF_CHECK_H

#include "engine/engine.h"

struct self_check {
    double linear_error;    /* largest difference of the three products, relative to their
                               largest number */
    double attention_error; /* of output and gradient; 0 with plain attention */
};

/* A difference that rounding cannot explain is an error that says what to set instead. */
enum status engine_self_check(const struct engine *e, struct self_check *out,
                              struct err *err);

#endif
