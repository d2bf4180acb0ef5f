/*
 * The inputs of an operator's call as a trace writes them: three JSON texts of one
 * element an input, here made numbers. Texts are hostile until read: what is not
 * understood is an input of which nothing is known, dimensions beyond int64 are
 * INT64_MAX.
 *
 *   Input Dims       [[64, 128], [[2, 3], [4]], []]     a tensor, a list of tensors, none
 *   Input type       ["float", "TensorList", "Scalar"]
 *   Concrete Inputs  ["", "", "[1, 1]"]                 values of what is no tensor
 */
#ifndef GAIT_TRACE_OP_INPUTS_H
#define GAIT_TRACE_OP_INPUTS_H

#include "trace/json_scan.h"

enum { OP_INPUTS_MAX = 24, OP_DIMS_MAX = 8 };

/* E(VALUE, "text", bytes, is it a floating-point type?) */
#define OP_TYPE_LIST(E)                                                                  \
    E(NONE, "unknown", 0, false) /* not said, or no tensor */                            \
    E(F64, "f64", 8, true)                                                               \
    E(F32, "f32", 4, true)                                                               \
    E(F16, "f16", 2, true)                                                               \
    E(BF16, "bf16", 2, true)                                                             \
    E(F8, "f8", 1, true)                                                                 \
    E(I64, "i64", 8, false)                                                              \
    E(I32, "i32", 4, false)                                                              \
    E(I16, "i16", 2, false)                                                              \
    E(I8, "i8", 1, false) /* bool and bytes too */                                       \
    E(COMPLEX64, "complex64", 8, true)                                                   \
    E(COMPLEX128, "complex128", 16, true)
#define OP_TYPE_VALUE(v, text, bytes, real) OP_TYPE_##v,
enum op_type { OP_TYPE_LIST(OP_TYPE_VALUE) OP_TYPE_COUNT };

enum op_input_kind {
    OP_INPUT_UNKNOWN, /* the text was not understood */
    OP_INPUT_TENSOR,  /* or no tensor at all: "[]" is both one number and none */
    OP_INPUT_TENSORS,
};

struct op_input {
    enum op_input_kind kind;
    int rank;
    int64_t dim[OP_DIMS_MAX]; /* (rank) at least 0 */
    int64_t numbers;          /* product of dim; of a list the sum over its tensors */
    enum op_type type;
    bool is_scalar; /* a plain number */
};

struct op_inputs {
    struct op_input in[OP_INPUTS_MAX]; /* (n) */
    int n;
    struct json_text value[OP_INPUTS_MAX]; /* (values) texts as in Concrete Inputs */
    int values;
};

/* Texts may be absent (s NULL). Values point into `concrete`. False where dims cannot be
 * read at all. */
bool op_inputs_read(struct op_inputs *in, const struct json_text *dims,
                    const struct json_text *types, const struct json_text *concrete);

const char *op_type_text(enum op_type t);
int64_t op_type_bytes(enum op_type t);
bool op_type_is_real(enum op_type t);

/* "True" and "False" (and the numbers of masks, where 0 is false); fallback where the
 * value is absent or other. */
int op_value_bool(const struct op_inputs *in, int i, int fallback);
/* Not of a negative one. */
bool op_value_int(const struct op_inputs *in, int i, int64_t *out);
/* "[2, -1]", "[True, False]": at most max numbers; how many, or -1 where it is none. */
int op_value_ints(const struct op_inputs *in, int i, int64_t *out, int max);

/* Saturated at INT64_MAX; both at least 0. */
int64_t op_times(int64_t a, int64_t b);
int64_t op_plus(int64_t a, int64_t b);

#endif
