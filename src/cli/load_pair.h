/* The two runs of a command that holds one against the other. */
#ifndef GAIT_CLI_LOAD_PAIR_H
#define GAIT_CLI_LOAD_PAIR_H

#include "cli/load_runs.h"

/* operands[i] into run[i], both run_init'ed by the caller; *both adds up what was read.
 * Damage is told.
 * As of load_runs() a side of which some files can be read is OK: see load_status(). */
enum status load_pair(struct run run[2], struct load_result *both,
                      const char *const operands[2], const struct load_options *options,
                      struct err *err);

#endif
