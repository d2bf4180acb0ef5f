/* How much of what one finding would change another one changes too. */
#ifndef GAIT_PRICE_OVERLAP_H
#define GAIT_PRICE_OVERLAP_H

#include "evidence/evidence.h"

/* Of the host's time that `inner` touches, the part that `outer` touches; 0: it touches
 * none. */
double overlap_frac(const struct evidence *e, const struct edit_list *outer,
                    const struct edit_list *inner);

#endif
