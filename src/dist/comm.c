#include "dist/comm.h"

#include "dist/comm_ops.h"
#include "dist/launcher.h"
#include "probe/probe.h"

#include <stdlib.h>

bool comm_launched(void)
{
    return launcher_asked().launched;
}

enum status comm_open(struct comm *c, struct comm_patience patience, struct err *err)
{
    if (comm_launched())
        return comm_open_mpi(c, patience, err);
    comm_init_self(c);
    return STATUS_OK;
}

void comm_close(struct comm *c)
{
    c->ops->close(c);
    *c = (struct comm){0};
}

void comm_abandon(struct comm *c)
{
    c->ops->abandon(c);
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
    probe_end(t, SPAN_KIND_WAIT, "barrier", 0, 0); /* it does nothing but wait */
    return st;
}

int comm_local_ranks(const struct comm *c)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                        "SLURM_NTASKS_PER_NODE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        long n = text ? strtol(text, NULL, 10) : 0;
        if (n >= 1 && n <= c->size)
            return (int)n;
    }
    return c->size;
}
