/*
 * Labels for the kernels of a run that tell all of them apart. Kernels of different names
 * can do the same: then each label ends with the first word, or number, that this name
 * has and the others that are still alike have not ("… · splitK", "… · vectorized 4"),
 * and where there is none with "#2". One of them may need no such end.
 */
#ifndef GAIT_ANALYZE_KERNEL_LABELS_H
#define GAIT_ANALYZE_KERNEL_LABELS_H

#include "base/arena.h"
#include "run/run.h"

struct kernel_labels {
    struct arena text;
    const char **label; /* (n) no two alike */
    size_t n;
    const char **of_name; /* (names of the run) NULL: not of work on a device */
    bool amd;             /* the devices are AMD's, so NCCL's kernels are RCCL's */
};

/* raw: (n) no two alike. The labels do not depend on their order. */
void kernel_labels_init(struct kernel_labels *l, const char *const *raw, size_t n);
/* All kernels, copies and collectives on the devices of a run, of all its ranks. */
void kernel_labels_of_run(struct kernel_labels *l, const struct run *run);
void kernel_labels_release(struct kernel_labels *l);

#endif
