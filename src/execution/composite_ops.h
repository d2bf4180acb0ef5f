#ifndef GAIT_EXECUTION_COMPOSITE_OPS_H
#define GAIT_EXECUTION_COMPOSITE_OPS_H

#include <stdbool.h>

/* "aten::linear", "aten::softmax.int": may it be made of other operators? */
bool is_composite_op(const char *name);

#endif
