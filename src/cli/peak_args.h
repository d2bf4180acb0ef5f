/* A device's peak as the user gives it: the same for analyze and report. */
#ifndef GAIT_CLI_PEAK_ARGS_H
#define GAIT_CLI_PEAK_ARGS_H

#include "analyze/efficiency.h"
#include "cli/args.h"

/* Two lines of a command's table of options. */
#define PEAK_OPTIONS                                                                     \
    {"peak-tflops", 0, "X", "the device's peak, instead of the listed one"},             \
    {                                                                                    \
        "peak-gbps", 0, "X", "its memory's bandwidth, in 10^9 bytes a second"            \
    }

enum status peak_args(struct given_peak *peak, const struct args *args, struct err *err);

#endif
