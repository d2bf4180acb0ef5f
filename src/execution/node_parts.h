/* What node_parse.c and node_values.c share. Private to execution. */
#ifndef GAIT_EXECUTION_NODE_PARTS_H
#define GAIT_EXECUTION_NODE_PARTS_H

#include "base/json_read.h"
#include "execution/node_table.h"

/* The first of the list under that key; NULL: there is none. */
const struct json *node_list(const struct json *side, const char *key);
/* Inputs or outputs of a node that is not in the table yet, whose tensors stand last. */
enum status node_add_side(struct node_table *t, struct node *x, const struct json *json,
                          bool result, struct err *err);

#endif
