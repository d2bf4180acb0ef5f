/*
 * The parameters' numbers. In f32 one buffer holds them. With bf16 a matrix is kept as
 * two halves (bf16.h): the bf16 that linears read and what it leaves of the f32 master;
 * vectors stay f32.
 *
 * Legal order: param_store_plan, memory_plan_allocate, then the rest.
 */
#ifndef GAIT_ENGINE_PARAM_STORE_H
#define GAIT_ENGINE_PARAM_STORE_H

#include "engine/bf16.h"
#include "engine/memory_plan.h"
#include "engine/ops.h"
#include "engine/param_table.h"

struct param_store {
    bool split;
    int64_t vectors, total; /* of the table */
    real *full;             /* (total), or (vectors) where split */
    bf16 *high;             /* (total - vectors) or NULL */
    int16_t *low;           /* (total - vectors) or NULL */
};

void param_store_plan(struct param_store *s, struct memory_plan *plan,
                      const struct param_table *t, bool split);

const real *param_store_vector(const struct param_store *s, const struct param *p);
struct weight param_store_weight(const struct param_store *s, const struct param *p);

/* Numbers [first, first + n) of a parameter, in full precision. */
void param_store_get(const struct param_store *s, const struct param *p, int64_t first,
                     int64_t n, real *out);
void param_store_put(struct param_store *s, const struct param *p, int64_t first,
                     int64_t n, const real *in);

#endif
