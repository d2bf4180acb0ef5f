/* The actions of gait data, one a file; cmd_data.c has their options. Private to it. */
#ifndef GAIT_CLI_DATA_ACTIONS_H
#define GAIT_CLI_DATA_ACTIONS_H

#include "cli/args.h"

/* operands[0] is the action's name. */
enum status data_prepare(const struct args *args, struct err *err);
enum status data_show(const struct args *args, struct err *err);
enum status data_tokens(const struct args *args, struct err *err);
enum status data_text(const struct args *args, struct err *err);

/* The only operand behind the action. */
enum status data_only_input(const char **out, const struct args *args, struct err *err);

#endif
