/* Private to dist: what a kind of communicator implements. Sizes are not 0; the caller
 * records the spans. */
#ifndef GAIT_DIST_COMM_OPS_H
#define GAIT_DIST_COMM_OPS_H

#include "dist/comm.h"

enum comm_type { COMM_TYPE_F32, COMM_TYPE_F64 };

struct comm_ops {
    enum status (*allreduce_sum)(struct comm *c, void *data, size_t n,
                                 enum comm_type type, struct err *err);
    enum status (*broadcast)(struct comm *c, void *data, size_t bytes, int root,
                             struct err *err);
    enum status (*barrier)(struct comm *c, struct err *err);
    void (*close)(struct comm *c);
    void (*abandon)(struct comm *c);
};

enum status comm_open_mpi(struct comm *c, struct comm_patience patience, struct err *err);

#endif
