/*
 * What the recorded steps cost beside the time of their spans: parallel regions, the
 * processor's counters, memory that was asked for. Each is a fact of a step, or says why
 * it is not known.
 */
#ifndef GAIT_TRAIN_STEP_COSTS_H
#define GAIT_TRAIN_STEP_COSTS_H

#include "machine/counters.h"
#include "probe/regions.h"
#include "run/run.h"

#include <sys/resource.h>

struct step_costs {
    struct counters counters;
    struct regions regions;
    struct rusage before;
    size_t heap_before_bytes;
    int64_t begin_ns, wall_ns;
    double page_faults, heap_grown_bytes; /* of all steps */
};

void step_costs_begin(struct step_costs *c);
void step_costs_end(struct step_costs *c);
void step_costs_record(const struct step_costs *c, struct run *run, int32_t rank,
                       int64_t steps);

#endif
