/* Is so much of a rank's recording lost that every figure is about something else than a
 * reader thinks? */
#ifndef GAIT_RUN_RANK_DAMAGE_H
#define GAIT_RUN_RANK_DAMAGE_H

#include "run/run.h"

enum rank_damage {
    RANK_WHOLE,     /* or nearly so */
    RANK_CUT_SHORT, /* its end is missing */
    RANK_LOSSY,     /* more than 5 % of its events could not be used */
};

enum rank_damage rank_damage(const struct ranks *ranks, size_t row);

#endif
