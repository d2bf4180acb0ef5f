/*
 * Who is waited for, seen without the tracer: ranks that reduce gradients in the backward
 * pass wait there, so the backward pass of the one that they wait for is the shortest.
 * Private to findings.
 */
#ifndef GAIT_FINDINGS_UNTRACED_LEAD_H
#define GAIT_FINDINGS_UNTRACED_LEAD_H

#include "findings/evidence.h"

/* The rank whose backward pass is shortest. */
struct untraced_lead {
    int32_t
        row;   /* -1: too few steps that all ranks timed, or collectives are elsewhere */
    double ns; /* shorter than that of the next one, median over those steps */
    double least_ns; /* the lower quartile */
    size_t steps;
};

struct untraced_lead untraced_lead(const struct evidence *e);

#endif
