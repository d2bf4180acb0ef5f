/* `gait export --chrome`: a run's kept spans as a Chrome trace. */
#ifndef GAIT_CLI_EXPORT_CHROME_H
#define GAIT_CLI_EXPORT_CHROME_H

#include "cli/args.h"

/* Uses the options output and rank, and the operand. */
enum status export_chrome(const struct args *args, struct err *err);

#endif
