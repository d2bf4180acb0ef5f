/*
 * Where the host's time goes, statement by statement: the thread that trains was looked
 * at every few milliseconds, in steps without the tracer. Arrays are by row of
 * run->lines, in ns a step, what each statement takes itself.
 */
#ifndef GAIT_EVIDENCE_HOST_TIME_H
#define GAIT_EVIDENCE_HOST_TIME_H

#include "evidence/evidence.h"

/* Was the rank looked at? */
bool host_time_known(const struct evidence *e);

/* Were all ranks? */
bool host_time_known_of_all(const struct evidence *e);

/* Of one part of the step, or of all (SAMPLE_PART_COUNT). The caller frees it. */
double *host_time_of(const struct evidence *e, enum sample_part part);

/* Of a rank: what it takes longer at a statement than the others do, on the mean, wherever
 * it was called from; and all that it takes there. The caller frees both. */
struct beyond_others {
    double *ns, *all_ns;
};
struct beyond_others host_time_beyond_others(const struct evidence *e, int32_t rank);

/* Of the job's own code, what is neither an operator nor the way from one to the next,
 * nor around work that is needless itself. The rank must have been watched too. The
 * caller frees it. */
double *host_time_in_python(const struct evidence *e);

#endif
