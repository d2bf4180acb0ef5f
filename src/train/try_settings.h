/*
 * What would a step take with another setting? Where a setting may cost time on this
 * machine, a second trainer with the other one runs steps in turns with the given one, so
 * that what disturbs one disturbs the other. The pairs are replacements of the rule that
 * tells it.
 */
#ifndef GAIT_TRAIN_TRY_SETTINGS_H
#define GAIT_TRAIN_TRY_SETTINGS_H

#include "train/step_costs.h"
#include "train/trainer.h"

/* next: the first step that t has not done. costs: of so many recorded steps. What cannot be
 * tried is left out, with a note that says why. */
void try_settings(struct run *out, int32_t rank, struct trainer *t, int64_t next,
                  const struct step_costs *costs, int64_t steps);

#endif
