/*
 * Casts that a forward pass makes of the same numbers again and again: a mask of booleans
 * that each layer makes floats. Values are not recorded, so what counts as the same is
 * told by what runs between: see casts_again.c. Private to findings.
 */
#ifndef GAIT_FINDINGS_CASTS_AGAIN_H
#define GAIT_FINDINGS_CASTS_AGAIN_H

#include "findings/evidence.h"

/* Outer ops of a thread, ascending (n). */
struct casts_again {
    size_t *at;
    size_t n, cap;
};

/* All but the first of those that come at least `least` times in a forward pass. The
 * caller releases them. */
void casts_again_find(struct casts_again *c, const struct evidence *e,
                      const struct host_thread *t, double least);
void casts_again_release(struct casts_again *c);

#endif
