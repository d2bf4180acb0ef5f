/*
 * What limits the memory of this process: the machine, a control group (its own or one
 * above it), or the address space (ulimit -v), whichever leaves least. Machine and group
 * count what is resident and are shared with other processes; the address space counts
 * what is mapped, used or not, and is this process's own.
 */
#ifndef GAIT_MACHINE_MEMORY_LIMIT_H
#define GAIT_MACHINE_MEMORY_LIMIT_H

#include <stddef.h>

enum memory_limit_kind {
    MEMORY_LIMIT_NONE, /* nothing is known */
    MEMORY_LIMIT_MACHINE,
    MEMORY_LIMIT_GROUP,
    MEMORY_LIMIT_ADDRESS_SPACE,
};

struct memory_limit {
    enum memory_limit_kind kind;
    double bytes;      /* of this process: a shared limit is shared equally */
    double used_bytes; /* of it, by this process now */
    double kept_bytes; /* of it, for what the caller asked to keep free */
    double left_bytes; /* for the rest; may be negative */
    const char *file;  /* that states it: "memory.max", …; "ulimit -v" */
};

struct memory_limit_options {
    const char *cgroup_root, *cgroup_of_self; /* of cgroup.h; NULL: the real ones */
    int processes;       /* that share the machine and the group; 0: one */
    double keep_bytes;   /* to keep free of any limit */
    double mapped_bytes; /* to keep free of the address space alone: stacks */
};

struct memory_limit memory_limit_find(const struct memory_limit_options *o);

/* What this process has resident that is no file's; NAN where the kernel does not say. */
double memory_limit_resident_bytes(void);

#endif
