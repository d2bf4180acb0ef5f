/*
 * The phases of each step, on the lane that marks the steps: input, forward, backward,
 * optimizer, and what lies between them as unattributed. Private to run.
 *
 * Gait's own trainer marks its phases. In PyTorch's traces they are found: DataLoader and
 * optimizer by their annotations; the backward pass from the first node that autograd
 * works on to the last; the forward pass from the first operator that autograd recorded
 * a node of to the last, with the Python between them. Which operators these are is told
 * by their sequence numbers: a number is that of the next node, so an operator made one
 * where a later operator bears a higher number, or where the backward pass begins with
 * its own. An optimizer's step that calls a closure holds the other phases; its own time
 * is what they leave.
 */
#ifndef GAIT_REDUCE_SWEEP_PHASES_H
#define GAIT_REDUCE_SWEEP_PHASES_H

#include "run/run.h"

struct sweep;

/* A stretch of the lane, of one step. */
struct phase_stretch {
    int64_t begin_ns, end_ns;
    int64_t step; /* -1: none */
};

struct sweep_phases {
    int64_t (*ns)[PHASE_COUNT]; /* (steps) NULL: no phase was seen */
    bool marked;                /* by spans of their own: nothing is to be found */
    /* nodes of forward operators in the backward pass, on this lane and on others */
    int64_t nodes, nodes_elsewhere;
    enum phase last;          /* the phase that was seen last */
    struct phase_stretch end; /* and where */
    int64_t inside_until_ns;  /* operators until then belong to a phase that is known */
    struct phase_stretch optimizer; /* the optimizer's step that is open, or was */
    struct phase_stretch op;        /* the outermost operator that is open, or was */
    struct phase_stretch candidate; /* the last one that bears `number` */
    int64_t number;                 /* autograd's, of the last operator that has one */
};

void sweep_phases_init(struct sweep *sw);
void sweep_phases_release(struct sweep_phases *p);
/* s: on a host lane, and begins in this step. */
void sweep_phases_add(struct sweep *sw, const struct span *s, int64_t step);
void sweep_phases_finish(struct sweep *sw);

#endif
