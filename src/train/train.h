/*
 * Training from settings: what `gait train` and `gait profile` call. The parts are
 * composed in trainer.h, the loop is loop.c; start there.
 */
#ifndef GAIT_TRAIN_TRAIN_H
#define GAIT_TRAIN_TRAIN_H

#include "base/status.h"
#include "config/config.h"
#include "run/run.h"

#include <stdbool.h>
#include <stdint.h>

/* Where the time went and what was used; of this process and the steps it did, the first
 * one left out: it is slower, and no step after it is like it. */
struct train_usage {
    int64_t steps;
    double wall_s;               /* of those steps */
    double phase_s[PHASE_COUNT]; /* of those steps */
    double evaluate_s, save_s;   /* beside the steps */
    int64_t failed_saves;
    double cpu_frac; /* CPU time over wall time and threads; NAN: N/A */
    int threads;
    double samples_a_step, tokens_a_step, epoch_steps;
    double flop_a_step; /* counted (model_cost.h), of this process */
    const char *precision;
    double plan_bytes, peak_rss_bytes; /* planned; measured, NAN: N/A */
};

struct train_result {
    bool complete;   /* trained and validated, whether or not it could be saved */
    int64_t steps;   /* done in the end, with those before a resume */
    int64_t resumed; /* of them, before this process */
    int64_t parameters;
    double loss;                      /* training loss of the last step, nats a token */
    double validation_loss;           /* at the end, nats a token */
    double validation_standard_error; /* over batches; 0: a single batch */
    int64_t validation_tokens;        /* that were scored */
    double entropy;                   /* of the source, nats a token; NAN: not known */
    double validation_text_nats;      /* that the validation text itself carries a token:
                                         the entropy with this sample's luck; NAN as above */
    double wall_s;                    /* of the steps, without validation */
    struct train_usage usage;
};

/* Train as the settings say, with progress through base/log.h; checkpoints go to
 * checkpoint_dir, metrics to log_dir. The settings have passed config_check(). out may be
 * NULL, else it gets a rank with the losses, memory and settings. A save that fails is a
 * warning; STATUS_ENVIRONMENT where the last state could not be saved. A run that a
 * signal stopped has saved and returns STATUS_FAILED with an err that says so. All ranks
 * learn of both and leave together; rank 0 alone returns the error. */
enum status train_run(const struct config *config, struct train_result *result,
                      struct run *out, struct err *err);

/* profile_warmup steps, then profile_steps recorded ones: spans, losses, memory, settings
 * and the machine with its measured ceilings go to out as one rank. with_tries: settings
 * that may cost time here are then tried in turns with others (train/try_settings.h). */
enum status train_profile(const struct config *config, bool with_tries, struct run *out,
                          struct err *err);

#endif
