/* The two runs of a command that holds one against the other. */
#ifndef GAIT_CLI_LOAD_PAIR_H
#define GAIT_CLI_LOAD_PAIR_H

#include "cli/args.h"
#include "load/load_runs.h"

/* Of --compare: are there two operands? */
enum status load_pair_check(const struct args *args, struct err *err);

/* operands[i] into run[i], both run_init'ed by the caller; *both adds up what was read.
 * Damage is told.
 * As of load_runs() a side of which some files can be read is OK: see load_status(). */
enum status load_pair(struct run run[2], struct load_result *both,
                      const char *const operands[2], const struct load_options *options,
                      struct err *err);

#endif
