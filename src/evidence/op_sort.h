/*
 * What an operator of PyTorch does, by its name, as far as rules ask. To teach it another
 * one: the lists in op_sort.c. In-place forms ("aten::add_") are what their plain forms
 * are.
 */
#ifndef GAIT_EVIDENCE_OP_SORT_H
#define GAIT_EVIDENCE_OP_SORT_H

#include <stdint.h>

enum op_sort {
    OP_SORT_VIEW = 1,      /* another look at the same numbers: no work, or hardly any */
    OP_SORT_POINTWISE = 2, /* each number from the numbers at its place */
    OP_SORT_REDUCTION = 4, /* a pass that leaves fewer numbers */
    OP_SORT_PRODUCT = 8,   /* matmul, attention, convolution, recurrent layers */
    OP_SORT_FACTORY = 16,  /* a new tensor from plain numbers, the same each time */
    OP_SORT_RANDOM = 32,   /* differs each time */
    OP_SORT_COPY = 64,     /* the same numbers in another layout, type or place */
    OP_SORT_FORWARD = 128, /* called by models; no formula of a gradient calls it */
    OP_SORT_PURE = 256, /* its result depends on its inputs alone, no parameter in it */
};

/* Bits of enum op_sort; 0: not known. */
uint16_t op_sort_of(const char *name);

#endif
