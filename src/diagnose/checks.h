/*
 * The checks of a diagnosis: each a row of the table in checks.c and a function that
 * reads facts and says what it thinks of them.
 *
 * To add a check: write the function in the checks_*.c that it belongs to, declare it in
 * CHECK_LIST below, and describe it in docs/diagnose.md.
 */
#ifndef GAIT_DIAGNOSE_CHECKS_H
#define GAIT_DIAGNOSE_CHECKS_H

#include "diagnose/estimate.h"
#include "diagnose/facts.h"
#include "diagnose/outcome.h"

typedef void check_fn(struct outcome *o, const struct training_facts *f,
                      const struct estimate *e);

/* E(function, "name"), in the order in which a training meets them. */
#define CHECK_LIST(E)                                                                    \
    E(check_settings, "settings")                                                        \
    E(check_threads, "threads")                                                          \
    E(check_cpu_limit, "cpu-limit")                                                      \
    E(check_precision, "precision")                                                      \
    E(check_other_programs, "other-programs")                                            \
    E(check_model_start, "model")                                                        \
    E(check_data, "data")                                                                \
    E(check_one_batch, "one-batch")                                                      \
    E(check_validation_part, "validation-part")                                          \
    E(check_vocabulary, "vocabulary")                                                    \
    E(check_epochs, "epochs")                                                            \
    E(check_tokens_and_parameters, "tokens-and-parameters")                              \
    E(check_prepared, "prepared")                                                        \
    E(check_memory, "memory")                                                            \
    E(check_step, "step")                                                                \
    E(check_gradient_clip, "gradient-clip")                                              \
    E(check_learning_rate_size, "learning-rate")                                         \
    E(check_warm_up, "warm-up")                                                          \
    E(check_log_interval, "log-interval")                                                \
    E(check_validation_interval, "validation-interval")                                  \
    E(check_validation_cost, "validation-cost")                                          \
    E(check_checkpoint_interval, "checkpoint-interval")                                  \
    E(check_checkpoint_cost, "checkpoint-cost")                                          \
    E(check_checkpoint_folder, "checkpoint-folder")                                      \
    E(check_disk_space, "disk-space")                                                    \
    E(check_resume, "resume")

#define CHECK_VALUE(function, name) CHECK_OF_##function,
enum { CHECK_LIST(CHECK_VALUE) CHECK_COUNT };
extern const char *const check_name[CHECK_COUNT];

#define CHECK_DECLARE(function, name) check_fn function;
CHECK_LIST(CHECK_DECLARE)

/* All of them, in that order. */
void checks_run(struct outcome out[CHECK_COUNT], const struct training_facts *f,
                const struct estimate *e);

/* False where that part of the trainer was not opened, and *o says why. */
bool check_can_know(struct outcome *o, const struct training_facts *f,
                    enum trainer_part part);

#endif
