/* For commands whose answer does not show it: which recordings are cut or damaged. */
#ifndef GAIT_CLI_DAMAGE_WARNINGS_H
#define GAIT_CLI_DAMAGE_WARNINGS_H

#include "run/run.h"

/* One line on stderr for each rank that is (run/rank_damage.h), with the first of its
 * notes. */
void damage_warnings(const struct run *run);

#endif
