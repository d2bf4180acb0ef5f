/* What gait verify has to do with a history: --history, --trend, --baseline,
 * --save-baseline. */
#ifndef GAIT_CLI_VERIFY_HISTORY_H
#define GAIT_CLI_VERIFY_HISTORY_H

#include "cli/args.h"
#include "config/config.h"
#include "run/run.h"
#include "verify/verify.h"

/* Do options and operands fit together, and can the history be used? Asked before long
 * work. */
enum status verify_history_check(const struct args *args, struct err *err);

enum status verify_trend(const struct args *args, struct err *err);

/* Measure the operand and keep it. */
enum status verify_save_baseline(const struct args *args, struct err *err);

/* Two operands, or a baseline and the operand. The caller releases both whatever the
 * status. */
enum status verify_read_configs(struct config config[2], struct verify_baseline *baseline,
                                const struct args *args, struct err *err);

/* Append to the history where one was given. Returns st, the status so far, unless the
 * history cannot be written. unread: files of the runs. */
enum status verify_keep_configs(enum status st, const struct args *args,
                                const struct config config[2],
                                const struct verify_result *r, struct err *err);
enum status verify_keep_runs(enum status st, const struct args *args,
                             const struct run *after, const struct verify_result *r,
                             size_t unread, struct err *err);

#endif
