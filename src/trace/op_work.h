/*
 * What a call of an operator must do, counted from its name and inputs alone: arithmetic
 * operations (a multiply-add is two) and bytes (each input read once, the output written
 * once: what a perfect cache would move). Modelled, never measured. 0: not known.
 *
 * Which operators, and by which formulas: run/op_list.h and docs/op-work.md. Sums
 * saturate at INT64_MAX.
 */
#ifndef GAIT_TRACE_OP_WORK_H
#define GAIT_TRACE_OP_WORK_H

#include "trace/op_inputs.h"

struct op_work {
    int64_t flop, bytes;
    enum op_type type; /* of the factors of a product; OP_TYPE_NONE: not said or none */
};

/* The operator's place in the list, counted from 1; 0: its work is not known. */
int op_work_rule(const char *name, size_t len);
/* Does the rule look at Concrete Inputs? */
bool op_work_needs_values(int rule);
/* Is it a matmul, attention or convolution? */
bool op_work_is_product(int rule);

/* rule: of op_work_rule(). The texts are those of the trace, s NULL where absent. */
struct op_work op_work_count(int rule, const struct json_text *dims,
                             const struct json_text *types,
                             const struct json_text *concrete);

#endif
