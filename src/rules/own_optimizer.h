/*
 * Which of PyTorch's fused optimizers a step is nearest to, by its passes over the
 * parameters, whatever the class is called.
 */
#ifndef GAIT_RULES_OWN_OPTIMIZER_H
#define GAIT_RULES_OWN_OPTIMIZER_H

#include "evidence/evidence.h"

struct own_optimizer {
    const char *nearest; /* "AdamW", "SGD"; NULL: none, or not known */
    double keep;         /* what a fused pass moves, of what the loop moves */
    double keep_least, keep_most;
};

/* Of outer ops [first, end) of a thread, one step of an optimizer. numbers_of has a
 * number for each name of the run, zeroed before and after. */
struct own_optimizer own_optimizer_of(const struct evidence *e,
                                      const struct host_thread *t, size_t first,
                                      size_t end, double *numbers_of);

#endif
