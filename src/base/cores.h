/* How many CPUs this process may run on. */
#ifndef GAIT_BASE_CORES_H
#define GAIT_BASE_CORES_H

/* Of the scheduler's mask (taskset, Slurm, containers' cpusets); 0 where it cannot be
 * asked. A limit of the cgroup's time is not in it: machine/cpu.h knows that. */
int cores_of_affinity(void);

#endif
