/*
 * The calls of an execution trace and their tensors as rows of a run: storages by their
 * lives, values by version, as record/flow_file.h fills them from a recording.
 */
#ifndef GAIT_EXECUTION_FLOW_ROWS_H
#define GAIT_EXECUTION_FLOW_ROWS_H

#include "execution/call_list.h"

/* Of rank row `rank` of t->run, which has none of them yet. True: something outside of
 * operators writes (run/execution_facts.h, a fact of the run then). */
bool flow_rows_add(const struct node_table *t, const struct call_list *l, int32_t rank);

enum {
    LIFE_MADE = 1,  /* an operator or the host is seen to make it */
    LIFE_STAYS = 2, /* the optimizer or autograd keeps it: its address is its own */
};

/* Other data may lie at the same address unseen: a life counts as the same only as long as
 * something holds it, or as no data could come (storage_split.c). seen: (tensors) LIFE_….
 */
void storage_split(struct run *run, const struct call_list *l, const uint8_t *seen);

#endif
