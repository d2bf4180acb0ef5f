/* Facts made by hand: a training in which nothing is wrong. */
#ifndef GAIT_TESTS_DIAGNOSE_FIXTURE_H
#define GAIT_TESTS_DIAGNOSE_FIXTURE_H

#include "cmocka_setup.h"
#include "diagnose/diagnose.h"

#include <math.h>
#include <string.h>

static inline struct median_interval some_ms(double low, double median, double high)
{
    return (struct median_interval){median * 1e6, low * 1e6, high * 1e6, 20};
}

static inline struct step_timing timed(int64_t value, bool as_set, double ms,
                                       double tokens_per_s)
{
    return (struct step_timing){.value = value,
                                .as_set = as_set,
                                .ns = some_ms(0.98 * ms, ms, 1.02 * ms),
                                .tokens_per_s = tokens_per_s};
}

/* 1200 steps of 10 ms on 2 cores. c is init'ed here; the caller releases it. */
static inline void good_facts(struct training_facts *f, struct config *c)
{
    config_init(c);
    c->steps = 1200;
    training_facts_init(f, c, "my.yaml");
    f->tried = true;
    f->part = TRAINER_COMPLETE;
    f->cores = f->threads = 2;
    f->noise = (struct noise){.known = true};
    f->data = (struct data_facts){.kind = DATASET_TEXT,
                                  .train_tokens = 1800000,
                                  .validation_tokens = 200000,
                                  .vocabulary = 65,
                                  .windows = 28000,
                                  .validation_batches = 260,
                                  .open_s = 0.1};
    f->parameters = 800000;
    f->model_vocabulary = 65;
    f->plan_bytes = 30e6;
    f->available_bytes = 4e9;
    f->limit = (struct memory_limit){MEMORY_LIMIT_MACHINE, 8e9, 0, 0, 8e9, "MemTotal"};
    f->precision = (struct precision_timing){12, 34, 56, 1e6, 3e6, 7};
    f->step.known = true;
    f->step.ns = some_ms(9.8, 10, 10.3);
    f->step.tokens = 768;
    f->step.data_frac = 0.003;
    f->step.optimizer_frac = 0.04;
    f->step.products_frac = 0.4;
    f->step.products_flop_per_s = 60e9;
    f->step.peak_flop_per_s = 100e9;
    f->evaluation =
        (struct once_timed){.known = true, .ns = 300e6, .parts = 100, .of_all = 100};
    f->threads_timed =
        (struct step_timings){{timed(1, false, 16, 48000), timed(2, true, 10, 76800)}, 2};
    f->batches_timed =
        (struct step_timings){{timed(6, false, 5.2, 73800), timed(12, true, 10, 76800),
                               timed(24, false, 19.9, 77200)},
                              3};
}

#endif
