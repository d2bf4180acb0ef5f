/* What a trainer tells a run: the spans of some steps, losses, memory, settings. */
#ifndef GAIT_TRAIN_RUN_RECORD_H
#define GAIT_TRAIN_RUN_RECORD_H

#include "run/run.h"
#include "train/step_costs.h"
#include "train/trainer.h"

/* n steps from `first` on with every span recorded, their reports (n) kept aside; then
 * probe_finish() makes a run of it. costs may be NULL. */
enum status record_steps(struct trainer *t, int64_t first, int64_t n,
                         struct step_report *reports, struct step_costs *costs,
                         struct err *err);

/* The rank that a trainer is, its names interned in run; not added to it. */
struct rank record_rank(struct run *run, const struct trainer *t);

void record_step_loss(struct run *run, int32_t rank, int64_t step,
                      const struct step_report *r);
void record_evaluation(struct run *run, int32_t rank, int64_t step,
                       const struct evaluation *e);
/* Memory as of at_ns: by class as planned (modelled); what was allocated and the most
 * that the process had resident (both measured). */
void record_memory(struct run *run, int32_t rank, const struct trainer *t, int64_t at_ns);
/* All settings as config.*, and what follows from them as train.*. */
void record_facts(struct run *run, int32_t rank, const struct trainer *t);

#endif
