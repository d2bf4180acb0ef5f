#include "run/rank_damage.h"

/* A trace with a few bad events is whole for every purpose; one with many is not. */
#define PARTIAL_LOST_FRAC 0.05

enum rank_damage rank_damage(const struct ranks *ranks, size_t row)
{
    double lost = (double)ranks->events_skipped[row], all = (double)ranks->events[row];
    if (!ranks->complete[row])
        return RANK_CUT_SHORT;
    return lost > PARTIAL_LOST_FRAC * all ? RANK_LOSSY : RANK_WHOLE;
}
