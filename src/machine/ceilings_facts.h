/* Ceilings as facts of a run and back: so they are kept in a run file. */
#ifndef GAIT_MACHINE_CEILINGS_FACTS_H
#define GAIT_MACHINE_CEILINGS_FACTS_H

#include "machine/ceilings.h"
#include "run/run.h"

/* bench.KEY (the median), bench.KEY.low …, of all ranks. */
void ceilings_to_facts(struct run *run, const struct ceilings *all);
/* False where they are not all there. Texts are the run's, which must outlive it. */
bool ceilings_from_facts(struct ceilings *all, const struct run *run);

#endif
