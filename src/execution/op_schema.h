/*
 * What an operator does with its tensors, as its schema says: the text that PyTorch
 * writes beside each call ("aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar
 * alpha=1) -> Tensor(a!)"), and short tables of names for what schemas do not say.
 */
#ifndef GAIT_EXECUTION_OP_SCHEMA_H
#define GAIT_EXECUTION_OP_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCHEMA_ARGUMENTS_MAX = 64, SCHEMA_NAME_MAX = 128 };

struct op_schema {
    char name[SCHEMA_NAME_MAX]; /* with its overload */
    uint64_t writes, out;       /* bits of arguments: written to, out= */
    uint64_t statistics;        /* written to where `training` is true */
    int training, chance;       /* arguments; -1: it has none. chance: of dropout */
    int32_t traits;             /* run/op_traits.h */
    bool draws;                 /* random numbers, where chance is not 0 */
    bool composite;             /* is made of other operators where it calls any */
    bool host;                  /* what it gives comes from the host */
    bool unset;                 /* what it makes holds nothing until it is written */
    bool constant;              /* what it makes depends on no tensor's contents */
};

/* False: that is no schema; *s is not filled. */
bool op_schema_parse(struct op_schema *s, const char *text);

#endif
