/*
 * Cores and threads of the host, as far as the run tells. A rank's share is what the
 * ranks on its machine leave it. Private to findings.
 */
#ifndef GAIT_FINDINGS_HOST_CORES_H
#define GAIT_FINDINGS_HOST_CORES_H

#include "findings/evidence.h"

struct host_cores {
    double threads;    /* that operators use; NAN: not known */
    double cores;      /* of the machine that the job may use; NAN: not known */
    double share;      /* of them for this rank; NAN: not known */
    size_t neighbours; /* ranks on this machine, itself included */
};

struct host_cores host_cores(const struct evidence *e);

/* Do operators keep every core busy while they run? Where it is not known: on a host
 * alone they do, for so frameworks choose their threads; beside a device they do not. */
bool host_cores_busy(const struct evidence *e, const struct host_cores *c);

#endif
