/* How a step grows with one setting: profiles of several values, in turns. */
#ifndef GAIT_CLI_PROFILE_SWEEP_H
#define GAIT_CLI_PROFILE_SWEEP_H

#include "config/config.h"

/* spec: "context=64,128,256". Prints a table, or JSON; with a folder the pictures and the
 * figures go there too. */
enum status profile_sweep(const struct config *config, const char *spec,
                          const char *folder, bool json, struct err *err);

#endif
