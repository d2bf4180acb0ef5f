/* What a finished training took: rates, where the time went, memory, arithmetic. */
#ifndef GAIT_CLI_TRAIN_SUMMARY_H
#define GAIT_CLI_TRAIN_SUMMARY_H

#include "base/json_writer.h"
#include "train/train.h"

/* The most that this machine did with this precision, measured now (a fraction of a
 * second); NAN with `why` where it cannot be measured. */
struct measured_peak {
    double flop_per_s;
    const char *how; /* the instructions, or why there is no figure */
};
struct measured_peak measure_peak(const struct train_usage *u);

void train_summary_print(const struct train_usage *u, const struct measured_peak *peak);
void train_summary_json(struct json_writer *w, const struct train_usage *u,
                        const struct measured_peak *peak);

/* Model FLOP/s utilisation: counted FLOPs over time and the measured peak; NAN: N/A. */
double train_mfu(const struct train_usage *u, const struct measured_peak *peak);

#endif
