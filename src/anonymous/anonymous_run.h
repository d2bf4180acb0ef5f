/* A run without names and paths of its job, its user and its machine: the same figures. */
#ifndef GAIT_ANONYMOUS_ANONYMOUS_RUN_H
#define GAIT_ANONYMOUS_ANONYMOUS_RUN_H

#include "anonymous/scrub.h"
#include "run/run.h"

/* Renames in place; s holds what was replaced, for further runs of the same job. */
void anonymous_run(struct run *run, struct scrub *s);

#endif
