/* Do two runs do the same work? Told by the operators that both have. */
#ifndef GAIT_VERIFY_SHARED_WORK_H
#define GAIT_VERIFY_SHARED_WORK_H

#include "run/run.h"

/* Parts of the time in operators of the host, all ranks; both NAN where a run has none.
 */
struct shared_work {
    double before_frac, after_frac; /* in operators that the other run has too */
};

struct shared_work shared_work_of(const struct run *before, const struct run *after);

/* Is it so little of one of them that they are hardly versions of one job? */
bool shared_work_is_little(const struct shared_work *s);

#endif
