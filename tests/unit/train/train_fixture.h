/* Settings of a training run that takes a fraction of a second. */
#ifndef GAIT_TESTS_TRAIN_FIXTURE_H
#define GAIT_TESTS_TRAIN_FIXTURE_H

#include "cmocka_setup.h"
#include "config/config.h"

static inline void small_config(struct config *c)
{
    config_init(c);
    c->layers = 2;
    c->heads = 2;
    c->width = 16;
    c->context = 8;
    c->batch_size = 4;
    c->steps = 12;
    c->warmup_steps = 2;
    c->log_interval = 1;
    c->eval_interval = 5;
    c->eval_batches = 6;
    c->builtin_chars = 20000;
    c->threads = 2;
    c->profile_steps = 6;
    c->profile_warmup = 2;
}

#endif
