/*
 * The calls of an execution trace that the data flow is made of: of nested operators the
 * outermost that is not only made of others, which is also where autograd takes hold;
 * each with its step, its backward pass and its forward call.
 */
#ifndef GAIT_EXECUTION_CALL_LIST_H
#define GAIT_EXECUTION_CALL_LIST_H

#include "execution/node_table.h"

struct call {
    int32_t node, step, backward, forward, thread; /* as in struct watched_op */
    int32_t epoch; /* the same as long as no data came from outside of operators: a step,
                      what follows a backward pass, what a DataLoader gave */
    bool optimizer;
    bool
        accumulates; /* autograd's: a gradient becomes a parameter's, or is added to it */
};

struct call_list {
    struct call *call;
    size_t n, cap;
    int32_t steps;
    bool optimizer; /* some are of an optimizer's step */
    bool compiled;  /* it has calls whose tensors are not told */
};

void call_list_init(struct call_list *l, const struct node_table *t);
void call_list_release(struct call_list *l);

#endif
