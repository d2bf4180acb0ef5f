#include "dist/comm.h"

#include "dist/comm_ops.h"
#include "probe/probe.h"

#include <stdlib.h>

/* Set by Open MPI's launcher, and by those that speak PMI (MPICH, Slurm). */
static const char *const launcher_variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};

bool comm_launched(void)
{
    size_t n = sizeof launcher_variables / sizeof *launcher_variables;
    for (size_t i = 0; i < n; i++) {
        const char *value = getenv(launcher_variables[i]);
        if (value && *value)
            return true;
    }
    return false;
}

enum status comm_open(struct comm *c, struct err *err)
{
    if (comm_launched())
        return comm_open_mpi(c, err);
    comm_init_self(c);
    return STATUS_OK;
}

void comm_close(struct comm *c)
{
    c->ops->close(c);
    *c = (struct comm){0};
}

static enum status allreduce(struct comm *c, void *data, size_t n, enum comm_type type,
                             size_t size, struct err *err)
{
    int64_t t = probe_begin();
    enum status st = n ? c->ops->allreduce_sum(c, data, n, type, err) : STATUS_OK;
    probe_end(t, SPAN_KIND_COLLECTIVE, "allreduce", 0, (int64_t)(n * size));
    return st;
}

enum status comm_allreduce_sum(struct comm *c, float *data, size_t n, struct err *err)
{
    return allreduce(c, data, n, COMM_TYPE_F32, sizeof *data, err);
}

enum status comm_allreduce_sum_f64(struct comm *c, double *data, size_t n,
                                   struct err *err)
{
    return allreduce(c, data, n, COMM_TYPE_F64, sizeof *data, err);
}

enum status comm_broadcast(struct comm *c, void *data, size_t bytes, int root,
                           struct err *err)
{
    if (root < 0 || root >= c->size)
        BUG("broadcast from rank %d of %d", root, c->size);
    int64_t t = probe_begin();
    enum status st = bytes ? c->ops->broadcast(c, data, bytes, root, err) : STATUS_OK;
    probe_end(t, SPAN_KIND_COLLECTIVE, "broadcast", 0, (int64_t)bytes);
    return st;
}

enum status comm_barrier(struct comm *c, struct err *err)
{
    int64_t t = probe_begin();
    enum status st = c->ops->barrier(c, err);
    probe_end(t, SPAN_KIND_COLLECTIVE, "barrier", 0, 0);
    return st;
}
