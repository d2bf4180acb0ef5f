/*
 * The parameters of a model: a table that names the parts of one buffer. Gradients and
 * the optimizer's moments are buffers of the same layout, so that one offset serves all.
 * Vectors (norms, biases) come first, then matrices; parts begin on cache lines, the
 * numbers between them are 0 and stay 0.
 *
 * Legal order: param_table_init, param_table_add…, param_table_layout, then read it.
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

enum { PARAM_NAME_MAX = 64 };

struct param {
    char name[PARAM_NAME_MAX]; /* as Hugging Face calls it: h.0.attn.c_attn.weight */
    int dims;                  /* 1 or 2 */
    int64_t shape[2];          /* (dims) */
    int64_t n;                 /* numbers */
    int64_t offset;            /* of the first one in the buffer, in numbers */
    enum param_init init;
    bool decay;  /* weight decay: matrices only */
    bool joined; /* directly behind the one before: a fused linear reads both as one */
};

struct param_table {
    struct param *param; /* (n) in the order added */
    size_t n, cap;
    int64_t vectors; /* numbers of the buffer that belong to vectors: the first ones */
    int64_t total;   /* numbers of the buffer, with padding; INT64_MAX: too many */
    int64_t count;   /* numbers without padding */
};

void param_table_init(struct param_table *t);
void param_table_release(struct param_table *t);
/* Append a vector (columns = 0) or a (rows, columns) matrix; returns its row. */
size_t param_table_add(struct param_table *t, enum param_init init, int64_t rows,
                       int64_t columns, bool joined, const char *name_fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* Once all are added: give each its offset. */
void param_table_layout(struct param_table *t);
/* NULL where there is none. */
const struct param *param_table_find(const struct param_table *t, const char *name);

#endif
