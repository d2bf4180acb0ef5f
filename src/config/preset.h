/*
 * Settings to start from, by how large a machine is. One rule for all: presets differ
 * only in the facts that go into it. `auto` is the machine that the caller measured.
 *
 * The rule decides batch_size, gradient_accumulation, recompute and num_workers; the
 * model and all else stay. It is computed, not measured: a first guess for `gait train`,
 * whose memory plan is exact and refuses what does not fit.
 *
 *   tokens     of a batch: 64 a core, so that each core has rows to multiply; more, up to
 *              4096, where the MLP's activations of more stay within the last cache
 *   batch_size tokens / context rounded down to a power of two, at least 1, and halved
 *              until the estimated memory is at most half of what the machine has
 *   recompute  on where one sequence would not fit without it
 *   num_workers as config_workers() says
 */
#ifndef GAIT_CONFIG_PRESET_H
#define GAIT_CONFIG_PRESET_H

#include "config/config.h"

struct preset_facts {
    double memory_bytes; /* that this process may have */
    int64_t cores;
    int64_t cache_bytes; /* of the last level; 0: not known */
};

/* Names: "auto, laptop, …". */
const char *preset_names(void);
/* The facts of a named preset; `auto` has those of *measured, which may be NULL where the
 * caller cannot measure: then it is refused. */
enum status preset_find(struct preset_facts *out, const char *name,
                        const struct preset_facts *measured, struct err *err);
/* Change *c by the rule. Fails, and changes nothing, where not even one sequence fits. */
enum status preset_apply(struct config *c, const struct preset_facts *facts,
                         struct err *err);

/* Bytes that training with these settings is estimated to need on one rank. */
double preset_memory_bytes(const struct config *c);

#endif
