/*
 * Autograd's sequence numbers: which backward work belongs to which forward operator. A
 * number belongs to the operator that began last among those that bear it (others were
 * called before the node was made).
 */
#ifndef GAIT_EVIDENCE_SEQUENCES_H
#define GAIT_EVIDENCE_SEQUENCES_H

#include "evidence/evidence.h"

struct sequence {
    int64_t number;
    int64_t span; /* the forward operator, or the backward work */
};

/* Is it work of the backward pass, as the engine marks it? */
bool sequences_is_backward(const char *name);

/* Fill in e->owner and e->backward. */
void sequences_find(struct evidence *e);

/* Did autograd do something in the backward pass for an operator in op? */
bool sequences_is_trained(const struct evidence *e, const struct host_thread *t,
                          const struct host_op *op);

/* Edit the backward work of all operators in op. */
void sequences_edit_backward(const struct evidence *e, struct edit_list *l,
                             const struct host_thread *t, const struct host_op *op,
                             double keep);

#endif
