/* --steps names steps by number: which of them there are not. */
#ifndef GAIT_CLI_STEP_WARNINGS_H
#define GAIT_CLI_STEP_WARNINGS_H

#include "load/load_runs.h"

/* One line on stderr for each step of options->keep_steps that no rank has, or whose
 * spans were not kept though others were. */
void step_warnings(const struct run *run, const struct load_options *options);

#endif
