/*
 * Training from settings: what `gait train` and `gait profile` call. The parts are
 * composed in trainer.h, the loop is loop.c; start there.
 */
#ifndef GAIT_TRAIN_TRAIN_H
#define GAIT_TRAIN_TRAIN_H

#include "base/status.h"
#include "config/config.h"

#include <stdint.h>

struct run;

struct train_result {
    int64_t steps;
    int64_t parameters;
    double loss;                      /* training loss of the last step, nats a token */
    double validation_loss;           /* at the end, nats a token */
    double validation_standard_error; /* over batches; 0: a single batch */
    int64_t validation_tokens;        /* that were scored */
    double entropy;                   /* of the source, nats a token; NAN: not known */
    double validation_text_nats;      /* that the validation text itself carries a token:
                                         the entropy with this sample's luck; NAN as above */
    double wall_s;                    /* of the steps, without validation */
};

/* Train as the settings say, with progress through base/log.h; weights go to
 * checkpoint_dir. The settings have passed config_check(). out may be NULL, else it gets
 * a rank with the losses, memory and settings. A loss or gradient that is not finite is
 * an error. */
enum status train_run(const struct config *config, struct train_result *result,
                      struct run *out, struct err *err);

/* profile_warmup steps, then profile_steps recorded ones: spans, losses, memory, settings
 * and the machine with its measured ceilings go to out as one rank. */
enum status train_profile(const struct config *config, struct run *out, struct err *err);

#endif
