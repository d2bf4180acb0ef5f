/*
 * How ranks wait for each other, seen without the tracer: in calls of the job's own that
 * wait for collectives, where DistributedDataParallel broadcasts buffers, and in the
 * backward pass where gradients are reduced in it. The one that the others wait for waits
 * least.
 */
#ifndef GAIT_EVIDENCE_UNTRACED_LEAD_H
#define GAIT_EVIDENCE_UNTRACED_LEAD_H

#include "evidence/evidence.h"

/* The rank whose waits, with the backward pass where they are in it, are shortest. */
struct untraced_lead {
    int32_t
        row;   /* -1: too few steps that all ranks timed, or collectives are elsewhere */
    double ns; /* shorter than those of the next one, median over those steps */
    double least_ns; /* the lower quartile */
    size_t steps;
};

struct untraced_lead untraced_lead(const struct evidence *e);

/* Are nearly all collectives asked for in the backward pass, as DistributedDataParallel
 * does? */
bool collectives_in_backward(const struct evidence *e);

/* A step's usual waits of one kind: "exchange", gathers and broadcasts in the job's own
 * code; "buffers", which DistributedDataParallel broadcasts. 0 where most steps have
 * none. */
struct untraced_wait {
    double mean_ns, longest_ns; /* over the ranks */
    double least_ns; /* of the rank that waits least in a step, whichever it is: what is
                        not waiting for each other */
};

struct untraced_wait untraced_wait(const struct evidence *e, enum timing_kind what);

#endif
