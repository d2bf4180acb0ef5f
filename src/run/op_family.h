/* What an operator of op_list.h is, by its name. */
#ifndef GAIT_RUN_OP_FAMILY_H
#define GAIT_RUN_OP_FAMILY_H

#include "run/op_list.h"

#include <stdbool.h>

#define OP_FAMILY_VALUE(v, text) OP_FAMILY_##v,
enum op_family { OP_FAMILY_LIST(OP_FAMILY_VALUE) OP_FAMILY_COUNT };
extern const char *const op_family_text[OP_FAMILY_COUNT];

/* OP_FAMILY_NONE where the name is not in the list. */
enum op_family op_family_of(const char *name);

/* The same of an operator of Gait's own trainer (trainer_ops.h). */
enum op_family trainer_op_family(const char *name);

/* Products of matrices, which a device's peak is told of: matmul, attention,
 * convolution. */
bool op_family_is_product(enum op_family f);

#endif
