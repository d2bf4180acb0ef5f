/*
 * The parameters of a model as one buffer and a table that names its parts. Gradients and
 * the optimizer's moments are buffers of the same layout, so that one offset serves all.
 * Parts begin on cache lines; the numbers between them are 0 and stay 0.
 */
#ifndef GAIT_ENGINE_PARAM_TABLE_H
#define GAIT_ENGINE_PARAM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum param_init {
    PARAM_INIT_ZERO,
    PARAM_INIT_ONE,
    PARAM_INIT_NORMAL,   /* as every weight */
    PARAM_INIT_RESIDUAL, /* normal, scaled down: it adds to the residual stream */
};

enum { PARAM_NAME_MAX = 48 };

struct param {
    char name[PARAM_NAME_MAX]; /* as Hugging Face calls it: h.0.attn.c_attn.weight */
    int dims;                  /* 1 or 2 */
    int64_t shape[2];          /* (dims) */
    int64_t n;                 /* numbers */
    int64_t offset;            /* of the first one in the buffer, in numbers */
    enum param_init init;
    bool decay; /* weight decay: matrices only */
};

struct param_table {
    struct param *param; /* (n) */
    size_t n, cap;
    int64_t total; /* numbers of the buffer, with padding; INT64_MAX: too many */
    int64_t count; /* numbers without padding */
};

void param_table_init(struct param_table *t);
void param_table_release(struct param_table *t);
/* Append a vector (columns = 0) or a (rows, columns) matrix; returns its row. */
size_t param_table_add(struct param_table *t, enum param_init init, int64_t rows,
                       int64_t columns, const char *name_fmt, ...)
    __attribute__((format(printf, 5, 6)));

#endif
