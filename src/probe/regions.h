/*
 * Parallel regions of the whole process, the engine's included: how many there were, and
 * how long threads took to begin their part and waited at the end for the others.
 *
 * Seen are regions that enter libgomp through GOMP_parallel (every "omp parallel" and
 * every "omp for" of a static schedule), and its barriers. Off, a region costs one load
 * and one branch more.
 */
#ifndef GAIT_PROBE_REGIONS_H
#define GAIT_PROBE_REGIONS_H

#include <stdint.h>

struct regions {
    int64_t count;
    int64_t wall_ns;    /* in regions, by the clock of the thread that opens them */
    int64_t wake_ns;    /* of all threads: from a region's begin to that of their part */
    int64_t barrier_ns; /* of all threads: waiting for others, at the end or before */
};

void regions_start(void); /* counts from 0 */
void regions_stop(struct regions *out);

#endif
