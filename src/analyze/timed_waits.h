/* What a recorder timed of a rank's waits for others, in steps without the tracer: on a
 * host a collective runs beside the thread that waits for it, and no span tells. */
#ifndef GAIT_ANALYZE_TIMED_WAITS_H
#define GAIT_ANALYZE_TIMED_WAITS_H

#include "run/run.h"

#include <stdbool.h>

/* Is a timing of this name such a wait? */
bool timed_waits_has(enum timing_kind what);

/* Mean of a step, in the job's code outside of the backward pass; NAN: not timed. */
double timed_waits_ns(const struct run *run, int32_t rank_row);
/* The same where the rank's rows of run->timings are known: (n). */
double timed_waits_of_rows_ns(const struct run *run, const uint32_t *row, size_t n);

#endif
