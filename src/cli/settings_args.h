/* The settings of a command that takes CONFIG and --key value flags. */
#ifndef GAIT_CLI_SETTINGS_ARGS_H
#define GAIT_CLI_SETTINGS_ARGS_H

#include "cli/args.h"
#include "config/config.h"

/* Defaults, then the file (NULL: none), then the flags, then config_check(). The caller
 * releases *c whatever the status. */
enum status settings_from_args(struct config *c, const char *path,
                               const struct args *args, struct err *err);
/* The same with a preset (NULL: none) between the file and the flags. */
enum status settings_with_preset(struct config *c, const char *path, const char *preset,
                                 const struct args *args, struct err *err);

/* The same without config_check(), for a command that makes a finding of it. */
enum status settings_unchecked(struct config *c, const char *path,
                               const struct args *args, struct err *err);

/* The settings on stdout, as YAML that reads back equal or as JSON. */
void print_settings(const struct config *c, bool json);

#endif
