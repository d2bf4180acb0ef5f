/*
 * What sort of work a kernel is, from its label (kernel_label.h): few enough that each
 * sort that matters has a name and a remedy. To teach it a word: a line of the list in
 * kernel_family.c.
 */
#ifndef GAIT_ANALYZE_KERNEL_FAMILY_H
#define GAIT_ANALYZE_KERNEL_FAMILY_H

/* E(VALUE, "as told") */
#define KERNEL_FAMILY_LIST(E)                                                            \
    E(PRODUCT, "matmuls and convolutions")                                               \
    E(ATTENTION, "attention")                                                            \
    E(NORM, "normalization and softmax")                                                 \
    E(OPTIMIZER, "optimizer")                                                            \
    E(MOVE, "copies, concatenations, transposes and gathers")                            \
    E(REDUCE, "reductions, sorts and scans")                                             \
    E(ELEMENTWISE, "elementwise kernels")                                                \
    E(OTHER, "other kernels")
#define KERNEL_FAMILY_VALUE(v, text) KERNEL_FAMILY_##v,
enum kernel_family { KERNEL_FAMILY_LIST(KERNEL_FAMILY_VALUE) KERNEL_FAMILY_COUNT };
extern const char *const kernel_family_text[KERNEL_FAMILY_COUNT];

enum kernel_family kernel_family_of(const char *label);

#endif
