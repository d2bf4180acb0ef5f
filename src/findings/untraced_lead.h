/*
 * How ranks wait for each other, seen without the tracer: in calls of the job's own that
 * wait for collectives, and in the backward pass where gradients are reduced in it. The
 * one that the others wait for waits least. Private to findings.
 */
#ifndef GAIT_FINDINGS_UNTRACED_LEAD_H
#define GAIT_FINDINGS_UNTRACED_LEAD_H

#include "findings/evidence.h"

/* The rank whose waits, with the backward pass where they are in it, are shortest. */
struct untraced_lead {
    int32_t
        row;   /* -1: too few steps that all ranks timed, or collectives are elsewhere */
    double ns; /* shorter than those of the next one, median over those steps */
    double least_ns; /* the lower quartile */
    size_t steps;
};

struct untraced_lead untraced_lead(const struct evidence *e);

/* Waits for gathers and broadcasts in the job's own code, outside of its modules and
 * optimizers: a step's usual ones, mean over the ranks; 0 where most steps have none. */
double untraced_exchange_ns(const struct evidence *e);

#endif
