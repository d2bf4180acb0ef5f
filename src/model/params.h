/*
 * The parameters of a model by role. Both families have the same roles; the table of each
 * (params.c) says what they are called and how large they are, so that the passes need no
 * family.
 *
 * To add a parameter: add a role, a row to the family's table, and use the role.
 */
#ifndef GAIT_MODEL_PARAMS_H
#define GAIT_MODEL_PARAMS_H

#include "engine/param_store.h"
#include "engine/param_table.h"
#include "model/shape.h"

/* Roles that each block has … */
enum block_role {
    ROLE_NORM_1,
    ROLE_NORM_1_BIAS,
    ROLE_QKV,
    ROLE_QKV_BIAS,
    ROLE_PROJ,
    ROLE_PROJ_BIAS,
    ROLE_NORM_2,
    ROLE_NORM_2_BIAS,
    ROLE_UP, /* gate and up where the MLP is gated */
    ROLE_UP_BIAS,
    ROLE_DOWN,
    ROLE_DOWN_BIAS,
    BLOCK_ROLES
};

/* … and those outside. */
enum outer_role {
    ROLE_TOKENS,
    ROLE_POSITIONS,
    ROLE_NORM_F,
    ROLE_NORM_F_BIAS,
    ROLE_HEAD,
    OUTER_ROLES
};

struct model_params {
    struct param_table table;
    /* Rows of the table, -1 where the model has none; of a joined parameter the first. */
    int64_t outer[OUTER_ROLES];
    int64_t (*block)[BLOCK_ROLES]; /* (layers) */
};

/* Shapes that overflow are seen in table.total. The caller releases. */
void model_params_init(struct model_params *p, const struct model_shape *shape);
void model_params_release(struct model_params *p);

/* By a row of the table: NULL, or no value, where row is -1. */
const real *params_vector(const struct model_params *p, const struct param_store *s,
                          int64_t row);
struct weight params_weight(const struct model_params *p, const struct param_store *s,
                            int64_t row);
real *params_grad(const struct model_params *p, real *grad, int64_t row);

/* The standard deviation of a parameter's initial numbers. */
double params_stddev(const struct model_shape *shape, const struct param *p);

#endif
