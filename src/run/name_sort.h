/*
 * What a span's name says of where the program was. To teach it another data loader or a
 * folder that is not the user's: the lists in name_sort.c.
 */
#ifndef GAIT_RUN_NAME_SORT_H
#define GAIT_RUN_NAME_SORT_H

#include <stddef.h>

enum name_sort {
    NAME_SORT_UNKNOWN, /* not looked at yet */
    NAME_SORT_OTHER,
    NAME_SORT_INPUT,     /* the thread fetches the next batch */
    NAME_SORT_MODULE,    /* "nn.Module: Linear_3": a call of a module */
    NAME_SORT_LINE,      /* "train.py(12): main": a frame of the user's source */
    NAME_SORT_BACKWARD,  /* autograd works on a node of the backward pass */
    NAME_SORT_OPTIMIZER, /* PyTorch's mark of an optimizer's step */
};

enum name_sort name_sort(const char *name, size_t len);

#endif
