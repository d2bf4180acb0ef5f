/*
 * What the control group of this process allows it: CPU time and memory. Versions 1 and 2
 * are read; a limit of a parent limits its children, so the smallest on the way up
 * counts. The folders are arguments for the tests' sake.
 */
#ifndef GAIT_MACHINE_CGROUP_H
#define GAIT_MACHINE_CGROUP_H

#define CGROUP_ROOT "/sys/fs/cgroup"
#define CGROUP_OF_SELF "/proc/self/cgroup"

/* Cores' worth of CPU time; INFINITY where nothing limits it. */
double cgroup_cpu_cores(const char *root, const char *of_self);
/* Bytes of memory; INFINITY where nothing limits them. */
double cgroup_memory_bytes(const char *root, const char *of_self);

struct cgroup_limit {
    double value;     /* INFINITY: none */
    const char *file; /* that states it: memory.max, memory.high, memory.limit_in_bytes */
};

/* The same with its file. memory.high counts as a limit: beyond it the kernel slows a
 * process down until it hardly moves. */
struct cgroup_limit cgroup_memory_limit(const char *root, const char *of_self);

#endif
