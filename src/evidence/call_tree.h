/*
 * What a thread was in during some stretches of time: its calls, merged by name below
 * each caller.
 */
#ifndef GAIT_EVIDENCE_CALL_TREE_H
#define GAIT_EVIDENCE_CALL_TREE_H

#include "evidence/evidence.h"
#include "evidence/stretches.h"

struct call_node {
    name_id name;
    int32_t parent;             /* -1: nothing calls it */
    const struct host_op *call; /* the longest */
    int64_t longest_ns;
    double ns; /* in the stretches, with what it called */
};

struct call_tree {
    struct call_node *node; /* (n) callers before those they call */
    size_t n, cap;
    double all_ns;     /* of the stretches */
    double outside_ns; /* of that, in no call */
};

void call_tree_init(struct call_tree *t, const struct evidence *e,
                    const struct host_thread *thread, const struct stretches *when);
void call_tree_release(struct call_tree *t);

#endif
