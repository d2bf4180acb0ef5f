/*
 * What both have learned after the same time: each is trained from the start for so many
 * seconds of its own, in turns (A B B A), then both are validated. For changes that make
 * another training (top_k, the batch, the rate): there neither the time of a step nor the
 * loss of a step says which one to use.
 */
#ifndef GAIT_VERIFY_EQUAL_TIME_H
#define GAIT_VERIFY_EQUAL_TIME_H

#include "config/config.h"
#include "train/trainer.h"
#include "verify/verify.h"

struct equal_time {
    double seconds; /* as asked for */
    struct equal_time_side {
        int64_t steps;
        double took_s;
        struct evaluation loss; /* NAN where it is not finite */
    } side[2];
    double standard_error; /* of the difference of the two losses */
    bool paired;           /* it is over the differences of the same batches */
    bool one_batch;        /* it is not known */
    bool same_text;        /* else their losses are of other targets */
};

enum status equal_time_measure(struct equal_time *out, const struct config *before,
                               const struct config *after, double seconds,
                               struct err *err);
/* The gate "loss at equal time". */
void equal_time_gate(struct verify_result *out, const struct equal_time *e);

#endif
