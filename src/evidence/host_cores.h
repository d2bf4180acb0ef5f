/*
 * Cores, CPUs and threads of the host, as far as the run tells. What the job may use, by
 * affinity and quota, is shared evenly by its ranks on a machine.
 */
#ifndef GAIT_EVIDENCE_HOST_CORES_H
#define GAIT_EVIDENCE_HOST_CORES_H

#include "evidence/evidence.h"

struct host_cores {
    double threads;    /* that operators use; NAN: not known */
    double cores;      /* for this rank; two CPUs may be one. NAN: not known */
    double cpus;       /* for this rank, at least its cores; NAN: not known */
    size_t neighbours; /* ranks on this machine, itself included */
};

struct host_cores host_cores(const struct evidence *e);

/* This rank's cores; its CPUs, which are no fewer, where cores are not known. */
double host_cores_or_cpus(const struct host_cores *c);

/* Do operators keep every core busy while they run? Where it is not known: on a host
 * alone they do, for so frameworks choose their threads; beside a device they do not. */
bool host_cores_busy(const struct evidence *e, const struct host_cores *c);

#endif
