/* Facts that are looked up: nothing is run, and nothing stays that is written. */
#ifndef GAIT_DIAGNOSE_GATHER_H
#define GAIT_DIAGNOSE_GATHER_H

#include "diagnose/facts.h"

void gather_machine(struct training_facts *f);
/* As far as the trainer could be put together; status and err are trainer_try()'s. */
void gather_trainer(struct training_facts *f, const struct trainer *t,
                    const struct err *err);
/* checkpoint_dir and what lies in it. t: for the model that a checkpoint must be of. */
void gather_disk(struct training_facts *f, const struct trainer *t);

#endif
