/*
 * Who is waited for, seen without the tracer: ranks that reduce gradients in the backward
 * pass wait there, so the backward pass of the one that they wait for is the shortest.
 * Private to findings.
 */
#ifndef GAIT_FINDINGS_UNTRACED_LEAD_H
#define GAIT_FINDINGS_UNTRACED_LEAD_H

#include "findings/evidence.h"

/* By how much the rank's backward pass is shorter than that of the next one, median over
 * untraced steps that all ranks timed, in ns. NAN: too few such steps, or collectives are
 * elsewhere. */
double untraced_lead_ns(const struct evidence *e, int32_t rank_row);

#endif
