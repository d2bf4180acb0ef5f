#include "base/cores.h"

#include <sched.h>
#include <stddef.h>

enum { CPUS_MAX = 1 << 20 };

/* The call fails where the machine has more CPUs than the set has room for. */
int cores_of_affinity(void)
{
    for (int cpus = 1024; cpus <= CPUS_MAX; cpus *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)cpus);
        if (!set)
            return 0;
        size_t bytes = CPU_ALLOC_SIZE((size_t)cpus);
        int count = sched_getaffinity(0, bytes, set) ? 0 : CPU_COUNT_S(bytes, set);
        CPU_FREE(set);
        if (count)
            return count;
    }
    return 0;
}
