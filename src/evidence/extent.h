/* How much of a step edits touch, each moment counted once. */
#ifndef GAIT_EVIDENCE_EXTENT_H
#define GAIT_EVIDENCE_EXTENT_H

#include "evidence/evidence.h"

/* All of a step, under the tracer. */
struct extent {
    double host_ns;     /* of host threads */
    double blocked_ns;  /* in calls that are unblocked */
    double device_ns;   /* of device work */
    double events;      /* of the tracer in host_ns */
    double events_gone; /* of these, what goes with what is taken out */
};

struct extent extent_of(const struct evidence *e, const struct edit_list *l);

#endif
